// SPDX-License-Identifier: GPL-2.0-only
/*
 * EVENT_WAIT: lets the poller ask sooner, and sleeps until it knows.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "vaccel_drv.h"

/*
 * struct vaccel_waiter - one event that somebody waits for
 */
struct vaccel_waiter {
	struct vaccel_event *event;	/* reference */
	struct vaccel_wait *wait;
	struct list_head node;		/* poller.lock; in vaccel_event.waiters */
	u64 answers;			/* that will be news: vaccel_event.answers */
};

struct vaccel_wait {
	struct vaccel_poller *poller;
	wait_queue_head_t wq;
	bool all;
	bool hurry;			/* poller.lock: any answer will do */
	unsigned int count;
	struct vaccel_waiter waiters[DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS];
};

/**
 * vaccel_wait_wake_locked() - wake who waits for an event
 * @event: event that has changed
 * @answer: the only change is that the device has answered: it is pending
 *
 * Context: any, with poller.lock held.
 */
void vaccel_wait_wake_locked(struct vaccel_event *event, bool answer)
{
	struct vaccel_waiter *waiter;

	list_for_each_entry(waiter, &event->waiters, node)
		if (!answer || waiter->wait->hurry)
			wake_up(&waiter->wait->wq);
}

/* 1 if the event has ended, 0 if it is pending, or why that cannot be known. */
static int vaccel_wait_event_locked(const struct vaccel_event *event)
{
	if (event->phase == VACCEL_EVENT_ENDED)
		return event->gone ?: 1;
	return vaccel_object_orphaned(&event->obj) ? -ENOENT : event->poll_error;
}

static int vaccel_wait_check_locked(const struct vaccel_wait *wait)
{
	unsigned int ended = 0;
	int error = 0;
	unsigned int i;

	for (i = 0; i < wait->count; i++) {
		int ret = vaccel_wait_event_locked(wait->waiters[i].event);

		if (ret > 0)
			ended++;
		else if (ret)
			error = ret;
	}
	if (ended >= (wait->all ? wait->count : 1))
		return 1;
	return error;
}

/* Whether the device has been asked about every event since the wait began; if not, ask. */
static bool vaccel_wait_answered_locked(const struct vaccel_wait *wait)
{
	bool answered = true;
	unsigned int i;

	for (i = 0; i < wait->count; i++) {
		const struct vaccel_waiter *waiter = &wait->waiters[i];

		if (waiter->event->phase != VACCEL_EVENT_PENDING ||
		    waiter->event->answers >= waiter->answers)
			continue;
		vaccel_poll_now_locked(waiter->event);
		answered = false;
	}
	return answered;
}

/* 1 if the wait is over, 0 if it is not, or a negative errno; -ETIME if an answer will do. */
static int vaccel_wait_check(struct vaccel_wait *wait)
{
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&wait->poller->lock, flags);
	ret = vaccel_wait_check_locked(wait);
	if (!ret && wait->hurry && vaccel_wait_answered_locked(wait))
		ret = -ETIME;
	spin_unlock_irqrestore(&wait->poller->lock, flags);
	return ret;
}

static void vaccel_wait_begin(struct vaccel_wait *wait)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&wait->poller->lock, flags);
	for (i = 0; i < wait->count; i++) {
		struct vaccel_waiter *waiter = &wait->waiters[i];
		struct vaccel_event *event = waiter->event;

		/* What the device was asked before is no news. */
		waiter->answers = event->answers + (event->asked ? 2 : 1);
		event->poll_error = 0;
		list_add_tail(&waiter->node, &event->waiters);
		vaccel_poll_watch_locked(event);
	}
	spin_unlock_irqrestore(&wait->poller->lock, flags);
}

static void vaccel_wait_end(struct vaccel_wait *wait)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&wait->poller->lock, flags);
	for (i = 0; i < wait->count; i++) {
		list_del(&wait->waiters[i].node);
		wait->waiters[i].event->watchers--;
	}
	spin_unlock_irqrestore(&wait->poller->lock, flags);
}

static void vaccel_wait_hurry(struct vaccel_wait *wait)
{
	unsigned long flags;

	spin_lock_irqsave(&wait->poller->lock, flags);
	wait->hurry = true;
	spin_unlock_irqrestore(&wait->poller->lock, flags);
}

/*
 * When the deadline has passed, be it before the call, the first answer is awaited
 * however long it takes: the watchdog of the virtqueue bounds that.
 */
static int vaccel_wait_run(struct vaccel_wait *wait, ktime_t deadline)
{
	ktime_t left = ktime_sub(deadline, ktime_get());
	int check = 0;
	int ret = -ETIME;

	if (deadline > 0 && left > 0)
		ret = wait_event_interruptible_hrtimeout(wait->wq,
							 (check = vaccel_wait_check(wait)), left);
	if (ret == -ETIME) {
		vaccel_wait_hurry(wait);
		/* Not interruptible, or signals in a row could start it over for ever. */
		ret = wait_event_killable(wait->wq, (check = vaccel_wait_check(wait)));
	}
	return ret ?: min(check, 0);
}

static int vaccel_wait_lookup(struct vaccel_wait *wait, struct vaccel_file *file,
			      const struct drm_virtio_accel_event *events, unsigned int count)
{
	for (; wait->count < count; wait->count++) {
		const struct drm_virtio_accel_event *event = &events[wait->count];
		struct vaccel_object *obj;

		if (event->pad)
			return -EINVAL;
		obj = vaccel_handle_lookup(file, event->handle, VACCEL_EVENT);
		if (!obj)
			return -ENOENT;
		wait->waiters[wait->count].event = to_event(obj);
		wait->waiters[wait->count].wait = wait;
	}
	return 0;
}

static void vaccel_wait_report(const struct vaccel_wait *wait,
			       struct drm_virtio_accel_event *events)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&wait->poller->lock, flags);
	for (i = 0; i < wait->count; i++) {
		const struct vaccel_event *event = wait->waiters[i].event;
		bool ended = event->phase == VACCEL_EVENT_ENDED;

		events[i].state = ended ? event->state : VIRTIO_ACCEL_EVENT_PENDING;
		events[i].status = ended ? event->status : VIRTIO_ACCEL_S_OK;
	}
	spin_unlock_irqrestore(&wait->poller->lock, flags);
}

VACCEL_IOCTL(event_wait)
{
	struct drm_virtio_accel_event_wait *args = data;
	void __user *user = u64_to_user_ptr(args->events);
	struct drm_virtio_accel_event *events;
	struct vaccel_wait *wait;
	int ret = -ENOMEM;

	if (args->flags & ~DRM_VIRTIO_ACCEL_WAIT_ALL || !args->count ||
	    args->count > DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS)
		return -EINVAL;

	events = memdup_array_user(user, args->count, sizeof(*events));
	if (IS_ERR(events))
		return PTR_ERR(events);
	wait = kzalloc_obj(*wait, GFP_KERNEL_ACCOUNT);
	if (!wait)
		goto out_events;
	wait->poller = &to_vaccel(drm)->poller;
	wait->all = args->flags & DRM_VIRTIO_ACCEL_WAIT_ALL;
	init_waitqueue_head(&wait->wq);

	ret = vaccel_wait_lookup(wait, filp->driver_priv, events, args->count);
	if (!ret) {
		vaccel_wait_begin(wait);
		ret = vaccel_wait_run(wait, ns_to_ktime(args->deadline_ns));
		vaccel_wait_end(wait);
	}
	if (!ret || ret == -ETIME) {
		vaccel_wait_report(wait, events);
		if (copy_to_user(user, events, args->count * sizeof(*events)))
			ret = -EFAULT;
	}
	while (wait->count)
		vaccel_object_put(&wait->waiters[--wait->count].event->obj);
	kfree(wait);
out_events:
	kfree(events);
	return ret;
}
