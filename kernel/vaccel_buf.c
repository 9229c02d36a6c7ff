// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers: memory of the device behind GEM handles.
 *
 * A buffer has no pages in the guest, so it can be neither mapped nor exported.
 * The GEM object is a shell that names a buffer until its context is closed; the
 * buffer itself is an object like the others, which events can hold.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "vaccel_drv.h"

static_assert(DRM_VIRTIO_ACCEL_DOMAIN_HOST == VIRTIO_ACCEL_DOMAIN_HOST);
static_assert(DRM_VIRTIO_ACCEL_DOMAIN_DEVICE == VIRTIO_ACCEL_DOMAIN_DEVICE);
static_assert(DRM_VIRTIO_ACCEL_DOMAIN_SHARED == VIRTIO_ACCEL_DOMAIN_SHARED);
static_assert(DRM_VIRTIO_ACCEL_USAGE_TRANSFER_SRC == VIRTIO_ACCEL_USAGE_TRANSFER_SRC);
static_assert(DRM_VIRTIO_ACCEL_USAGE_TRANSFER_DST == VIRTIO_ACCEL_USAGE_TRANSFER_DST);
static_assert(DRM_VIRTIO_ACCEL_USAGE_PROGRAM_INPUT == VIRTIO_ACCEL_USAGE_PROGRAM_INPUT);
static_assert(DRM_VIRTIO_ACCEL_USAGE_PROGRAM_OUTPUT == VIRTIO_ACCEL_USAGE_PROGRAM_OUTPUT);
static_assert(DRM_VIRTIO_ACCEL_USAGE_MUTABLE_STATE == VIRTIO_ACCEL_USAGE_MUTABLE_STATE);

struct vaccel_gem {
	struct drm_gem_object base;
	struct vaccel_buffer *buf;	/* buffers_lock; reference */
	struct list_head node;		/* buffers_lock; in vaccel_context.buffers */
};

static struct vaccel_gem *to_gem(struct drm_gem_object *base)
{
	return container_of(base, struct vaccel_gem, base);
}

/* Make a shell name nothing; the caller gets its reference. */
static struct vaccel_buffer *vaccel_gem_clear_locked(struct vaccel_gem *gem)
{
	struct vaccel_buffer *buf = gem->buf;

	gem->buf = NULL;
	list_del_init(&gem->node);
	return buf;
}

static void vaccel_gem_free(struct drm_gem_object *base)
{
	struct vaccel_device *dev = to_vaccel(base->dev);
	struct vaccel_gem *gem = to_gem(base);
	struct vaccel_buffer *buf;

	spin_lock(&dev->buffers_lock);
	buf = vaccel_gem_clear_locked(gem);
	spin_unlock(&dev->buffers_lock);
	if (buf)
		vaccel_object_put(&buf->obj);
	drm_gem_object_release(base);
	kfree(gem);
}

static struct dma_buf *vaccel_gem_export(struct drm_gem_object *base, int flags)
{
	return ERR_PTR(-EOPNOTSUPP);
}

/* fdinfo counts as resident what the device has, as opposed to empty shells. */
static enum drm_gem_object_status vaccel_gem_status(struct drm_gem_object *base)
{
	return READ_ONCE(to_gem(base)->buf) ? DRM_GEM_OBJECT_RESIDENT : 0;
}

static const struct drm_gem_object_funcs vaccel_gem_funcs = {
	.free = vaccel_gem_free,
	.status = vaccel_gem_status,
	.export = vaccel_gem_export,
};

static struct vaccel_gem *vaccel_gem_new(struct vaccel_device *dev, u64 size)
{
	struct vaccel_gem *gem = kzalloc_obj(*gem, GFP_KERNEL_ACCOUNT);

	if (!gem)
		return NULL;
	INIT_LIST_HEAD(&gem->node);
	gem->base.funcs = &vaccel_gem_funcs;
	/* GEM counts in pages; vaccel_info_convert() keeps this from overflowing. */
	drm_gem_private_object_init(&dev->drm, &gem->base, PAGE_ALIGN(size));
	return gem;
}

/* Let a shell name a buffer, whose reference is taken over on success. */
static int vaccel_gem_attach(struct vaccel_gem *gem, struct vaccel_buffer *buf)
{
	struct vaccel_context *ctx = buf->obj.ctx;
	struct vaccel_device *dev = buf->obj.dev;
	int ret = -ENOENT;

	spin_lock(&dev->buffers_lock);
	if (!vaccel_object_orphaned(&buf->obj)) {
		gem->buf = buf;
		list_add_tail(&gem->node, &ctx->buffers);
		ret = 0;
	}
	spin_unlock(&dev->buffers_lock);
	return ret;
}

/**
 * vaccel_buffer_lookup() - find the buffer of a GEM handle
 * @filp: open file
 * @handle: from userspace
 *
 * Context: process context.
 * Return: a referenced buffer, or NULL.
 */
struct vaccel_buffer *vaccel_buffer_lookup(struct drm_file *filp, u32 handle)
{
	struct drm_gem_object *base = drm_gem_object_lookup(filp, handle);
	struct vaccel_device *dev;
	struct vaccel_buffer *buf;

	if (!base)
		return NULL;
	dev = to_vaccel(base->dev);
	spin_lock(&dev->buffers_lock);
	buf = to_gem(base)->buf;
	if (buf)
		vaccel_object_get(&buf->obj);
	spin_unlock(&dev->buffers_lock);
	drm_gem_object_put(base);
	return buf;
}

/**
 * vaccel_buffers_revoke() - make all GEM objects of a closed context empty
 * @ctx: context
 *
 * Context: process context.
 */
void vaccel_buffers_revoke(struct vaccel_context *ctx)
{
	struct vaccel_device *dev = ctx->obj.dev;
	struct vaccel_gem *gem, *tmp;

	spin_lock(&dev->buffers_lock);
	list_for_each_entry_safe(gem, tmp, &ctx->buffers, node)
		vaccel_object_put(&vaccel_gem_clear_locked(gem)->obj);
	spin_unlock(&dev->buffers_lock);
}

static struct vaccel_request *vaccel_buffer_request(struct vaccel_buffer *buf,
						    const struct drm_virtio_accel_buf_create *args)
{
	struct vaccel_object *obj = &buf->obj;
	struct virtio_accel_allocate_buffer *payload;
	struct vaccel_request *req;

	req = vaccel_request_new(obj->dev, obj->epoch, VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
				 sizeof(*payload), sizeof(struct virtio_accel_object));
	if (IS_ERR(req))
		return req;
	payload = vaccel_request_payload(req);
	*payload = (struct virtio_accel_allocate_buffer) {
		.context_id = cpu_to_le64(obj->ctx->obj.id),
		.bytes = cpu_to_le64(args->size),
		.alignment = cpu_to_le64(args->alignment),
		.memory_domain = args->domain,
		.usage = cpu_to_le32(args->usage),
	};
	req->object = vaccel_object_get(obj);
	return req;
}

/* Create the buffer on the device; the caller has a reference even on failure. */
static int vaccel_buffer_allocate(struct vaccel_buffer *buf,
				  const struct drm_virtio_accel_buf_create *args)
{
	struct vaccel_request *req = vaccel_buffer_request(buf, args);
	int ret;

	if (IS_ERR(req))
		return PTR_ERR(req);
	ret = vaccel_reap_create(req);
	vaccel_request_put(req);
	return ret;
}

static int vaccel_buffer_create(struct drm_file *filp, struct vaccel_context *ctx,
				struct drm_virtio_accel_buf_create *args)
{
	struct vaccel_buffer *buf = kzalloc_obj(*buf, GFP_KERNEL_ACCOUNT);
	struct vaccel_gem *gem;
	int ret;

	if (!buf)
		return -ENOMEM;
	vaccel_object_init(&buf->obj, ctx->obj.dev, VACCEL_BUFFER, ctx);
	buf->size = args->size;
	buf->usage = args->usage;
	gem = vaccel_gem_new(ctx->obj.dev, args->size);
	if (!gem) {
		ret = -ENOMEM;
		goto err_buffer;
	}

	ret = vaccel_object_charge(&buf->obj) ?: vaccel_buffer_allocate(buf, args);
	if (!ret)
		ret = vaccel_gem_attach(gem, buf);
	if (ret)
		goto err_gem;

	/* From here on the buffer goes with the shell. */
	ret = drm_gem_handle_create(filp, &gem->base, &args->handle);
	drm_gem_object_put(&gem->base);
	return ret;

err_gem:
	drm_gem_object_put(&gem->base);
err_buffer:
	vaccel_object_put(&buf->obj);
	return ret;
}

static int vaccel_buffer_check(const struct vaccel_device *dev,
			       const struct drm_virtio_accel_buf_create *args)
{
	static const u32 needs[] = {
		[VIRTIO_ACCEL_DOMAIN_HOST] = VIRTIO_ACCEL_CAP_HOST_VISIBLE_MEMORY,
		[VIRTIO_ACCEL_DOMAIN_DEVICE] = VIRTIO_ACCEL_CAP_DEVICE_LOCAL_MEMORY,
		[VIRTIO_ACCEL_DOMAIN_SHARED] = VIRTIO_ACCEL_CAP_SHARED_MEMORY,
	};

	if (args->flags || args->pad || !args->usage || args->usage & ~VIRTIO_ACCEL_USAGE_MASK ||
	    !args->size || args->size > dev->info.max_buffer_bytes ||
	    !is_power_of_2(args->alignment))
		return -EINVAL;
	if (!args->domain || args->domain >= ARRAY_SIZE(needs))
		return -EINVAL;
	return dev->info.capabilities & needs[args->domain] ? 0 : -EOPNOTSUPP;
}

VACCEL_IOCTL(buf_create)
{
	struct drm_virtio_accel_buf_create *args = data;
	struct vaccel_context *ctx;
	int ret;

	ret = vaccel_buffer_check(to_vaccel(drm), args);
	if (ret)
		return ret;
	ctx = vaccel_context_lookup(filp->driver_priv, args->ctx);
	if (!ctx)
		return -ENOENT;
	ret = vaccel_buffer_create(filp, ctx, args);
	vaccel_object_put(&ctx->obj);
	return ret;
}
