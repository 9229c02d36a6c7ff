// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DRM driver: files, the table of ioctls, and DEV_QUERY.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>

#include "vaccel_drv.h"

static_assert(sizeof(struct drm_virtio_accel_dev_query) == 16);
static_assert(sizeof(struct drm_virtio_accel_ctx_create) == 8);
static_assert(sizeof(struct drm_virtio_accel_ctx_destroy) == 8);
static_assert(sizeof(struct drm_virtio_accel_buf_create) == 40);
static_assert(sizeof(struct drm_virtio_accel_buf_transfer) == 40);
static_assert(sizeof(struct drm_virtio_accel_prog_load) == 96);
static_assert(sizeof(struct drm_virtio_accel_prog_unload) == 8);
static_assert(sizeof(struct drm_virtio_accel_queue_create) == 16);
static_assert(sizeof(struct drm_virtio_accel_queue_destroy) == 8);
static_assert(sizeof(struct drm_virtio_accel_event) == 16);
static_assert(sizeof(struct drm_virtio_accel_event_wait) == 24);
static_assert(sizeof(struct drm_virtio_accel_event_cancel) == 8);
static_assert(sizeof(struct drm_virtio_accel_event_destroy) == 8);

VACCEL_IOCTL(dev_query)
{
	const struct drm_virtio_accel_device_info *info = &to_vaccel(drm)->info;
	struct drm_virtio_accel_dev_query *args = data;

	if (args->type != DRM_VIRTIO_ACCEL_QUERY_DEVICE_INFO)
		return -EINVAL;
	if (!args->pointer) {
		args->size = sizeof(*info);
		return 0;
	}
	args->size = min_t(u32, args->size, sizeof(*info));
	if (copy_to_user(u64_to_user_ptr(args->pointer), info, args->size))
		return -EFAULT;
	return 0;
}

static int vaccel_open(struct drm_device *drm, struct drm_file *filp)
{
	struct vaccel_file *file = kzalloc_obj(*file, GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	file->client = vaccel_client_new(to_vaccel(drm));
	if (!file->client) {
		kfree(file);
		return -ENOMEM;
	}
	xa_init_flags(&file->objects, XA_FLAGS_ALLOC1);
	filp->driver_priv = file;
	return 0;
}

/* Often runs in a dying task: it hands everything to the reaper and waits for nothing. */
static void vaccel_postclose(struct drm_device *drm, struct drm_file *filp)
{
	struct vaccel_file *file = filp->driver_priv;
	struct vaccel_object *obj;
	unsigned long handle;

	xa_for_each(&file->objects, handle, obj) {
		if (obj->kind != VACCEL_CONTEXT)
			continue;
		xa_erase(&file->objects, handle);
		vaccel_context_close(file, to_context(obj));
		vaccel_object_put(obj);
	}
	xa_destroy(&file->objects);
	vaccel_client_put(file->client);
	kfree(file);
}

static void vaccel_show_fdinfo(struct drm_printer *p, struct drm_file *filp)
{
	struct vaccel_file *file = filp->driver_priv;

	vaccel_client_show(file->client, p);
	drm_show_memory_stats(p, filp);
}

#define VACCEL_IOCTL_DEF(upper_, lower_) \
	DRM_IOCTL_DEF_DRV(VIRTIO_ACCEL_##upper_, vaccel_ioctl_##lower_, 0)

static const struct drm_ioctl_desc vaccel_ioctls[] = {
	VACCEL_IOCTL_DEF(DEV_QUERY, dev_query),
	VACCEL_IOCTL_DEF(CTX_CREATE, ctx_create),
	VACCEL_IOCTL_DEF(CTX_DESTROY, ctx_destroy),
	VACCEL_IOCTL_DEF(BUF_CREATE, buf_create),
	VACCEL_IOCTL_DEF(BUF_WRITE, buf_write),
	VACCEL_IOCTL_DEF(BUF_READ, buf_read),
	VACCEL_IOCTL_DEF(PROG_LOAD, prog_load),
	VACCEL_IOCTL_DEF(PROG_UNLOAD, prog_unload),
	VACCEL_IOCTL_DEF(QUEUE_CREATE, queue_create),
	VACCEL_IOCTL_DEF(QUEUE_DESTROY, queue_destroy),
	VACCEL_IOCTL_DEF(SUBMIT, submit),
	VACCEL_IOCTL_DEF(EVENT_WAIT, event_wait),
	VACCEL_IOCTL_DEF(EVENT_CANCEL, event_cancel),
	VACCEL_IOCTL_DEF(EVENT_DESTROY, event_destroy),
};

static const struct file_operations vaccel_fops = {
	.owner = THIS_MODULE,
	DRM_ACCEL_FOPS,
	.show_fdinfo = drm_show_fdinfo,
};

const struct drm_driver vaccel_drm_driver = {
	.driver_features = DRIVER_COMPUTE_ACCEL | DRIVER_GEM | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = vaccel_open,
	.postclose = vaccel_postclose,
	.show_fdinfo = vaccel_show_fdinfo,
	.ioctls = vaccel_ioctls,
	.num_ioctls = ARRAY_SIZE(vaccel_ioctls),
	.fops = &vaccel_fops,
	.name = "virtio_accel",
	.desc = "virtio accelerator",
	.major = 1,
	.minor = 1,
};
