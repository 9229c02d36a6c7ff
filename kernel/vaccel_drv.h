/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * virtio-accel guest driver: what its files share.
 *
 * Layers, each calling only downwards:
 *
 *   ioctl, ctx, buf, xfer, submit, wait	what userspace asks for
 *   event, poll, fence, sync, notice	a submission, from acceptance to its end
 *   life		lives of the device, between resets
 *   client, obj, reap	life of an object, from a command to its release
 *   cmd		one request and the validation of its response
 *   post, vq		the command virtqueue
 *   frame, pin		memory of a request or a response
 *
 * Lock order, outermost first:
 *
 *   vaccel_device.life (mutex)
 *   vaccel_file.objects (xa_lock), vaccel_device.buffers_lock (spin)
 *   vaccel_fence.lock (spin, irqs off)
 *   vaccel_poller.lock, vaccel_vq.sleepers_lock (spin, irqs off)
 *   vaccel_vq.lock, vaccel_device.ids_lock, vaccel_device.users_lock,
 *   vaccel_device.reap_lock (spin, leaves)
 *
 * Those with irqs off are taken in any context, the others never in an interrupt:
 * callbacks of the device only queue work.
 */
#ifndef _VACCEL_DRV_H
#define _VACCEL_DRV_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/virtio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include <drm/virtio_accel.h>
#include <linux/virtio_accel.h>

#include "vaccel_event.h"
#include "vaccel_object.h"
#include "vaccel_ring.h"

/*
 * struct vaccel_device - one accelerator
 *
 * Lives until the last file is closed, which can be after the virtio device has
 * gone: nothing but the virtqueue layer may use @vdev after probe.
 */
struct vaccel_device {
	struct drm_device drm;
	struct virtio_device *vdev;

	/* What the device said it can do; constant once probed. */
	struct virtio_accel_config config;
	struct drm_virtio_accel_device_info info;
	unsigned int max_segs;		/* descriptors of a chain */
	size_t max_seg_bytes;		/* bytes of a descriptor, whole pages */
	size_t max_request;		/* bytes of a frame that can be sent */
	size_t max_response;

	struct vaccel_vq vq;
	struct workqueue_struct *vq_wq;

	struct mutex life;		/* one change of life at a time */
	bool parked;			/* @life: no life begins by itself */
	unsigned long born;		/* @life; jiffies */
	unsigned long reset_pause;	/* written with @life; jiffies */
	struct work_struct config_work;
	struct delayed_work reset_work;	/* on @reap_wq */

	struct vaccel_poller poller;

	atomic_long_t bulk_bytes;	/* that transfers have in flight */
	wait_queue_head_t bulk_wait;	/* there are fewer, or the device was lost */

	spinlock_t buffers_lock;	/* guards what names it below */

	spinlock_t ids_lock;		/* guards what names it below */
	struct rb_root ids;		/* @ids_lock: objects that the device has */
	unsigned int tracked[VACCEL_KINDS];	/* @ids_lock: the same, counted */

	spinlock_t users_lock;		/* guards what names it below */
	struct list_head users;		/* @users_lock: struct vaccel_user */

	struct workqueue_struct *reap_wq;
	struct delayed_work reap_work;
	spinlock_t reap_lock;		/* guards what names it below */
	struct list_head reap_list;	/* @reap_lock: unreferenced objects */
	u64 reap_queued;		/* @reap_lock: objects that came to the list */
	u64 reap_handled;		/* @reap_lock: objects that were taken from it */
	wait_queue_head_t reap_wait;	/* for @reap_handled to grow */
};

#define to_vaccel(drm_)		container_of(drm_, struct vaccel_device, drm)

/* vaccel_life.c */
int vaccel_life_init(struct vaccel_device *dev);
int vaccel_life_first(struct vaccel_device *dev);
int vaccel_life_park(struct virtio_device *vdev);
int vaccel_life_resume(struct virtio_device *vdev);
void vaccel_life_lost(struct vaccel_device *dev);
void vaccel_config_changed(struct virtio_device *vdev);

/* vaccel_info.c */
int vaccel_config_read(struct virtio_device *vdev, struct virtio_accel_config *config);
int vaccel_info_fetch(struct vaccel_device *dev, struct drm_virtio_accel_device_info *info);

/* vaccel_debugfs.c */
void vaccel_debugfs_init(struct vaccel_device *dev);

/* vaccel_sysfs.c */
extern const struct attribute_group *vaccel_groups[];

/* vaccel_xfer.c */
void vaccel_bulk_init(struct vaccel_device *dev);
void vaccel_bulk_end(struct vaccel_request *req);

extern const struct drm_driver vaccel_drm_driver;

/* The ioctls, each beside what it works on. */
#define VACCEL_IOCTL(name_) \
	int vaccel_ioctl_##name_(struct drm_device *drm, void *data, struct drm_file *filp)

VACCEL_IOCTL(dev_query);
VACCEL_IOCTL(ctx_create);
VACCEL_IOCTL(ctx_destroy);
VACCEL_IOCTL(buf_create);
VACCEL_IOCTL(buf_write);
VACCEL_IOCTL(buf_read);
VACCEL_IOCTL(prog_load);
VACCEL_IOCTL(prog_unload);
VACCEL_IOCTL(queue_create);
VACCEL_IOCTL(queue_destroy);
VACCEL_IOCTL(submit);
VACCEL_IOCTL(event_wait);
VACCEL_IOCTL(event_cancel);
VACCEL_IOCTL(event_destroy);

#endif /* _VACCEL_DRV_H */
