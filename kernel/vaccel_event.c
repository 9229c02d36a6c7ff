// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: from the acceptance of a submission to its end.
 *
 * The driver destroys an event on the device as soon as it is terminal, and only
 * then tells of it: by then its buffers are free. The handle keeps nothing but
 * the result.
 */
#include <linux/slab.h>

#include "vaccel_drv.h"

static_assert(DRM_VIRTIO_ACCEL_EVENT_PENDING == VIRTIO_ACCEL_EVENT_PENDING);
static_assert(DRM_VIRTIO_ACCEL_EVENT_COMPLETE == VIRTIO_ACCEL_EVENT_COMPLETE);
static_assert(DRM_VIRTIO_ACCEL_EVENT_FAILED == VIRTIO_ACCEL_EVENT_FAILED);
static_assert(DRM_VIRTIO_ACCEL_EVENT_CANCELLED == VIRTIO_ACCEL_EVENT_CANCELLED);

/**
 * vaccel_event_new() - make an event that is not submitted yet
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
	RB_CLEAR_NODE(&event->due_node);
	INIT_LIST_HEAD(&event->node);
	INIT_LIST_HEAD(&event->waiters);
	return event;
}

/**
 * vaccel_event_prepare() - allocate what it will take to end the event
 * @event: new event
 *
 * The requests hold references, so vaccel_event_discard() or the end of the event
 * must follow, also after an error.
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_event_prepare(struct vaccel_event *event)
{
	struct vaccel_request *req;

	req = vaccel_request_for(&event->obj, VIRTIO_ACCEL_OP_POLL_EVENT,
				 sizeof(struct virtio_accel_event_state));
	if (IS_ERR(req))
		return PTR_ERR(req);
	req->returned = vaccel_ask_returned;
	event->request = req;

	req = vaccel_request_for(&event->obj, VIRTIO_ACCEL_OP_CANCEL_EVENT, 0);
	if (IS_ERR(req))
		return PTR_ERR(req);
	req->returned = vaccel_ask_cancelled;
	event->cancel = req;
	return 0;
}

/**
 * vaccel_event_drop() - let go of what the event held
 * @event: event that the device does not have any more
 *
 * Context: process context; one caller at a time.
 */
void vaccel_event_drop(struct vaccel_event *event)
{
	while (event->nheld)
		vaccel_object_put(event->held[--event->nheld]);
	kvfree(event->held);
	event->held = NULL;
}

/* What the end of an event leaves to be done without the lock. */
struct vaccel_event_rest {
	struct vaccel_request *request;
	struct vaccel_request *cancel;
	struct vaccel_fence *fence;
	struct vaccel_notice *notice;
	bool tracked;
	bool accepted;
	bool waiting;			/* for in-syncs */
};

/* Make it the end, unless it was before. */
static bool vaccel_event_finish(struct vaccel_event *event, u16 state, u16 status, int gone,
				struct vaccel_event_rest *rest)
{
	struct vaccel_poller *poller = &event->obj.dev->poller;
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&poller->lock, flags);
	first = event->phase != VACCEL_EVENT_ENDED;
	if (first) {
		vaccel_poll_end_locked(event);
		*rest = (struct vaccel_event_rest) {
			.request = event->request,
			.cancel = event->cancel,
			.fence = event->fence,
			.notice = event->notice,
			.tracked = !list_empty(&event->node),
			.accepted = event->phase >= VACCEL_EVENT_PENDING,
			.waiting = event->phase == VACCEL_EVENT_NEW,
		};
		event->request = NULL;
		event->cancel = NULL;
		event->fence = NULL;
		event->notice = NULL;
		list_del_init(&event->node);
		event->phase = VACCEL_EVENT_ENDED;
		event->state = state;
		event->status = status;
		event->gone = gone;
		if (rest->fence)
			vaccel_fence_end_locked(rest->fence);
	}
	spin_unlock_irqrestore(&poller->lock, flags);
	return first;
}

/* Also wakes: last, so that whoever EVENT_WAIT tells of the end finds it everywhere. */
static void vaccel_event_put_rest(struct vaccel_event *event,
				  const struct vaccel_event_rest *rest)
{
	struct vaccel_poller *poller = &event->obj.dev->poller;
	unsigned long flags;

	spin_lock_irqsave(&poller->lock, flags);
	vaccel_wait_wake_locked(event, false);
	spin_unlock_irqrestore(&poller->lock, flags);
	if (rest->waiting)
		vaccel_deps_forget(event);
	if (rest->accepted && !READ_ONCE(event->obj.id))
		vaccel_event_drop(event);
	if (rest->request)
		vaccel_request_put(rest->request);
	if (rest->cancel)
		vaccel_request_put(rest->cancel);
	if (rest->tracked)
		vaccel_object_put(&event->obj);
}

/* The error of a fence. */
static int vaccel_event_errno(u16 state, u16 status)
{
	switch (state) {
	case VIRTIO_ACCEL_EVENT_COMPLETE:
		return 0;
	case VIRTIO_ACCEL_EVENT_CANCELLED:
		return -ECANCELED;
	}
	switch (status) {
	case VIRTIO_ACCEL_S_DEADLINE_EXPIRED:
		return -ETIME;
	case VIRTIO_ACCEL_S_DEVICE_LOST:
		return -ENODEV;
	default:
		return -EIO;
	}
}

/**
 * vaccel_event_end() - end an event and tell everybody
 * @event: event; no effect if it has ended
 * @state: VIRTIO_ACCEL_EVENT_*
 * @status: VIRTIO_ACCEL_S_*, why it FAILED
 * @gone: negative errno of EVENT_WAIT if @state is not the device's word, else 0
 *
 * Context: process context; the caller has a reference. Allocates nothing.
 */
void vaccel_event_end(struct vaccel_event *event, u16 state, u16 status, int gone)
{
	struct vaccel_event_rest rest;

	if (!vaccel_event_finish(event, state, status, gone, &rest))
		return;
	if (rest.fence)
		vaccel_fence_signal(rest.fence, vaccel_event_errno(state, status));
	if (rest.notice)
		vaccel_notice_send(event->obj.dev, rest.notice, state, status);
	vaccel_event_put_rest(event, &rest);
}

/**
 * vaccel_event_discard() - end an event that was never submitted, and tell nobody
 * @event: event
 *
 * Context: process context; the caller has a reference.
 */
void vaccel_event_discard(struct vaccel_event *event)
{
	struct vaccel_event_rest rest;

	if (!vaccel_event_finish(event, VIRTIO_ACCEL_EVENT_CANCELLED, 0, -ENOENT, &rest))
		return;
	if (rest.notice)
		vaccel_notice_cancel(event->obj.dev, rest.notice);
	if (rest.fence)
		vaccel_fence_signal(rest.fence, -ECANCELED);
	vaccel_event_put_rest(event, &rest);
}

/**
 * vaccel_event_track() - let the poller know of an event
 * @event: event
 *
 * Context: process context; the caller has a reference, the poller gets one.
 */
void vaccel_event_track(struct vaccel_event *event)
{
	struct vaccel_device *dev = event->obj.dev;
	unsigned long flags;

	spin_lock_irqsave(&dev->poller.lock, flags);
	if (event->phase != VACCEL_EVENT_ENDED && list_empty(&event->node)) {
		vaccel_object_get(&event->obj);
		list_add_tail(&event->node, &dev->poller.events);
	}
	spin_unlock_irqrestore(&dev->poller.lock, flags);
	/* Losing the device ends what is in the list by then. */
	if (vaccel_vq_over(&dev->vq, event->obj.epoch))
		vaccel_poll_lose(dev, event->obj.epoch);
}

enum vaccel_phase vaccel_event_phase(struct vaccel_event *event)
{
	struct vaccel_poller *poller = &event->obj.dev->poller;
	enum vaccel_phase phase;
	unsigned long flags;

	spin_lock_irqsave(&poller->lock, flags);
	phase = event->phase;
	spin_unlock_irqrestore(&poller->lock, flags);
	return phase;
}

/* Mark the event as about to be submitted. False if it was cancelled before. */
bool vaccel_event_begin(struct vaccel_event *event)
{
	struct vaccel_poller *poller = &event->obj.dev->poller;
	unsigned long flags;
	bool begun;

	spin_lock_irqsave(&poller->lock, flags);
	begun = event->phase == VACCEL_EVENT_NEW;
	if (begun)
		event->phase = VACCEL_EVENT_SUBMITTED;
	spin_unlock_irqrestore(&poller->lock, flags);
	return begun;
}

/* The device has accepted the work, or cannot say that it has not. */
static void vaccel_event_accept(struct vaccel_event *event)
{
	struct vaccel_poller *poller = &event->obj.dev->poller;
	unsigned long flags;

	spin_lock_irqsave(&poller->lock, flags);
	if (event->phase < VACCEL_EVENT_PENDING)
		vaccel_poll_begin_locked(event);
	spin_unlock_irqrestore(&poller->lock, flags);
	vaccel_event_track(event);
}

/* SUBMIT has been answered: the hook of its request. */
void vaccel_event_submitted(struct vaccel_request *req, int error)
{
	struct vaccel_event *event = to_event(req->object);

	if (READ_ONCE(event->obj.id))
		vaccel_event_accept(event);
	else if (event->ndeps && !error)
		/* The caller is gone; others are told by the ioctl. */
		vaccel_event_end(event, VIRTIO_ACCEL_EVENT_FAILED, req->reply.status, 0);
}

/* Whether the device can cancel work at all. */
bool vaccel_event_cancellable(const struct vaccel_event *event)
{
	return event->obj.dev->info.capabilities & VIRTIO_ACCEL_CAP_EVENT_CANCELLATION;
}

/**
 * vaccel_event_cancel() - ask the device to cancel an event
 * @event: event
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno; -EBUSY if it has ended.
 */
static int vaccel_event_cancel(struct vaccel_event *event)
{
	struct vaccel_request *req = vaccel_request_for(&event->obj, VIRTIO_ACCEL_OP_CANCEL_EVENT,
							0);
	int ret;

	if (IS_ERR(req))
		return PTR_ERR(req);
	ret = vaccel_request_command(req);
	vaccel_request_put(req);
	return ret;
}

/**
 * vaccel_event_abandon() - cancel an event that was given up but is still running
 * @event: event without references
 *
 * Context: the reaper.
 */
void vaccel_event_abandon(struct vaccel_event *event)
{
	/* It can have ended or end anyway: DESTROY_EVENT will tell. */
	if (vaccel_event_cancellable(event))
		vaccel_event_cancel(event);
}

static struct vaccel_event *vaccel_event_lookup(struct drm_file *filp, u32 handle)
{
	struct vaccel_object *obj = vaccel_handle_lookup(filp->driver_priv, handle, VACCEL_EVENT);

	return obj ? to_event(obj) : NULL;
}

/* Let the poller cancel it once the device has accepted it. */
static enum vaccel_phase vaccel_event_doom(struct vaccel_event *event)
{
	struct vaccel_poller *poller = &event->obj.dev->poller;
	enum vaccel_phase phase;
	unsigned long flags;

	spin_lock_irqsave(&poller->lock, flags);
	phase = event->phase;
	event->doomed = phase == VACCEL_EVENT_SUBMITTED;
	spin_unlock_irqrestore(&poller->lock, flags);
	return phase;
}

static int vaccel_event_cancel_now(struct vaccel_event *event)
{
	int ret;

	switch (vaccel_event_doom(event)) {
	case VACCEL_EVENT_NEW:
		vaccel_event_end(event, VIRTIO_ACCEL_EVENT_CANCELLED, 0, 0);
		return 0;
	case VACCEL_EVENT_SUBMITTED:
		return 0;
	case VACCEL_EVENT_PENDING:
		ret = vaccel_event_cancel(event);
		/* The poller may have destroyed it meanwhile; losing the device ends it, too. */
		if (ret && ret != -ENODEV && !READ_ONCE(event->obj.dev->vq.lost) &&
		    vaccel_event_phase(event) > VACCEL_EVENT_PENDING)
			ret = -EBUSY;
		return ret;
	default:
		return -EBUSY;
	}
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
	if (vaccel_event_cancellable(event))
		ret = vaccel_event_cancel_now(event);
	else
		ret = -EOPNOTSUPP;
	vaccel_object_put(&event->obj);
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
	if (!(args->flags & DRM_VIRTIO_ACCEL_DESTROY_DETACH) &&
	    vaccel_event_phase(event) != VACCEL_EVENT_ENDED)
		ret = -EBUSY;
	else if (!vaccel_handle_drop(filp->driver_priv, args->handle, &event->obj))
		ret = -ENOENT;
	vaccel_object_put(&event->obj);
	return ret;
}
