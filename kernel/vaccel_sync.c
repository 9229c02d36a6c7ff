// SPDX-License-Identifier: GPL-2.0-only
/*
 * In-syncs and out-syncs of a submission.
 *
 * An event with in-syncs waits for their fences before its SUBMIT is posted. The
 * last fence to signal, or whoever ends the event before, queues the work that
 * does the rest: it runs once, whatever happens.
 */
#include <linux/dma-fence-chain.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>

#include "vaccel_drv.h"

static_assert(sizeof(struct drm_virtio_accel_sync) == 16);

struct vaccel_out {
	struct drm_syncobj *syncobj;	/* reference */
	struct dma_fence_chain *chain;	/* for a point of a timeline */
	u64 point;
};

struct vaccel_dep {
	struct dma_fence_cb cb;
	struct dma_fence *fence;	/* reference */
	struct vaccel_event *event;
};

static int vaccel_sync_copy(struct drm_virtio_accel_sync *sync, u64 array, u32 index, u32 stride)
{
	u64 at = array + (u64)index * stride;
	int ret;

	ret = copy_struct_from_user(sync, sizeof(*sync), u64_to_user_ptr(at), stride);
	if (ret == -E2BIG || (!ret && sync->flags))
		return -EINVAL;
	return ret;
}

static int vaccel_out_take(struct vaccel_out *out, struct drm_file *filp,
			   const struct drm_virtio_accel_sync *sync)
{
	out->point = sync->point;
	out->syncobj = drm_syncobj_find(filp, sync->handle);
	if (!out->syncobj)
		return -ENOENT;
	if (!sync->point)
		return 0;
	out->chain = dma_fence_chain_alloc();
	return out->chain ? 0 : -ENOMEM;
}

/**
 * vaccel_outs_prepare() - look up the out-syncs, so that publishing cannot fail
 * @outs: zero; vaccel_outs_fini() must follow, also after an error
 * @filp: open file
 * @args: checked arguments of SUBMIT
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_outs_prepare(struct vaccel_outs *outs, struct drm_file *filp,
			const struct drm_virtio_accel_submit *args)
{
	int ret = 0;
	u32 i;

	if (!args->out_sync_count)
		return 0;
	outs->outs = kzalloc_objs(*outs->outs, args->out_sync_count, GFP_KERNEL_ACCOUNT);
	if (!outs->outs)
		return -ENOMEM;
	outs->count = args->out_sync_count;
	for (i = 0; !ret && i < outs->count; i++) {
		struct drm_virtio_accel_sync sync;

		ret = vaccel_sync_copy(&sync, args->out_syncs, i, args->sync_stride);
		if (!ret)
			ret = vaccel_out_take(&outs->outs[i], filp, &sync);
	}
	return ret;
}

/**
 * vaccel_outs_publish() - put the fence of the submission in its places
 * @outs: prepared
 * @fence: fence that is certain to signal
 *
 * Context: process context.
 */
void vaccel_outs_publish(struct vaccel_outs *outs, struct dma_fence *fence)
{
	unsigned int i;

	for (i = 0; i < outs->count; i++) {
		struct vaccel_out *out = &outs->outs[i];

		if (out->chain)
			drm_syncobj_add_point(out->syncobj, out->chain, fence, out->point);
		else
			drm_syncobj_replace_fence(out->syncobj, fence);
		out->chain = NULL;
	}
}

void vaccel_outs_fini(struct vaccel_outs *outs)
{
	unsigned int i;

	for (i = 0; i < outs->count; i++) {
		dma_fence_chain_free(outs->outs[i].chain);
		if (outs->outs[i].syncobj)
			drm_syncobj_put(outs->outs[i].syncobj);
	}
	kfree(outs->outs);
}

/* Why the submission must not run: what it waited for has failed. */
static int vaccel_deps_error(const struct vaccel_event *event)
{
	unsigned int i;

	for (i = 0; i < event->ndeps; i++) {
		int status = dma_fence_get_status(dma_fence_chain_contained(event->deps[i].fence));

		if (status < 0)
			return status;
	}
	return 0;
}

static void vaccel_deps_submit(struct vaccel_event *event)
{
	if (READ_ONCE(event->obj.dev->vq.lost)) {
		vaccel_event_end(event, VIRTIO_ACCEL_EVENT_FAILED, VIRTIO_ACCEL_S_DEVICE_LOST,
				 -ENODEV);
	} else if (vaccel_deps_error(event)) {
		vaccel_event_end(event, VIRTIO_ACCEL_EVENT_CANCELLED, 0, 0);
	} else if (vaccel_event_begin(event)) {
		int ret = vaccel_vq_post(event->submit);

		if (ret == -ENODEV)
			vaccel_event_end(event, VIRTIO_ACCEL_EVENT_FAILED,
					 VIRTIO_ACCEL_S_DEVICE_LOST, ret);
		else if (ret)
			vaccel_event_end(event, VIRTIO_ACCEL_EVENT_FAILED,
					 VIRTIO_ACCEL_S_OUT_OF_MEMORY, 0);
	}
}

static void vaccel_deps_work(struct work_struct *work)
{
	struct vaccel_event *event = container_of(work, struct vaccel_event, ready);

	vaccel_deps_submit(event);
	vaccel_request_put(event->submit);
	vaccel_object_put(&event->obj);
}

static void vaccel_deps_drop(struct vaccel_event *event, int count)
{
	if (atomic_sub_and_test(count, &event->deps_left))
		queue_work(event->obj.dev->poller.wq, &event->ready);
}

/* Context: any. */
static void vaccel_dep_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	vaccel_deps_drop(container_of(cb, struct vaccel_dep, cb)->event, 1);
}

/**
 * vaccel_deps_prepare() - look up the in-syncs
 * @event: new event
 * @filp: open file
 * @args: checked arguments of SUBMIT
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_deps_prepare(struct vaccel_event *event, struct drm_file *filp,
			const struct drm_virtio_accel_submit *args)
{
	u32 i;

	if (!args->in_sync_count)
		return 0;
	event->deps = kzalloc_objs(*event->deps, args->in_sync_count, GFP_KERNEL_ACCOUNT);
	if (!event->deps)
		return -ENOMEM;
	for (i = 0; i < args->in_sync_count; i++) {
		struct vaccel_dep *dep = &event->deps[event->ndeps];
		struct drm_virtio_accel_sync sync;
		int ret;

		ret = vaccel_sync_copy(&sync, args->in_syncs, i, args->sync_stride);
		if (!ret)
			ret = drm_syncobj_find_fence(filp, sync.handle, sync.point, 0, &dep->fence);
		if (ret)
			return ret;
		INIT_LIST_HEAD(&dep->cb.node);
		dep->event = event;
		event->ndeps++;
	}
	return 0;
}

/**
 * vaccel_deps_arm() - post SUBMIT as soon as the in-syncs have signalled
 * @event: event with in-syncs, tracked by the poller
 * @submit: request; the reference is consumed
 *
 * Context: process context.
 */
void vaccel_deps_arm(struct vaccel_event *event, struct vaccel_request *submit)
{
	unsigned int i;
	int early = 1;

	event->submit = submit;
	vaccel_object_get(&event->obj);
	INIT_WORK(&event->ready, vaccel_deps_work);
	atomic_set(&event->deps_left, event->ndeps + 1);
	for (i = 0; i < event->ndeps; i++)
		if (dma_fence_add_callback(event->deps[i].fence, &event->deps[i].cb,
					   vaccel_dep_signalled))
			early++;
	vaccel_deps_drop(event, early);
	/* Who ended it meanwhile may have come before the callbacks. */
	if (vaccel_event_phase(event) == VACCEL_EVENT_ENDED)
		vaccel_deps_forget(event);
}

/**
 * vaccel_deps_forget() - wait for no in-sync any more
 * @event: event that has ended before they signalled
 *
 * Context: process context.
 */
void vaccel_deps_forget(struct vaccel_event *event)
{
	unsigned int i;
	int removed = 0;

	for (i = 0; i < event->ndeps; i++)
		removed += dma_fence_remove_callback(event->deps[i].fence, &event->deps[i].cb);
	if (removed)
		vaccel_deps_drop(event, removed);
}

void vaccel_deps_fini(struct vaccel_event *event)
{
	while (event->ndeps)
		dma_fence_put(event->deps[--event->ndeps].fence);
	kfree(event->deps);
}
