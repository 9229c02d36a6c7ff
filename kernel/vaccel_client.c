// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients: what is counted and shared out by open file and by user.
 *
 * A live object is charged to both, so that a file for each object gains nothing.
 * Like the quotas of file systems, these do not bind who has CAP_SYS_RESOURCE.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "vaccel_drv.h"

static unsigned int max_file_objects = 16384;
module_param(max_file_objects, uint, 0644);
MODULE_PARM_DESC(max_file_objects, "Most live objects of an open file");

static unsigned int max_user_objects = 65536;
module_param(max_user_objects, uint, 0644);
MODULE_PARM_DESC(max_user_objects, "Most live objects of a user on one device");

/*
 * struct vaccel_user - who has opened files of one device
 */
struct vaccel_user {
	struct list_head node;		/* users_lock */
	unsigned int clients;		/* users_lock */
	kuid_t uid;
	atomic_t objects;
};

static struct vaccel_user *vaccel_user_find_locked(struct vaccel_device *dev, kuid_t uid)
{
	struct vaccel_user *user;

	lockdep_assert_held(&dev->users_lock);
	list_for_each_entry(user, &dev->users, node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/* The record of the current user, or a new one. */
static struct vaccel_user *vaccel_user_get(struct vaccel_device *dev)
{
	struct vaccel_user *fresh = kzalloc_obj(*fresh, GFP_KERNEL_ACCOUNT);
	struct vaccel_user *user;

	if (!fresh)
		return NULL;
	fresh->uid = current_uid();
	spin_lock(&dev->users_lock);
	user = vaccel_user_find_locked(dev, fresh->uid);
	if (!user) {
		user = fresh;
		fresh = NULL;
		list_add(&user->node, &dev->users);
	}
	user->clients++;
	spin_unlock(&dev->users_lock);
	kfree(fresh);
	return user;
}

static void vaccel_user_put(struct vaccel_device *dev, struct vaccel_user *user)
{
	bool last;

	spin_lock(&dev->users_lock);
	last = !--user->clients;
	if (last)
		list_del(&user->node);
	spin_unlock(&dev->users_lock);
	if (last)
		kfree(user);
}

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
	client->user = vaccel_user_get(dev);
	if (!client->user) {
		kfree(client);
		return NULL;
	}
	kref_init(&client->ref);
	client->dev = dev;
	client->due[false] = RB_ROOT_CACHED;
	client->due[true] = RB_ROOT_CACHED;
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
	struct vaccel_client *client = container_of(ref, struct vaccel_client, ref);

	vaccel_user_put(client->dev, client->user);
	kfree(client);
}

void vaccel_client_put(struct vaccel_client *client)
{
	kref_put(&client->ref, vaccel_client_free);
}

/**
 * vaccel_client_charge() - count an object that is going to be made
 * @client: who pays
 *
 * Context: process context, of who asks for the object.
 * Return: 0, or -EDQUOT if there are too many already.
 */
int vaccel_client_charge(struct vaccel_client *client)
{
	unsigned int of_file = atomic_inc_return(&client->objects);
	unsigned int of_user = atomic_inc_return(&client->user->objects);

	if ((of_file <= READ_ONCE(max_file_objects) && of_user <= READ_ONCE(max_user_objects)) ||
	    capable(CAP_SYS_RESOURCE))
		return 0;
	vaccel_client_uncharge(client);
	drm_dbg(&client->dev->drm, "quota: %u objects of the file, %u of the user\n",
		of_file, of_user);
	return -EDQUOT;
}

void vaccel_client_uncharge(struct vaccel_client *client)
{
	atomic_dec(&client->user->objects);
	atomic_dec(&client->objects);
}

/**
 * vaccel_client_show() - print what fdinfo tells of a client
 * @client: client
 * @p: printer
 *
 * The one engine is all that the device runs for the client: several submissions
 * at a time count several times.
 *
 * Context: process context.
 */
void vaccel_client_show(struct vaccel_client *client, struct drm_printer *p)
{
	drm_printf(p, "drm-engine-accel:\t%lld ns\n", atomic64_read(&client->engine_ns));
	drm_printf(p, "virtio_accel-submissions:\t%lld\n", atomic64_read(&client->submissions));
	drm_printf(p, "virtio_accel-objects:\t%d\n", atomic_read(&client->objects));
}
