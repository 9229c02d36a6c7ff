// SPDX-License-Identifier: GPL-2.0-only
/*
 * SUBMIT.
 *
 * The event exists before the command does and holds all that the submission
 * uses, so that after the device has accepted it nothing can fail that matters.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "vaccel_drv.h"

static_assert(DRM_VIRTIO_ACCEL_ACCESS_READ == VIRTIO_ACCEL_ACCESS_READ);
static_assert(DRM_VIRTIO_ACCEL_ACCESS_WRITE == VIRTIO_ACCEL_ACCESS_WRITE);
static_assert(DRM_VIRTIO_ACCEL_ACCESS_READ_WRITE == VIRTIO_ACCEL_ACCESS_READ_WRITE);
static_assert(DRM_VIRTIO_ACCEL_STATUS_OK == VIRTIO_ACCEL_S_OK);
static_assert(DRM_VIRTIO_ACCEL_STATUS_UNSUPPORTED == VIRTIO_ACCEL_S_UNSUPPORTED);
static_assert(DRM_VIRTIO_ACCEL_STATUS_INCOMPATIBLE == VIRTIO_ACCEL_S_INCOMPATIBLE);
static_assert(DRM_VIRTIO_ACCEL_STATUS_INVALID_ARGUMENT == VIRTIO_ACCEL_S_INVALID_ARGUMENT);
static_assert(DRM_VIRTIO_ACCEL_STATUS_OUT_OF_BOUNDS == VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
static_assert(DRM_VIRTIO_ACCEL_STATUS_BUSY == VIRTIO_ACCEL_S_BUSY);
static_assert(DRM_VIRTIO_ACCEL_STATUS_OUT_OF_MEMORY == VIRTIO_ACCEL_S_OUT_OF_MEMORY);
static_assert(DRM_VIRTIO_ACCEL_STATUS_RESOURCE_LIMIT == VIRTIO_ACCEL_S_RESOURCE_LIMIT);
static_assert(DRM_VIRTIO_ACCEL_STATUS_DEADLINE_EXPIRED == VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
static_assert(DRM_VIRTIO_ACCEL_STATUS_DEVICE_LOST == VIRTIO_ACCEL_S_DEVICE_LOST);
static_assert(DRM_VIRTIO_ACCEL_STATUS_PERMISSION_DENIED == VIRTIO_ACCEL_S_PERMISSION_DENIED);
static_assert(DRM_VIRTIO_ACCEL_STATUS_STALE_OBJECT == VIRTIO_ACCEL_S_STALE_OBJECT);
static_assert(DRM_VIRTIO_ACCEL_STATUS_INTERNAL_ERROR == VIRTIO_ACCEL_S_INTERNAL_ERROR);
static_assert(sizeof(struct virtio_accel_submit) == 32);
static_assert(sizeof(struct virtio_accel_binding) == 32);
static_assert(sizeof(struct drm_virtio_accel_submit) == 80);
static_assert(sizeof(struct drm_virtio_accel_binding) == 32);

/* What a buffer must be declared as, of which one bit is enough. */
static u32 vaccel_access_usage(u32 access)
{
	switch (access) {
	case VIRTIO_ACCEL_ACCESS_READ:
		return VIRTIO_ACCEL_USAGE_PROGRAM_INPUT | VIRTIO_ACCEL_USAGE_MUTABLE_STATE;
	case VIRTIO_ACCEL_ACCESS_WRITE:
		return VIRTIO_ACCEL_USAGE_PROGRAM_OUTPUT | VIRTIO_ACCEL_USAGE_MUTABLE_STATE;
	case VIRTIO_ACCEL_ACCESS_READ_WRITE:
		return VIRTIO_ACCEL_USAGE_MUTABLE_STATE;
	default:
		return 0;
	}
}

static int vaccel_binding_check(const struct drm_virtio_accel_binding *binding,
				const struct vaccel_buffer *buf,
				const struct vaccel_context *ctx)
{
	u32 usage = vaccel_access_usage(binding->access);
	u64 end;

	if (buf->obj.ctx != ctx || binding->flags || !usage || !binding->size ||
	    check_add_overflow(binding->offset, binding->size, &end))
		return -EINVAL;
	if (end > buf->size)
		return -ERANGE;
	return buf->usage & usage ? 0 : -EPERM;
}

/* Check one binding and let the event hold its buffer. */
static int vaccel_binding_take(struct drm_file *filp, struct vaccel_event *event,
			       const struct drm_virtio_accel_binding *binding,
			       struct virtio_accel_binding *wire)
{
	struct vaccel_buffer *buf = vaccel_buffer_lookup(filp, binding->buffer);
	int ret;

	if (!buf)
		return -ENOENT;
	ret = vaccel_binding_check(binding, buf, event->obj.ctx);
	if (ret) {
		vaccel_object_put(&buf->obj);
		return ret;
	}
	event->held[event->nheld++] = &buf->obj;
	*wire = (struct virtio_accel_binding) {
		.buffer_id = cpu_to_le64(buf->obj.id),
		.offset = cpu_to_le64(binding->offset),
		.bytes = cpu_to_le64(binding->size),
		.slot = cpu_to_le32(binding->slot),
		.access = binding->access,
	};
	return 0;
}

static int vaccel_slot_cmp(const void *a, const void *b)
{
	const struct virtio_accel_binding *x = a, *y = b;
	u32 left = le32_to_cpu(x->slot), right = le32_to_cpu(y->slot);

	return (left > right) - (left < right);
}

/* Slot order, in which the device works through them anyway, shows duplicates. */
static int vaccel_bindings_sort(struct virtio_accel_binding *bindings, u32 count)
{
	u32 i;

	sort(bindings, count, sizeof(*bindings), vaccel_slot_cmp, NULL);
	for (i = 1; i < count; i++)
		if (bindings[i].slot == bindings[i - 1].slot)
			return -EINVAL;
	return 0;
}

static int vaccel_bindings_copy(struct drm_file *filp, struct vaccel_event *event,
				const struct drm_virtio_accel_submit *args,
				struct virtio_accel_binding *bindings)
{
	u32 i;

	for (i = 0; i < args->binding_count; i++) {
		u64 at = args->bindings + (u64)i * args->binding_stride;
		struct drm_virtio_accel_binding binding;
		int ret;

		ret = copy_struct_from_user(&binding, sizeof(binding), u64_to_user_ptr(at),
					    args->binding_stride);
		if (ret == -E2BIG)
			return -EINVAL;
		if (!ret)
			ret = vaccel_binding_take(filp, event, &binding, &bindings[i]);
		if (ret)
			return ret;
	}
	return vaccel_bindings_sort(bindings, args->binding_count);
}

static struct vaccel_request *vaccel_submit_request(struct drm_file *filp,
						    struct vaccel_event *event,
						    const struct drm_virtio_accel_submit *args)
{
	size_t bytes = args->binding_count * sizeof(struct virtio_accel_binding);
	struct virtio_accel_binding *bindings;
	struct virtio_accel_submit *payload;
	struct vaccel_request *req;
	int ret;

	bindings = kvmalloc_objs(*bindings, args->binding_count, GFP_KERNEL_ACCOUNT);
	if (!bindings)
		return ERR_PTR(-ENOMEM);
	ret = vaccel_bindings_copy(filp, event, args, bindings);
	if (ret) {
		req = ERR_PTR(ret);
		goto out;
	}

	req = vaccel_request_new(event->obj.dev, event->obj.epoch, VIRTIO_ACCEL_OP_SUBMIT,
				 sizeof(*payload) + bytes, sizeof(struct virtio_accel_object));
	if (IS_ERR(req))
		goto out;
	payload = vaccel_request_payload(req);
	*payload = (struct virtio_accel_submit) {
		.queue_id = cpu_to_le64(event->held[0]->id),
		.program_id = cpu_to_le64(event->held[1]->id),
		.binding_count = cpu_to_le32(args->binding_count),
		.timeout_ns = cpu_to_le64(args->timeout_ns),
	};
	vaccel_frame_write(&req->out, req->out.bytes - bytes, bindings, bytes);
	req->object = vaccel_object_get(&event->obj);
	req->done = vaccel_event_submitted;
out:
	kvfree(bindings);
	return req;
}

/* An event that holds the queue and the program. */
static struct vaccel_event *vaccel_submit_event(struct vaccel_file *file,
						const struct drm_virtio_accel_submit *args)
{
	struct vaccel_object *queue, *program;
	struct vaccel_event *event;
	int ret = -ENOENT;

	queue = vaccel_handle_lookup(file, args->queue, VACCEL_QUEUE);
	program = vaccel_handle_lookup(file, args->program, VACCEL_PROGRAM);
	if (!queue || !program)
		goto err;
	ret = -EINVAL;
	if (queue->ctx != program->ctx)
		goto err;
	ret = -ECANCELED;
	if (READ_ONCE(queue->ctx->banned))
		goto err;
	ret = -ENOMEM;
	event = vaccel_event_new(queue->ctx, 2 + args->binding_count);
	if (!event)
		goto err;
	event->held[event->nheld++] = queue;
	event->held[event->nheld++] = program;
	return event;

err:
	if (program)
		vaccel_object_put(program);
	if (queue)
		vaccel_object_put(queue);
	return ERR_PTR(ret);
}

/* Allocate and reserve all that can fail; the event gets what is its own. */
static int vaccel_submit_prepare(struct drm_file *filp, struct vaccel_event *event,
				 struct vaccel_outs *outs, u32 handle,
				 const struct drm_virtio_accel_submit *args)
{
	int ret;

	event->timeout_ns = args->timeout_ns;
	ret = vaccel_event_prepare(event);
	if (!ret)
		ret = vaccel_outs_prepare(outs, filp, args);
	if (!ret)
		ret = vaccel_deps_prepare(event, filp, args);
	if (ret)
		return ret;

	if (args->out_sync_count) {
		event->fence = vaccel_fence_new(event);
		if (!event->fence)
			return -ENOMEM;
	}
	if (!(args->flags & DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY))
		return 0;
	/* Whoever asked to be told watches. */
	event->watchers++;
	ret = vaccel_notice_reserve(event, filp, args->user_data);
	if (!ret)
		vaccel_notice_name(event->notice, handle);
	return ret;
}

/* Ask the device. An event despite a failure is a success: *@status tells. */
static int vaccel_submit_run(struct vaccel_request *req, u32 *status)
{
	int ret = vaccel_request_run(req);

	if (!ret && !req->reply.id)
		ret = vaccel_status_errno(req->reply.status);
	*status = req->reply.status;
	vaccel_request_put(req);
	return ret;
}

/* Ask the device as soon as the in-syncs have signalled. */
static void vaccel_submit_defer(struct vaccel_event *event, struct vaccel_request *req)
{
	vaccel_event_track(event);
	vaccel_deps_arm(event, req);
	/* Closing the context cancels what it finds to be tracked. */
	if (vaccel_object_orphaned(&event->obj))
		vaccel_poll_close(event->obj.ctx);
}

/* On success the fence, if there is one, is certain to signal. */
static int vaccel_submit(struct drm_file *filp, struct vaccel_event *event,
			 struct vaccel_outs *outs, u32 handle,
			 struct drm_virtio_accel_submit *args)
{
	struct vaccel_file *file = filp->driver_priv;
	struct dma_fence *fence = NULL;
	struct vaccel_request *req;
	u32 status = VIRTIO_ACCEL_S_OK;
	int ret;

	ret = vaccel_submit_prepare(filp, event, outs, handle, args);
	if (ret)
		return ret;
	req = vaccel_submit_request(filp, event, args);
	if (IS_ERR(req))
		return PTR_ERR(req);

	/* The event can end at any time from here on, and lets go of the fence then. */
	if (event->fence)
		fence = dma_fence_get(vaccel_fence_base(event->fence));
	if (event->ndeps)
		vaccel_submit_defer(event, req);
	else
		ret = vaccel_submit_run(req, &status);
	if (!ret && handle) {
		vaccel_object_get(&event->obj);
		ret = vaccel_handle_publish(file, handle, &event->obj);
		if (ret)
			vaccel_object_put(&event->obj);
	}
	if (!ret) {
		vaccel_outs_publish(outs, fence);
		args->event = handle;
		args->status = status;
	}
	dma_fence_put(fence);
	return ret;
}

static bool vaccel_syncs_valid(const struct vaccel_device *dev,
			       const struct drm_virtio_accel_submit *args)
{
	if (args->in_sync_count > DRM_VIRTIO_ACCEL_MAX_SYNCS ||
	    args->out_sync_count > DRM_VIRTIO_ACCEL_MAX_SYNCS)
		return false;
	if (!args->in_sync_count && !args->out_sync_count)
		return !args->sync_stride;
	if (args->sync_stride < sizeof(struct drm_virtio_accel_sync) ||
	    args->sync_stride > PAGE_SIZE)
		return false;
	return !args->out_sync_count ||
	       (args->timeout_ns && args->timeout_ns <= dev->info.max_fence_timeout_ns);
}

static bool vaccel_submit_valid(const struct vaccel_device *dev,
				const struct drm_virtio_accel_submit *args)
{
	if (args->flags & ~(DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY | DRM_VIRTIO_ACCEL_SUBMIT_DETACH) ||
	    (args->user_data && !(args->flags & DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY)))
		return false;
	return args->binding_count &&
	       args->binding_count <= dev->info.max_bindings_per_submission &&
	       args->binding_stride >= sizeof(struct drm_virtio_accel_binding) &&
	       args->binding_stride <= PAGE_SIZE && vaccel_syncs_valid(dev, args);
}

VACCEL_IOCTL(submit)
{
	struct drm_virtio_accel_submit *args = data;
	struct vaccel_file *file = filp->driver_priv;
	struct vaccel_outs outs = {};
	struct vaccel_event *event;
	u32 handle = 0;
	int ret = 0;

	if (!vaccel_submit_valid(to_vaccel(drm), args))
		return -EINVAL;
	event = vaccel_submit_event(file, args);
	if (IS_ERR(event))
		return PTR_ERR(event);

	ret = vaccel_object_charge(&event->obj);
	if (!ret && !(args->flags & DRM_VIRTIO_ACCEL_SUBMIT_DETACH))
		ret = vaccel_handle_reserve(file, &handle);
	if (!ret)
		ret = vaccel_submit(filp, event, &outs, handle, args);
	if (ret) {
		vaccel_event_discard(event);
		if (handle)
			vaccel_handle_cancel(file, handle);
	}
	vaccel_outs_fini(&outs);
	vaccel_object_put(&event->obj);
	return ret;
}
