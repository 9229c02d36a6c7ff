// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts and execution queues.
 */
#include <linux/slab.h>

#include "vaccel_drv.h"

struct vaccel_context *vaccel_context_lookup(struct vaccel_file *file, u32 handle)
{
	struct vaccel_object *obj = vaccel_handle_lookup(file, handle, VACCEL_CONTEXT);

	return obj ? to_context(obj) : NULL;
}

static struct vaccel_request *vaccel_context_request(struct vaccel_object *obj)
{
	struct virtio_accel_create_context *payload;
	struct vaccel_request *req;

	req = vaccel_request_new(obj->dev, obj->epoch, VIRTIO_ACCEL_OP_CREATE_CONTEXT,
				 sizeof(*payload), sizeof(struct virtio_accel_object));
	if (IS_ERR(req))
		return req;
	payload = vaccel_request_payload(req);
	memset(payload, 0, sizeof(*payload));
	return req;
}

VACCEL_IOCTL(ctx_create)
{
	struct drm_virtio_accel_ctx_create *args = data;
	struct vaccel_file *file = filp->driver_priv;
	struct vaccel_context *ctx;

	if (args->flags)
		return -EINVAL;

	ctx = kzalloc_obj(*ctx, GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;
	vaccel_object_init(&ctx->obj, to_vaccel(drm), VACCEL_CONTEXT, NULL);
	ctx->client = vaccel_client_get(file->client);
	INIT_LIST_HEAD(&ctx->buffers);
	return vaccel_object_create(file, &ctx->obj, vaccel_context_request(&ctx->obj),
				    &args->handle);
}

/**
 * vaccel_context_close() - end the use of a context and of all it holds
 * @file: its file
 * @ctx: context, whose own handle has been or is being dropped
 *
 * Context: process context.
 */
void vaccel_context_close(struct vaccel_file *file, struct vaccel_context *ctx)
{
	struct vaccel_object *obj;
	unsigned long handle;

	xa_lock(&file->objects);
	WRITE_ONCE(ctx->closed, true);
	xa_unlock(&file->objects);

	/* No handle of the closed context can be published behind this walk. */
	xa_for_each(&file->objects, handle, obj) {
		bool child;

		xa_lock(&file->objects);
		child = xa_load(&file->objects, handle) == obj && obj->ctx == ctx;
		if (child)
			__xa_erase(&file->objects, handle);
		xa_unlock(&file->objects);
		if (child)
			vaccel_object_put(obj);
	}
	vaccel_buffers_revoke(ctx);
	vaccel_poll_close(ctx);
}

VACCEL_IOCTL(ctx_destroy)
{
	struct drm_virtio_accel_ctx_destroy *args = data;
	struct vaccel_file *file = filp->driver_priv;
	struct vaccel_context *ctx;
	bool dropped;

	if (args->pad)
		return -EINVAL;

	ctx = vaccel_context_lookup(file, args->handle);
	if (!ctx)
		return -ENOENT;
	dropped = vaccel_handle_drop(file, args->handle, &ctx->obj);
	if (dropped)
		vaccel_context_close(file, ctx);
	vaccel_object_put(&ctx->obj);
	return dropped ? 0 : -ENOENT;
}

static struct vaccel_request *vaccel_queue_request(struct vaccel_object *obj)
{
	struct virtio_accel_create_queue *payload;
	struct vaccel_request *req;

	req = vaccel_request_new(obj->dev, obj->epoch, VIRTIO_ACCEL_OP_CREATE_QUEUE,
				 sizeof(*payload), sizeof(struct virtio_accel_object));
	if (IS_ERR(req))
		return req;
	payload = vaccel_request_payload(req);
	*payload = (struct virtio_accel_create_queue) {
		.context_id = cpu_to_le64(obj->ctx->obj.id),
	};
	return req;
}

VACCEL_IOCTL(queue_create)
{
	struct drm_virtio_accel_queue_create *args = data;
	struct vaccel_file *file = filp->driver_priv;
	struct vaccel_context *ctx;
	struct vaccel_object *queue;
	int ret = -ENOMEM;

	if (args->flags || args->pad)
		return -EINVAL;

	ctx = vaccel_context_lookup(file, args->ctx);
	if (!ctx)
		return -ENOENT;
	queue = kzalloc_obj(*queue, GFP_KERNEL_ACCOUNT);
	if (!queue)
		goto out;
	vaccel_object_init(queue, to_vaccel(drm), VACCEL_QUEUE, ctx);
	ret = vaccel_object_create(file, queue, vaccel_queue_request(queue), &args->handle);
out:
	vaccel_object_put(&ctx->obj);
	return ret;
}

VACCEL_IOCTL(queue_destroy)
{
	struct drm_virtio_accel_queue_destroy *args = data;

	if (args->pad)
		return -EINVAL;
	return vaccel_handle_destroy(filp->driver_priv, args->handle, VACCEL_QUEUE);
}
