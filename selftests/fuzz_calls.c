// SPDX-License-Identifier: MIT

#include "fuzz_calls.h"

#define PLACE(type, field) offsetof(struct type, field), sizeof(((struct type *)0)->field)
#define DRM(type, field, how, arg) { PLACE(drm_##type, field), false, how, arg, NULL }
#define F(type, field, how, arg) DRM(virtio_accel_##type, field, how, arg)
#define SELDOM(type, field, how, arg) { PLACE(drm_virtio_accel_##type, field), true, how, arg, NULL }
#define ARRAY_OF(type, field, shape) \
	{ PLACE(drm_virtio_accel_##type, field), false, ARRAY, 0, &(shape) }
#define SHAPE(size, ...)                                    \
	{ size, (const struct fuzz_field[]){ __VA_ARGS__ }, \
	  sizeof((const struct fuzz_field[]){ __VA_ARGS__ }) / sizeof(struct fuzz_field) }
#define CALL_AS(label, weight, name, ...) \
	{ label, DRM_IOCTL_##name, weight, SHAPE(_IOC_SIZE(DRM_IOCTL_##name), __VA_ARGS__) }
#define CALL(weight, name, ...) CALL_AS(#name, weight, name, __VA_ARGS__)

static const struct fuzz_shape one_binding =
	SHAPE(sizeof(struct drm_virtio_accel_binding),
	      F(binding, buffer, HANDLE, FUZZ_BUFFER),
	      F(binding, slot, INDEX, 0),
	      F(binding, access, IS, 3),
	      F(binding, flags, IS, 0),
	      SELDOM(binding, offset, SIZE, 0),
	      F(binding, size, SIZE, 0));

static const struct fuzz_shape one_sync =
	SHAPE(sizeof(struct drm_virtio_accel_sync),
	      F(sync, handle, HANDLE, FUZZ_SYNCOBJ),
	      F(sync, flags, IS, 0),
	      SELDOM(sync, point, BELOW, 64));

static const struct fuzz_shape one_event =
	SHAPE(sizeof(struct drm_virtio_accel_event),
	      F(event, handle, HANDLE, FUZZ_EVENT),
	      F(event, pad, IS, 0));

const struct fuzz_call fuzz_calls[] = {
	CALL(1, VIRTIO_ACCEL_DEV_QUERY,
	     F(dev_query, type, IS, 0),
	     F(dev_query, size, BELOW, 128),
	     F(dev_query, pointer, DATA, 0)),
	CALL(8, VIRTIO_ACCEL_CTX_CREATE,
	     F(ctx_create, flags, IS, 0),
	     F(ctx_create, handle, RESULT, FUZZ_CONTEXT)),
	CALL(1, VIRTIO_ACCEL_CTX_DESTROY,
	     F(ctx_destroy, handle, LAST, FUZZ_CONTEXT),
	     F(ctx_destroy, pad, IS, 0)),
	CALL(8, VIRTIO_ACCEL_BUF_CREATE,
	     F(buf_create, ctx, HANDLE, FUZZ_CONTEXT),
	     F(buf_create, domain, IS, DRM_VIRTIO_ACCEL_DOMAIN_SHARED),
	     F(buf_create, usage, IS, VACCEL_ANY_USAGE),
	     F(buf_create, size, SIZE, 0),
	     F(buf_create, alignment, IS, 16),
	     F(buf_create, flags, IS, 0),
	     F(buf_create, handle, RESULT, FUZZ_BUFFER)),
	CALL(4, GEM_CLOSE,
	     DRM(gem_close, handle, LAST, FUZZ_BUFFER)),
	CALL(16, VIRTIO_ACCEL_BUF_WRITE,
	     F(buf_transfer, handle, HANDLE, FUZZ_BUFFER),
	     F(buf_transfer, flags, IS, 0),
	     SELDOM(buf_transfer, offset, SIZE, 0),
	     F(buf_transfer, size, SIZE, 0),
	     F(buf_transfer, addr, DATA, 0)),
	CALL(16, VIRTIO_ACCEL_BUF_READ,
	     F(buf_transfer, handle, HANDLE, FUZZ_BUFFER),
	     F(buf_transfer, flags, IS, 0),
	     SELDOM(buf_transfer, offset, SIZE, 0),
	     F(buf_transfer, size, SIZE, 0),
	     F(buf_transfer, addr, DATA, 0)),
	CALL(8, VIRTIO_ACCEL_PROG_LOAD,
	     F(prog_load, ctx, HANDLE, FUZZ_CONTEXT),
	     F(prog_load, format, IS, VACCEL_MOCK_FORMAT),
	     F(prog_load, flags, IS, 0),
	     F(prog_load, target[0], IS, VACCEL_MOCK_FORMAT),
	     F(prog_load, target[1], IS, 0x00010000),
	     F(prog_load, target[2], IS, 0x54455354),
	     F(prog_load, target[3], IS, 0x4f4e4c59),
	     F(prog_load, artifact_addr, ARTIFACT, 0),
	     F(prog_load, artifact_size, IS, sizeof(struct vaccel_artifact)),
	     F(prog_load, resident_bytes, IS, VACCEL_MOCK_RESIDENT),
	     F(prog_load, handle, RESULT, FUZZ_PROGRAM)),
	CALL(4, VIRTIO_ACCEL_PROG_UNLOAD,
	     F(prog_unload, handle, LAST, FUZZ_PROGRAM),
	     F(prog_unload, pad, IS, 0)),
	CALL(8, VIRTIO_ACCEL_QUEUE_CREATE,
	     F(queue_create, ctx, HANDLE, FUZZ_CONTEXT),
	     F(queue_create, flags, IS, 0),
	     F(queue_create, handle, RESULT, FUZZ_QUEUE)),
	CALL(4, VIRTIO_ACCEL_QUEUE_DESTROY,
	     F(queue_destroy, handle, LAST, FUZZ_QUEUE),
	     F(queue_destroy, pad, IS, 0)),
	CALL(64, VIRTIO_ACCEL_SUBMIT,
	     F(submit, queue, HANDLE, FUZZ_QUEUE),
	     F(submit, program, HANDLE, FUZZ_PROGRAM),
	     ARRAY_OF(submit, bindings, one_binding),
	     F(submit, binding_count, IS, 1),
	     F(submit, binding_stride, IS, sizeof(struct drm_virtio_accel_binding)),
	     F(submit, timeout_ns, TIMEOUT, 0),
	     SELDOM(submit, flags, BELOW, 4),
	     SELDOM(submit, user_data, BITS, 0xffffffff),
	     F(submit, event, RESULT, FUZZ_EVENT)),
	CALL_AS("VIRTIO_ACCEL_SUBMIT (syncs)", 32, VIRTIO_ACCEL_SUBMIT,
	     F(submit, queue, HANDLE, FUZZ_QUEUE),
	     F(submit, program, HANDLE, FUZZ_PROGRAM),
	     ARRAY_OF(submit, bindings, one_binding),
	     F(submit, binding_count, IS, 1),
	     F(submit, binding_stride, IS, sizeof(struct drm_virtio_accel_binding)),
	     F(submit, timeout_ns, IS, 100000000),
	     F(submit, flags, BELOW, 4),
	     F(submit, sync_stride, IS, sizeof(struct drm_virtio_accel_sync)),
	     ARRAY_OF(submit, in_syncs, one_sync),
	     ARRAY_OF(submit, out_syncs, one_sync),
	     SELDOM(submit, in_sync_count, BELOW, 4),
	     F(submit, out_sync_count, IS, 1),
	     F(submit, event, RESULT, FUZZ_EVENT)),
	CALL(16, VIRTIO_ACCEL_EVENT_WAIT,
	     ARRAY_OF(event_wait, events, one_event),
	     F(event_wait, count, BELOW, 4),
	     F(event_wait, flags, BITS, DRM_VIRTIO_ACCEL_WAIT_ALL),
	     F(event_wait, deadline_ns, DEADLINE, 0)),
	CALL(8, VIRTIO_ACCEL_EVENT_CANCEL,
	     F(event_cancel, handle, HANDLE, FUZZ_EVENT),
	     F(event_cancel, pad, IS, 0)),
	CALL(16, VIRTIO_ACCEL_EVENT_DESTROY,
	     F(event_destroy, handle, LAST, FUZZ_EVENT),
	     F(event_destroy, flags, BITS, DRM_VIRTIO_ACCEL_DESTROY_DETACH)),
	CALL(2, SYNCOBJ_CREATE,
	     DRM(syncobj_create, flags, BITS, 1),
	     DRM(syncobj_create, handle, RESULT, FUZZ_SYNCOBJ)),
	CALL(1, SYNCOBJ_DESTROY,
	     DRM(syncobj_destroy, handle, LAST, FUZZ_SYNCOBJ)),
	{ 0 },
};
