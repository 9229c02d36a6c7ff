// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fence of an event.
 *
 * It signals in finite time: SUBMIT makes one only for work with a time limit,
 * the poller ends work that exceeds it, and the watchdog of the virtqueue gives
 * up a device that does not answer, which ends everything.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "vaccel_drv.h"

static unsigned int max_fence_timeout = 10;
module_param(max_fence_timeout, uint, 0444);
MODULE_PARM_DESC(max_fence_timeout, "Seconds that work with an out-sync may take, at most");

#define VACCEL_MAX_FENCE_TIMEOUT	(60 * 60)

/* In nanoseconds; constant. */
u64 vaccel_fence_max_timeout(void)
{
	return min(max_fence_timeout, VACCEL_MAX_FENCE_TIMEOUT) * (u64)NSEC_PER_SEC;
}

/*
 * struct vaccel_fence - a fence that can outlive its event and the device
 *
 * Others can keep it for ever, and call what is in this module: it keeps the
 * module loaded.
 */
struct vaccel_fence {
	struct dma_fence base;
	spinlock_t lock;		/* of @base */
	struct vaccel_event *event;	/* poller.lock; NULL from the end on */
	struct vaccel_poller *poller;	/* valid until @base has signalled */
};

static struct vaccel_fence *to_fence(struct dma_fence *base)
{
	return container_of(base, struct vaccel_fence, base);
}

static const char *vaccel_fence_driver_name(struct dma_fence *base)
{
	return "virtio_accel";
}

static const char *vaccel_fence_timeline_name(struct dma_fence *base)
{
	return "submission";
}

/* Context: any, with the fence's lock held. */
static bool vaccel_fence_enable_signaling(struct dma_fence *base)
{
	struct vaccel_fence *fence = to_fence(base);
	unsigned long flags;

	spin_lock_irqsave(&fence->poller->lock, flags);
	if (fence->event)
		vaccel_poll_watch_locked(fence->event);
	spin_unlock_irqrestore(&fence->poller->lock, flags);
	return true;
}

static void vaccel_fence_release(struct dma_fence *base)
{
	dma_fence_free(base);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops vaccel_fence_ops = {
	.get_driver_name = vaccel_fence_driver_name,
	.get_timeline_name = vaccel_fence_timeline_name,
	.enable_signaling = vaccel_fence_enable_signaling,
	.release = vaccel_fence_release,
};

/**
 * vaccel_fence_new() - make the fence of an event
 * @event: new event with a time limit; the caller gives the fence to it
 *
 * Execution queues promise no order, so each fence is a timeline of its own.
 *
 * Context: process context, may sleep.
 * Return: a fence with one reference, or NULL.
 */
struct vaccel_fence *vaccel_fence_new(struct vaccel_event *event)
{
	struct vaccel_fence *fence = kzalloc_obj(*fence, GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	/* The caller runs in the module. */
	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	fence->event = event;
	fence->poller = &event->obj.dev->poller;
	dma_fence_init(&fence->base, &vaccel_fence_ops, &fence->lock,
		       dma_fence_context_alloc(1), 1);
	return fence;
}

struct dma_fence *vaccel_fence_base(struct vaccel_fence *fence)
{
	return &fence->base;
}

/**
 * vaccel_fence_end_locked() - part the fence from its event
 * @fence: fence
 *
 * Context: any, with poller.lock held; vaccel_fence_signal() must follow.
 */
void vaccel_fence_end_locked(struct vaccel_fence *fence)
{
	fence->event = NULL;
}

/**
 * vaccel_fence_signal() - signal the fence and drop the event's reference
 * @fence: fence, parted from its event
 * @error: 0 or a negative errno
 *
 * Context: process context, with no lock of the driver held that a callback of
 * the fence could take.
 */
void vaccel_fence_signal(struct vaccel_fence *fence, int error)
{
	if (error)
		dma_fence_set_error(&fence->base, error);
	dma_fence_signal(&fence->base);
	dma_fence_put(&fence->base);
}
