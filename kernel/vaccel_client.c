// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients: what is counted and shared out by open file.
 */
#include <linux/slab.h>

#include "vaccel_drv.h"

/**
 * vaccel_client_new() - make the client of a file that is being opened
 * @dev: device
 *
 * Context: process context, may sleep.
 * Return: a client with one reference, or NULL.
 */
struct vaccel_client *vaccel_client_new(struct vaccel_device *dev)
{
	struct vaccel_client *client = kzalloc_obj(*client, GFP_KERNEL_ACCOUNT);

	if (!client)
		return NULL;
	kref_init(&client->ref);
	client->dev = dev;
	client->due = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&client->turn);
	return client;
}

struct vaccel_client *vaccel_client_get(struct vaccel_client *client)
{
	kref_get(&client->ref);
	return client;
}

static void vaccel_client_free(struct kref *ref)
{
	kfree(container_of(ref, struct vaccel_client, ref));
}

void vaccel_client_put(struct vaccel_client *client)
{
	kref_put(&client->ref, vaccel_client_free);
}
