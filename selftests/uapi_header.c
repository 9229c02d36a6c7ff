/* SPDX-License-Identifier: MIT */
/*
 * Compiled as strict C11 and as C++: the uapi header needs nothing before it, and
 * its layouts are frozen and the same for 32 and 64 bits.
 */
#include <drm/virtio_accel.h>

#include <assert.h>
#include <stddef.h>

static_assert(sizeof(struct drm_virtio_accel_device_info) == 88, "device_info");
static_assert(offsetof(struct drm_virtio_accel_device_info, capabilities) == 32, "capabilities");
static_assert(offsetof(struct drm_virtio_accel_device_info, max_buffer_bytes) == 64, "limits");
static_assert(sizeof(struct drm_virtio_accel_dev_query) == 16, "dev_query");
static_assert(sizeof(struct drm_virtio_accel_ctx_create) == 8, "ctx_create");
static_assert(sizeof(struct drm_virtio_accel_ctx_destroy) == 8, "ctx_destroy");
static_assert(sizeof(struct drm_virtio_accel_buf_create) == 40, "buf_create");
static_assert(sizeof(struct drm_virtio_accel_buf_transfer) == 40, "buf_transfer");
static_assert(sizeof(struct drm_virtio_accel_prog_load) == 96, "prog_load");
static_assert(offsetof(struct drm_virtio_accel_prog_load, artifact_addr) == 64, "artifact_addr");
static_assert(sizeof(struct drm_virtio_accel_prog_unload) == 8, "prog_unload");
static_assert(sizeof(struct drm_virtio_accel_queue_create) == 16, "queue_create");
static_assert(sizeof(struct drm_virtio_accel_queue_destroy) == 8, "queue_destroy");
static_assert(sizeof(struct drm_virtio_accel_binding) == 32, "binding");
static_assert(sizeof(struct drm_virtio_accel_submit) == 80, "submit");
static_assert(sizeof(struct drm_virtio_accel_event) == 16, "event");
static_assert(sizeof(struct drm_virtio_accel_event_wait) == 24, "event_wait");
static_assert(sizeof(struct drm_virtio_accel_event_cancel) == 8, "event_cancel");
static_assert(sizeof(struct drm_virtio_accel_event_destroy) == 8, "event_destroy");

static_assert(DRM_IOCTL_VIRTIO_ACCEL_DEV_QUERY == 0xc0106440, "DEV_QUERY");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_CTX_CREATE == 0xc0086441, "CTX_CREATE");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_CTX_DESTROY == 0x40086442, "CTX_DESTROY");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_BUF_CREATE == 0xc0286443, "BUF_CREATE");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE == 0xc0286444, "BUF_WRITE");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_BUF_READ == 0xc0286445, "BUF_READ");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD == 0xc0606446, "PROG_LOAD");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_PROG_UNLOAD == 0x40086447, "PROG_UNLOAD");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_QUEUE_CREATE == 0xc0106448, "QUEUE_CREATE");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_QUEUE_DESTROY == 0x40086449, "QUEUE_DESTROY");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_SUBMIT == 0xc050644a, "SUBMIT");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_EVENT_WAIT == 0xc018644b, "EVENT_WAIT");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_EVENT_CANCEL == 0x4008644c, "EVENT_CANCEL");
static_assert(DRM_IOCTL_VIRTIO_ACCEL_EVENT_DESTROY == 0x4008644d, "EVENT_DESTROY");
