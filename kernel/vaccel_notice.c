// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notices: DRM events that tell of the end of a submission.
 */
#include <linux/slab.h>

#include "vaccel_drv.h"

static_assert(sizeof(struct drm_virtio_accel_event_done) == 32);

struct vaccel_notice {
	struct drm_pending_event base;	/* first: drm_read() frees it */
	struct drm_virtio_accel_event_done done;
};

/**
 * vaccel_notice_reserve() - reserve space for a notice
 * @event: new event, which gets the notice
 * @filp: file that will read it
 * @user_data: for userspace
 *
 * Context: process context, may sleep.
 * Return: 0, or -ENOMEM, also if too many notices are unread.
 */
int vaccel_notice_reserve(struct vaccel_event *event, struct drm_file *filp, u64 user_data)
{
	struct vaccel_notice *notice = kzalloc_obj(*notice, GFP_KERNEL_ACCOUNT);
	int ret;

	if (!notice)
		return -ENOMEM;
	notice->done = (struct drm_virtio_accel_event_done) {
		.base.type = DRM_VIRTIO_ACCEL_EVENT_DONE,
		.base.length = sizeof(notice->done),
		.user_data = user_data,
	};
	ret = drm_event_reserve_init(&event->obj.dev->drm, filp, &notice->base,
				     &notice->done.base);
	if (ret) {
		kfree(notice);
		return ret;
	}
	event->notice = notice;
	return 0;
}

/* The handle is not known before all that can fail has been done. */
void vaccel_notice_name(struct vaccel_notice *notice, u32 handle)
{
	notice->done.event = handle;
}

/* Give the space back: there is nothing to tell. */
void vaccel_notice_cancel(struct vaccel_device *dev, struct vaccel_notice *notice)
{
	drm_event_cancel_free(&dev->drm, &notice->base);
}

/**
 * vaccel_notice_send() - tell userspace, unless it has closed the file
 * @dev: device
 * @notice: notice; consumed
 * @state: VIRTIO_ACCEL_EVENT_*
 * @status: VIRTIO_ACCEL_S_*
 *
 * Context: any.
 */
void vaccel_notice_send(struct vaccel_device *dev, struct vaccel_notice *notice,
			u16 state, u16 status)
{
	notice->done.state = state;
	notice->done.status = status;
	drm_send_event(&dev->drm, &notice->base);
}
