// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reaper: releases on the device the objects that nobody refers to.
 *
 * It works for files that are closed and tasks that are dead, so it belongs to
 * the device. References order the releases: an event holds its queue, program
 * and buffers, and everything holds its context.
 */
#include <linux/slab.h>

#include "vaccel_drv.h"

#define VACCEL_REAP_DELAY	msecs_to_jiffies(4)
#define VACCEL_REAP_MAX_SHIFT	5
#define VACCEL_REAP_MAX_TRIES	16
#define VACCEL_REAP_PATIENCE	HZ

static void vaccel_object_free(struct vaccel_object *obj)
{
	struct vaccel_context *ctx = obj->ctx;

	vaccel_object_fini(obj);
	if (obj->kind == VACCEL_EVENT) {
		vaccel_event_drop(to_event(obj));
		vaccel_deps_fini(to_event(obj));
	}
	if (obj->kind == VACCEL_CONTEXT)
		vaccel_client_put(to_context(obj)->client);
	kfree(obj);
	if (ctx)
		vaccel_object_put(&ctx->obj);
}

/* Decide what becomes of an object that the device did not release. */
static void vaccel_reap_refused(struct vaccel_object *obj, int error)
{
	/* Work can run as long as it likes; nothing else has a reason to refuse. */
	bool pending = obj->kind == VACCEL_EVENT && error == -EBUSY;

	if (!pending && obj->reap_tries >= VACCEL_REAP_MAX_TRIES) {
		drm_err_ratelimited(&obj->dev->drm, "object %llx cannot be released: %d\n",
				    obj->id, error);
		vaccel_object_forget(obj);
		return;
	}
	obj->reap_at = jiffies +
		       (VACCEL_REAP_DELAY << min(obj->reap_tries, VACCEL_REAP_MAX_SHIFT));
	if (!pending || obj->reap_tries < VACCEL_REAP_MAX_SHIFT)
		obj->reap_tries++;
}

/*
 * Free an object, or release it on the device first: then it comes back through
 * vaccel_reap_queue() when neither this function nor the ring refers to it.
 */
static void vaccel_reap(struct vaccel_object *obj)
{
	int ret;

	if (!obj->id || READ_ONCE(obj->dev->vq.lost)) {
		vaccel_object_free(obj);
		return;
	}

	kref_init(&obj->ref);
	if (obj->kind == VACCEL_EVENT)
		vaccel_event_abandon(to_event(obj));
	ret = vaccel_object_release(obj);
	if (ret == -ENODEV)
		vaccel_object_forget(obj);
	else if (READ_ONCE(obj->id))
		vaccel_reap_refused(obj, ret);
	vaccel_object_put(obj);
}

/* Take an object that is due off the list, or find when the first one will be. */
static struct vaccel_object *vaccel_reap_next(struct vaccel_device *dev, unsigned long *delay)
{
	bool lost = READ_ONCE(dev->vq.lost);
	struct vaccel_object *obj;

	*delay = MAX_JIFFY_OFFSET;
	spin_lock(&dev->reap_lock);
	list_for_each_entry(obj, &dev->reap_list, node) {
		if (lost || !obj->reap_tries || time_after_eq(jiffies, obj->reap_at)) {
			list_del_init(&obj->node);
			spin_unlock(&dev->reap_lock);
			return obj;
		}
		*delay = min(*delay, obj->reap_at - jiffies);
	}
	spin_unlock(&dev->reap_lock);
	return NULL;
}

static void vaccel_reap_work(struct work_struct *work)
{
	struct vaccel_device *dev = container_of(to_delayed_work(work), struct vaccel_device,
						 reap_work);
	struct vaccel_object *obj;
	unsigned long delay;

	while ((obj = vaccel_reap_next(dev, &delay))) {
		vaccel_reap(obj);
		spin_lock(&dev->reap_lock);
		dev->reap_handled++;
		spin_unlock(&dev->reap_lock);
		wake_up_all(&dev->reap_wait);
	}
	/* No effect if somebody has asked for an earlier run. */
	if (delay < MAX_JIFFY_OFFSET)
		queue_delayed_work(dev->reap_wq, &dev->reap_work, delay);
}

/**
 * vaccel_reap_queue() - hand over an object without references
 * @obj: object
 *
 * Context: any but hard interrupt.
 */
void vaccel_reap_queue(struct vaccel_object *obj)
{
	struct vaccel_device *dev = obj->dev;

	spin_lock(&dev->reap_lock);
	list_add_tail(&obj->node, &dev->reap_list);
	dev->reap_queued++;
	spin_unlock(&dev->reap_lock);
	vaccel_reap_kick(dev);
}

/**
 * vaccel_reap_kick() - look at all objects now
 * @dev: device
 *
 * Context: any.
 */
void vaccel_reap_kick(struct vaccel_device *dev)
{
	mod_delayed_work(dev->reap_wq, &dev->reap_work, 0);
}

static bool vaccel_reap_reached(struct vaccel_device *dev, u64 handled)
{
	bool reached;

	spin_lock(&dev->reap_lock);
	reached = dev->reap_handled >= handled;
	spin_unlock(&dev->reap_lock);
	return reached;
}

/* Wait for what is in the list now, but not for long. False if it is empty. */
static bool vaccel_reap_await(struct vaccel_device *dev)
{
	u64 queued;

	spin_lock(&dev->reap_lock);
	queued = dev->reap_queued;
	spin_unlock(&dev->reap_lock);
	if (vaccel_reap_reached(dev, queued))
		return false;
	return wait_event_killable_timeout(dev->reap_wait, vaccel_reap_reached(dev, queued),
					   VACCEL_REAP_PATIENCE) >= 0;
}

/**
 * vaccel_reap_create() - run a command that creates an object
 * @req: a new request
 *
 * What a caller has just given up takes up room on the device until the reaper has
 * been there. It is not for the caller to know that. Others can keep the reaper
 * busy for ever, which is no reason to wait for ever.
 *
 * Context: process context, may sleep.
 * Return: like vaccel_request_command().
 */
int vaccel_reap_create(struct vaccel_request *req)
{
	int ret = vaccel_request_command(req);

	if ((ret != -ENOSPC && ret != -ENOMEM) || req->state != VACCEL_REQUEST_DONE ||
	    !vaccel_reap_await(req->dev))
		return ret;
	vaccel_request_renew(req);
	return vaccel_request_command(req);
}

/* Once, before the first object. */
void vaccel_reap_init(struct vaccel_device *dev)
{
	spin_lock_init(&dev->reap_lock);
	INIT_LIST_HEAD(&dev->reap_list);
	init_waitqueue_head(&dev->reap_wait);
	INIT_DELAYED_WORK(&dev->reap_work, vaccel_reap_work);
}
