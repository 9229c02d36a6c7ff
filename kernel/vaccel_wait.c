// SPDX-License-Identifier: GPL-2.0-only
/*
 * EVENT_WAIT.
 *
 * The device tells nothing by itself: whoever waits asks, again and again, and
 * more rarely the longer it takes.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "vaccel_drv.h"

#define VACCEL_PAUSE_MIN	(50 * NSEC_PER_USEC)
#define VACCEL_PAUSE_MAX	(4 * NSEC_PER_MSEC)
/* A pause is this part of the time waited so far, and so is what it adds to it. */
#define VACCEL_PAUSE_PART	8

struct vaccel_wait {
	struct vaccel_device *dev;
	unsigned int count;
	bool all;
	struct vaccel_event *events[DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS];
};

/* 1 if the event has ended, 0 if it is pending, or why that cannot be known. */
static int vaccel_wait_event(struct vaccel_event *event)
{
	int ret;

	spin_lock(&event->lock);
	if (event->state != VIRTIO_ACCEL_EVENT_PENDING)
		ret = 1;
	else if (!READ_ONCE(event->obj.id) || vaccel_object_orphaned(&event->obj))
		ret = -ENOENT;
	else
		ret = event->poll_error;
	spin_unlock(&event->lock);
	return ret;
}

/* 1 if the wait is over, 0 if it is not, or a negative errno. */
static int vaccel_wait_check(const struct vaccel_wait *wait)
{
	unsigned int ended = 0;
	int error = 0;
	unsigned int i;

	for (i = 0; i < wait->count; i++) {
		int ret = vaccel_wait_event(wait->events[i]);

		if (ret > 0)
			ended++;
		else if (ret)
			error = ret;
	}
	if (ended >= (wait->all ? wait->count : 1))
		return 1;
	if (error)
		return error;
	return READ_ONCE(wait->dev->vq.lost) ? -ENODEV : 0;
}

/* Whether no answer is outstanding. */
static bool vaccel_wait_answered(const struct vaccel_wait *wait)
{
	unsigned int i;

	for (i = 0; i < wait->count; i++)
		if (READ_ONCE(wait->events[i]->polling))
			return false;
	return true;
}

static int vaccel_wait_poll(const struct vaccel_wait *wait)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < wait->count; i++)
		ret = vaccel_event_poll(wait->events[i]);
	return ret;
}

static s64 vaccel_wait_pause(ktime_t start, ktime_t now)
{
	return clamp(ktime_to_ns(ktime_sub(now, start)) / VACCEL_PAUSE_PART,
		     (s64)VACCEL_PAUSE_MIN, (s64)VACCEL_PAUSE_MAX);
}

/*
 * A deadline that has passed already means to poll once: then the first answer is
 * awaited however long it takes.
 */
static int vaccel_wait_run(const struct vaccel_wait *wait, ktime_t deadline)
{
	wait_queue_head_t *wq = &wait->dev->event_wait;
	ktime_t start = ktime_get();
	ktime_t now = start;
	ktime_t left;
	int ret;

	if (vaccel_wait_check(wait) > 0)
		return 0;
	for (;;) {
		ret = vaccel_wait_poll(wait);
		if (ret)
			return ret;
		left = deadline > now ? ktime_sub(deadline, now) : KTIME_MAX;
		ret = wait_event_interruptible_hrtimeout(*wq,
							 vaccel_wait_answered(wait) ||
							 vaccel_wait_check(wait), left);
		if (ret == -ERESTARTSYS)
			return ret;

		now = ktime_get();
		ret = vaccel_wait_check(wait);
		if (ret)
			return min(ret, 0);
		if (now >= deadline)
			return -ETIME;
		left = min(vaccel_wait_pause(start, now), ktime_sub(deadline, now));
		ret = wait_event_interruptible_hrtimeout(*wq, vaccel_wait_check(wait), left);
		if (ret == -ERESTARTSYS)
			return ret;
		now = ktime_get();
	}
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
		wait->events[wait->count] = to_event(obj);
	}
	return 0;
}

static void vaccel_wait_report(const struct vaccel_wait *wait,
			       struct drm_virtio_accel_event *events)
{
	unsigned int i;

	for (i = 0; i < wait->count; i++) {
		struct vaccel_event *event = wait->events[i];

		spin_lock(&event->lock);
		events[i].state = event->state;
		events[i].status = event->error;
		spin_unlock(&event->lock);
	}
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
	wait = kzalloc_obj(*wait);
	if (!wait)
		goto out_events;
	wait->dev = to_vaccel(drm);
	wait->all = args->flags & DRM_VIRTIO_ACCEL_WAIT_ALL;

	ret = vaccel_wait_lookup(wait, filp->driver_priv, events, args->count);
	if (!ret)
		ret = vaccel_wait_run(wait, ns_to_ktime(args->deadline_ns));
	if (!ret || ret == -ETIME) {
		vaccel_wait_report(wait, events);
		if (copy_to_user(user, events, args->count * sizeof(*events)))
			ret = -EFAULT;
	}
	while (wait->count)
		vaccel_object_put(&wait->events[--wait->count]->obj);
	kfree(wait);
out_events:
	kfree(events);
	return ret;
}
