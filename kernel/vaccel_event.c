// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: their state on the device, cancellation and destruction.
 *
 * The state is latched here when POLL_EVENT returns. A terminal event still holds
 * its queue, program and buffers until DESTROY_EVENT has succeeded.
 */
#include <linux/slab.h>

#include "vaccel_drv.h"

static_assert(DRM_VIRTIO_ACCEL_EVENT_PENDING == VIRTIO_ACCEL_EVENT_PENDING);
static_assert(DRM_VIRTIO_ACCEL_EVENT_COMPLETE == VIRTIO_ACCEL_EVENT_COMPLETE);
static_assert(DRM_VIRTIO_ACCEL_EVENT_FAILED == VIRTIO_ACCEL_EVENT_FAILED);
static_assert(DRM_VIRTIO_ACCEL_EVENT_CANCELLED == VIRTIO_ACCEL_EVENT_CANCELLED);

/**
 * vaccel_event_new() - make an event that is pending
 * @ctx: context of the execution queue
 * @nheld: room for that many references in @held
 *
 * Context: process context, may sleep.
 * Return: an event with one reference, or NULL.
 */
struct vaccel_event *vaccel_event_new(struct vaccel_context *ctx, unsigned int nheld)
{
	struct vaccel_event *event = kzalloc_obj(*event, GFP_KERNEL_ACCOUNT);

	if (!event)
		return NULL;
	event->held = kvzalloc_objs(*event->held, nheld, GFP_KERNEL_ACCOUNT);
	if (!event->held) {
		kfree(event);
		return NULL;
	}
	vaccel_object_init(&event->obj, ctx->obj.dev, VACCEL_EVENT, ctx);
	mutex_init(&event->release);
	spin_lock_init(&event->lock);
	event->state = VIRTIO_ACCEL_EVENT_PENDING;
	return event;
}

/**
 * vaccel_event_drop() - let go of what the event held
 * @event: event that the device does not have any more
 *
 * Context: process context, may sleep; one caller at a time.
 */
void vaccel_event_drop(struct vaccel_event *event)
{
	while (event->nheld)
		vaccel_object_put(event->held[--event->nheld]);
	kvfree(event->held);
	event->held = NULL;
}

static struct vaccel_event *vaccel_event_lookup(struct drm_file *filp, u32 handle)
{
	struct vaccel_object *obj = vaccel_handle_lookup(filp->driver_priv, handle, VACCEL_EVENT);

	return obj ? to_event(obj) : NULL;
}

static bool vaccel_event_ended(struct vaccel_event *event)
{
	bool ended;

	spin_lock(&event->lock);
	ended = event->state != VIRTIO_ACCEL_EVENT_PENDING;
	spin_unlock(&event->lock);
	return ended;
}

static void vaccel_event_poll_end(struct vaccel_event *event, int error)
{
	spin_lock(&event->lock);
	WRITE_ONCE(event->polling, false);
	event->poll_error = error;
	spin_unlock(&event->lock);
	wake_up_all(&event->obj.dev->event_wait);
}

static void vaccel_event_polled(struct vaccel_request *req, int error)
{
	struct vaccel_event *event = to_event(req->object);

	if (!error)
		error = vaccel_status_errno(req->reply.status);
	if (!error) {
		spin_lock(&event->lock);
		event->state = req->reply.state;
		event->error = req->reply.error;
		spin_unlock(&event->lock);
	}
	vaccel_event_poll_end(event, error);
}

/* Whether the caller is the one to poll. */
static bool vaccel_event_poll_begin(struct vaccel_event *event)
{
	bool mine;

	spin_lock(&event->lock);
	mine = event->state == VIRTIO_ACCEL_EVENT_PENDING && !event->polling;
	if (mine) {
		WRITE_ONCE(event->polling, true);
		event->poll_error = 0;
	}
	spin_unlock(&event->lock);
	return mine;
}

/**
 * vaccel_event_poll() - ask for the state of a pending event
 * @event: event
 *
 * Does not wait for the answer: it is latched in the event, and event_wait is
 * woken. No effect while an answer is outstanding.
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno; -ERESTARTSYS after a signal.
 */
int vaccel_event_poll(struct vaccel_event *event)
{
	struct vaccel_request *req;
	int ret;

	if (!vaccel_event_poll_begin(event))
		return 0;
	req = vaccel_request_for(&event->obj, VIRTIO_ACCEL_OP_POLL_EVENT,
				 sizeof(struct virtio_accel_event_state));
	if (IS_ERR(req)) {
		ret = PTR_ERR(req);
	} else {
		req->done = vaccel_event_polled;
		ret = vaccel_vq_post(req);
		vaccel_request_put(req);
	}
	if (ret)
		vaccel_event_poll_end(event, 0);
	return ret;
}

static int vaccel_event_cancel(struct vaccel_event *event)
{
	struct vaccel_request *req;
	int ret;

	if (vaccel_event_ended(event))
		return -EBUSY;
	req = vaccel_request_for(&event->obj, VIRTIO_ACCEL_OP_CANCEL_EVENT, 0);
	if (IS_ERR(req))
		return PTR_ERR(req);
	ret = vaccel_request_command(req);
	vaccel_request_put(req);
	return ret;
}

/**
 * vaccel_event_abandon() - cancel an event that nobody can see any more
 * @event: event without references
 *
 * Unless it was detached to end by itself, and its context lives.
 *
 * Context: the reaper.
 */
void vaccel_event_abandon(struct vaccel_event *event)
{
	struct vaccel_device *dev = event->obj.dev;

	if (!(dev->info.capabilities & VIRTIO_ACCEL_CAP_EVENT_CANCELLATION) || event->cancelled ||
	    (event->detached && !vaccel_object_orphaned(&event->obj)))
		return;
	/* It can have ended or end anyway: DESTROY_EVENT will tell. */
	event->cancelled = true;
	vaccel_event_cancel(event);
}

VACCEL_IOCTL(event_cancel)
{
	struct drm_virtio_accel_event_cancel *args = data;
	struct vaccel_event *event;
	int ret;

	if (args->pad)
		return -EINVAL;
	event = vaccel_event_lookup(filp, args->handle);
	if (!event)
		return -ENOENT;
	if (to_vaccel(drm)->info.capabilities & VIRTIO_ACCEL_CAP_EVENT_CANCELLATION)
		ret = vaccel_event_cancel(event);
	else
		ret = -EOPNOTSUPP;
	vaccel_object_put(&event->obj);
	return ret;
}

/* Destroy the event on the device at once, so that its buffers are free on return. */
static int vaccel_event_destroy(struct vaccel_event *event)
{
	int ret = 0;

	if (mutex_lock_interruptible(&event->release))
		return -ERESTARTSYS;
	if (event->obj.id)
		ret = vaccel_object_release(&event->obj);
	mutex_unlock(&event->release);
	return ret;
}

VACCEL_IOCTL(event_destroy)
{
	struct drm_virtio_accel_event_destroy *args = data;
	struct vaccel_event *event;
	int ret = 0;

	if (args->flags & ~DRM_VIRTIO_ACCEL_DESTROY_DETACH)
		return -EINVAL;
	event = vaccel_event_lookup(filp, args->handle);
	if (!event)
		return -ENOENT;
	if (args->flags & DRM_VIRTIO_ACCEL_DESTROY_DETACH)
		WRITE_ONCE(event->detached, true);
	else
		ret = vaccel_event_destroy(event);
	if (!ret && !vaccel_handle_drop(filp->driver_priv, args->handle, &event->obj))
		ret = -ENOENT;
	vaccel_object_put(&event->obj);
	return ret;
}
