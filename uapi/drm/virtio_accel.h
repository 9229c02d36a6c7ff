/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * The ioctl interface of the virtio-accel guest driver.
 *
 * A file of /dev/accel/accelN holds contexts; a context holds buffers, programs
 * and execution queues; a submission to a queue yields an event. Handles are
 * 32-bit, local to the file and never 0. Buffers are GEM objects: they are
 * released with DRM_IOCTL_GEM_CLOSE. Everything is released when the file is
 * closed.
 *
 * Every flags, pad and reserved field must be zero unless a value is defined
 * for it here; anything else fails with EINVAL. docs/uapi.md says what else
 * each ioctl fails with.
 */
#ifndef _DRM_VIRTIO_ACCEL_H
#define _DRM_VIRTIO_ACCEL_H

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define DRM_VIRTIO_ACCEL_DEV_QUERY	0x00
#define DRM_VIRTIO_ACCEL_CTX_CREATE	0x01
#define DRM_VIRTIO_ACCEL_CTX_DESTROY	0x02
#define DRM_VIRTIO_ACCEL_BUF_CREATE	0x03
#define DRM_VIRTIO_ACCEL_BUF_WRITE	0x04
#define DRM_VIRTIO_ACCEL_BUF_READ	0x05
#define DRM_VIRTIO_ACCEL_PROG_LOAD	0x06
#define DRM_VIRTIO_ACCEL_PROG_UNLOAD	0x07
#define DRM_VIRTIO_ACCEL_QUEUE_CREATE	0x08
#define DRM_VIRTIO_ACCEL_QUEUE_DESTROY	0x09
#define DRM_VIRTIO_ACCEL_SUBMIT		0x0a
#define DRM_VIRTIO_ACCEL_EVENT_WAIT	0x0b
#define DRM_VIRTIO_ACCEL_EVENT_CANCEL	0x0c
#define DRM_VIRTIO_ACCEL_EVENT_DESTROY	0x0d

/* Protocol status codes: drm_virtio_accel_submit.status, drm_virtio_accel_event.status. */
#define DRM_VIRTIO_ACCEL_STATUS_OK			0
#define DRM_VIRTIO_ACCEL_STATUS_UNSUPPORTED		1
#define DRM_VIRTIO_ACCEL_STATUS_INCOMPATIBLE		2
#define DRM_VIRTIO_ACCEL_STATUS_INVALID_ARGUMENT	3
#define DRM_VIRTIO_ACCEL_STATUS_OUT_OF_BOUNDS		4
#define DRM_VIRTIO_ACCEL_STATUS_BUSY			5
#define DRM_VIRTIO_ACCEL_STATUS_OUT_OF_MEMORY		6
#define DRM_VIRTIO_ACCEL_STATUS_RESOURCE_LIMIT		7
#define DRM_VIRTIO_ACCEL_STATUS_DEADLINE_EXPIRED	8
#define DRM_VIRTIO_ACCEL_STATUS_DEVICE_LOST		9
#define DRM_VIRTIO_ACCEL_STATUS_PERMISSION_DENIED	10
#define DRM_VIRTIO_ACCEL_STATUS_STALE_OBJECT		11
#define DRM_VIRTIO_ACCEL_STATUS_INTERNAL_ERROR		0xffff

/* drm_virtio_accel_device_info.device_class. Other values are possible. */
#define DRM_VIRTIO_ACCEL_CLASS_OTHER	0
#define DRM_VIRTIO_ACCEL_CLASS_NPU	1
#define DRM_VIRTIO_ACCEL_CLASS_GPU	2
#define DRM_VIRTIO_ACCEL_CLASS_DSP	3

/* drm_virtio_accel_device_info.capabilities. Other bits are possible. */
#define DRM_VIRTIO_ACCEL_CAP_HOST_VISIBLE_MEMORY	(1 << 0)
#define DRM_VIRTIO_ACCEL_CAP_DEVICE_LOCAL_MEMORY	(1 << 1)
#define DRM_VIRTIO_ACCEL_CAP_EVENT_CANCELLATION		(1 << 2)
#define DRM_VIRTIO_ACCEL_CAP_SHARED_MEMORY		(1 << 5)

/* drm_virtio_accel_buf_create.domain */
#define DRM_VIRTIO_ACCEL_DOMAIN_HOST	1
#define DRM_VIRTIO_ACCEL_DOMAIN_DEVICE	2
#define DRM_VIRTIO_ACCEL_DOMAIN_SHARED	3

/* drm_virtio_accel_buf_create.usage, at least one */
#define DRM_VIRTIO_ACCEL_USAGE_TRANSFER_SRC	(1 << 0)
#define DRM_VIRTIO_ACCEL_USAGE_TRANSFER_DST	(1 << 1)
#define DRM_VIRTIO_ACCEL_USAGE_PROGRAM_INPUT	(1 << 2)
#define DRM_VIRTIO_ACCEL_USAGE_PROGRAM_OUTPUT	(1 << 3)
#define DRM_VIRTIO_ACCEL_USAGE_MUTABLE_STATE	(1 << 4)

/* drm_virtio_accel_binding.access */
#define DRM_VIRTIO_ACCEL_ACCESS_READ		1
#define DRM_VIRTIO_ACCEL_ACCESS_WRITE		2
#define DRM_VIRTIO_ACCEL_ACCESS_READ_WRITE	3

/* drm_virtio_accel_event.state */
#define DRM_VIRTIO_ACCEL_EVENT_PENDING		0
#define DRM_VIRTIO_ACCEL_EVENT_COMPLETE		1
#define DRM_VIRTIO_ACCEL_EVENT_FAILED		2
#define DRM_VIRTIO_ACCEL_EVENT_CANCELLED	3

#define DRM_VIRTIO_ACCEL_TARGET_WORDS		12
#define DRM_VIRTIO_ACCEL_UUID_BYTES		16
#define DRM_VIRTIO_ACCEL_MAX_BINDINGS		4096
#define DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS	64
#define DRM_VIRTIO_ACCEL_MAX_SYNCS		64

/* drm_virtio_accel_dev_query.type */
#define DRM_VIRTIO_ACCEL_QUERY_DEVICE_INFO	0

/**
 * struct drm_virtio_accel_device_info - what the device is and can do
 *
 * Constant while the file is open.
 */
struct drm_virtio_accel_device_info {
	/** @uuid: stable identity of the accelerator */
	__u8 uuid[DRM_VIRTIO_ACCEL_UUID_BYTES];
	/** @protocol_major: wire protocol version of the device */
	__u16 protocol_major;
	/** @protocol_minor: see @protocol_major */
	__u16 protocol_minor;
	/** @device_class: DRM_VIRTIO_ACCEL_CLASS_* */
	__u16 device_class;
	/** @pad: zero */
	__u16 pad;
	/** @vendor_id: provider's vendor number, 0 if unspecified */
	__u32 vendor_id;
	/** @device_id: provider's device number, 0 if unspecified */
	__u32 device_id;
	/** @capabilities: DRM_VIRTIO_ACCEL_CAP_* */
	__u64 capabilities;
	/** @max_contexts: for the whole device */
	__u32 max_contexts;
	/** @max_buffers_per_context: live buffers */
	__u32 max_buffers_per_context;
	/** @max_programs_per_context: loaded programs */
	__u32 max_programs_per_context;
	/** @max_queues_per_context: execution queues */
	__u32 max_queues_per_context;
	/** @max_events_per_context: events that have not ended */
	__u32 max_events_per_context;
	/** @max_bindings_per_submission: at most DRM_VIRTIO_ACCEL_MAX_BINDINGS */
	__u32 max_bindings_per_submission;
	/** @max_buffer_bytes: size of the largest buffer */
	__u64 max_buffer_bytes;
	/** @max_artifact_bytes: size of the largest program that can be loaded */
	__u64 max_artifact_bytes;
	/** @max_fence_timeout_ns: longest timeout of a submission with out-syncs */
	__u64 max_fence_timeout_ns;
};

/**
 * struct drm_virtio_accel_dev_query - DRM_IOCTL_VIRTIO_ACCEL_DEV_QUERY
 *
 * With a zero @pointer, returns the size of the structure in @size. Otherwise
 * copies at most @size bytes and returns the number copied in @size.
 */
struct drm_virtio_accel_dev_query {
	/** @type: in, DRM_VIRTIO_ACCEL_QUERY_* */
	__u32 type;
	/** @size: in/out */
	__u32 size;
	/** @pointer: in, user address of the structure, or 0 */
	__u64 pointer;
};

/** struct drm_virtio_accel_ctx_create - DRM_IOCTL_VIRTIO_ACCEL_CTX_CREATE */
struct drm_virtio_accel_ctx_create {
	/** @flags: in, zero */
	__u32 flags;
	/** @handle: out */
	__u32 handle;
};

/**
 * struct drm_virtio_accel_ctx_destroy - DRM_IOCTL_VIRTIO_ACCEL_CTX_DESTROY
 *
 * The handles of the context and of its programs, queues and events die at
 * once; its buffer handles stay but cannot be used any more. The device frees
 * the objects in the background.
 */
struct drm_virtio_accel_ctx_destroy {
	/** @handle: in */
	__u32 handle;
	/** @pad: in, zero */
	__u32 pad;
};

/**
 * struct drm_virtio_accel_buf_create - DRM_IOCTL_VIRTIO_ACCEL_BUF_CREATE
 *
 * The contents start as zero. The handle is a GEM handle.
 */
struct drm_virtio_accel_buf_create {
	/** @ctx: in */
	__u32 ctx;
	/** @domain: in, DRM_VIRTIO_ACCEL_DOMAIN_* */
	__u32 domain;
	/** @usage: in, mask of DRM_VIRTIO_ACCEL_USAGE_* */
	__u32 usage;
	/** @flags: in, zero */
	__u32 flags;
	/** @size: in, bytes, 1 to max_buffer_bytes */
	__u64 size;
	/** @alignment: in, a power of two */
	__u64 alignment;
	/** @handle: out */
	__u32 handle;
	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_virtio_accel_buf_transfer - DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE, _BUF_READ
 *
 * Copies between user memory and a buffer. EBUSY while a pending event refers to
 * the buffer. A long transfer can end early with a signal: then it returns 0 and
 * @done is less than @size. When it fails, too, the first @done bytes were
 * transferred, and any part of the rest may have been.
 *
 * A large transfer may pin the memory meanwhile, as far as RLIMIT_MEMLOCK allows;
 * beyond that, and where memory cannot be pinned, it goes through a copy in the
 * kernel. After ENODEV, and in a process that was killed, the device may still
 * write to the memory of a read until it is reset.
 */
struct drm_virtio_accel_buf_transfer {
	/** @handle: in */
	__u32 handle;
	/** @flags: in, zero */
	__u32 flags;
	/** @offset: in, bytes from the start of the buffer */
	__u64 offset;
	/** @size: in, bytes, not zero */
	__u64 size;
	/** @addr: in, user address */
	__u64 addr;
	/** @done: out, bytes transferred */
	__u64 done;
};

/** struct drm_virtio_accel_prog_load - DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD */
struct drm_virtio_accel_prog_load {
	/** @ctx: in */
	__u32 ctx;
	/** @format: in, format of the artifact, not zero */
	__u32 format;
	/** @flags: in, zero */
	__u32 flags;
	/** @pad: in, zero */
	__u32 pad;
	/** @target: in, exact target that the artifact was made for */
	__u32 target[DRM_VIRTIO_ACCEL_TARGET_WORDS];
	/** @artifact_addr: in, user address */
	__u64 artifact_addr;
	/** @artifact_size: in, bytes, 1 to max_artifact_bytes */
	__u64 artifact_size;
	/** @resident_bytes: in, most that the device may retain for it, not zero */
	__u64 resident_bytes;
	/** @handle: out */
	__u32 handle;
	/** @pad2: zero */
	__u32 pad2;
};

/**
 * struct drm_virtio_accel_prog_unload - DRM_IOCTL_VIRTIO_ACCEL_PROG_UNLOAD
 *
 * The handle dies at once; events that use the program keep it alive.
 */
struct drm_virtio_accel_prog_unload {
	/** @handle: in */
	__u32 handle;
	/** @pad: in, zero */
	__u32 pad;
};

/** struct drm_virtio_accel_queue_create - DRM_IOCTL_VIRTIO_ACCEL_QUEUE_CREATE */
struct drm_virtio_accel_queue_create {
	/** @ctx: in */
	__u32 ctx;
	/** @flags: in, zero */
	__u32 flags;
	/** @handle: out */
	__u32 handle;
	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_virtio_accel_queue_destroy - DRM_IOCTL_VIRTIO_ACCEL_QUEUE_DESTROY
 *
 * The handle dies at once; events of the queue keep it alive.
 */
struct drm_virtio_accel_queue_destroy {
	/** @handle: in */
	__u32 handle;
	/** @pad: in, zero */
	__u32 pad;
};

/** struct drm_virtio_accel_binding - a range of a buffer, bound to a slot */
struct drm_virtio_accel_binding {
	/** @buffer: GEM handle, of the context of the queue */
	__u32 buffer;
	/** @slot: unique within the submission */
	__u32 slot;
	/** @access: DRM_VIRTIO_ACCEL_ACCESS_* */
	__u32 access;
	/** @flags: zero */
	__u32 flags;
	/** @offset: bytes from the start of the buffer */
	__u64 offset;
	/** @size: bytes, not zero */
	__u64 size;
};

/**
 * struct drm_virtio_accel_sync - a point of a drm_syncobj
 *
 * As an in-sync, what to wait for; as an out-sync, where to put the fence.
 */
struct drm_virtio_accel_sync {
	/** @handle: syncobj of this file */
	__u32 handle;
	/** @flags: zero */
	__u32 flags;
	/** @point: of a timeline, or 0 for the syncobj itself */
	__u64 point;
};

/* drm_virtio_accel_submit.flags */
/* Send a struct drm_virtio_accel_event_done when the event ends. */
#define DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY	(1 << 0)
/* Return no event handle; the driver releases the event when it ends. */
#define DRM_VIRTIO_ACCEL_SUBMIT_DETACH	(1 << 1)

/**
 * struct drm_virtio_accel_submit - DRM_IOCTL_VIRTIO_ACCEL_SUBMIT
 *
 * Returns 0 with a nonzero @event when the device accepted the work. It also
 * returns 0 with a nonzero @status when the device cannot say whether it did:
 * the event is real and holds the objects. Otherwise the ioctl fails and
 * nothing was submitted.
 *
 * With @in_syncs the device is asked later, when they have signalled, and a
 * refusal makes the event FAILED with the status of the refusal. If one signals
 * with an error, the event is CANCELLED. An in-sync without a fence fails with
 * EINVAL.
 *
 * With @out_syncs, whose fence must signal in finite time, @timeout_ns must be
 * from 1 to max_fence_timeout_ns. The fence signals when the event ends and
 * has an error unless the event is COMPLETE: ECANCELED, ETIME, ENODEV or EIO.
 * Work that the device does not end in time fails with DEADLINE_EXPIRED; if it
 * cannot be cancelled either, SUBMIT fails with ECANCELED in its context.
 */
struct drm_virtio_accel_submit {
	/** @queue: in */
	__u32 queue;
	/** @program: in */
	__u32 program;
	/** @bindings: in, user address of an array */
	__u64 bindings;
	/** @binding_count: in, 1 to max_bindings_per_submission */
	__u32 binding_count;
	/**
	 * @binding_stride: in, sizeof(struct drm_virtio_accel_binding) as the caller
	 * knows it, at most a page; what this kernel does not know must be zero
	 */
	__u32 binding_stride;
	/** @timeout_ns: in, from admission by the device; 0 is no limit */
	__u64 timeout_ns;
	/** @flags: in, DRM_VIRTIO_ACCEL_SUBMIT_* */
	__u32 flags;
	/** @event: out, handle, or 0 with DRM_VIRTIO_ACCEL_SUBMIT_DETACH */
	__u32 event;
	/** @status: out, DRM_VIRTIO_ACCEL_STATUS_OK, or why admission is uncertain */
	__u32 status;
	/**
	 * @sync_stride: in, sizeof(struct drm_virtio_accel_sync) like
	 * @binding_stride; zero if there are no syncs
	 */
	__u32 sync_stride;
	/** @in_syncs: in, user address of an array */
	__u64 in_syncs;
	/** @out_syncs: in, user address of an array */
	__u64 out_syncs;
	/** @in_sync_count: in, at most DRM_VIRTIO_ACCEL_MAX_SYNCS */
	__u32 in_sync_count;
	/** @out_sync_count: in, at most DRM_VIRTIO_ACCEL_MAX_SYNCS */
	__u32 out_sync_count;
	/** @user_data: in, for DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY, else zero */
	__u64 user_data;
};

/* drm_event.type of struct drm_virtio_accel_event_done */
#define DRM_VIRTIO_ACCEL_EVENT_DONE	0x80000000

/**
 * struct drm_virtio_accel_event_done - what read(2) returns when an event has ended
 *
 * One for each submission with DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY. Space for it is
 * reserved by SUBMIT, which fails with ENOMEM when too many are unread. After
 * the loss of the device @state is FAILED and @status DEVICE_LOST.
 */
struct drm_virtio_accel_event_done {
	/** @base: DRM_VIRTIO_ACCEL_EVENT_DONE and the size of this structure */
	struct drm_event base;
	/** @user_data: of the submission */
	__u64 user_data;
	/** @event: handle, or 0 if the submission was detached */
	__u32 event;
	/** @state: DRM_VIRTIO_ACCEL_EVENT_* */
	__u32 state;
	/** @status: why the event FAILED, else 0 */
	__u32 status;
	/** @pad: zero */
	__u32 pad;
};

/** struct drm_virtio_accel_event - an event and its state */
struct drm_virtio_accel_event {
	/** @handle: in */
	__u32 handle;
	/** @state: out, DRM_VIRTIO_ACCEL_EVENT_* */
	__u32 state;
	/** @status: out, why the event FAILED, else 0 */
	__u32 status;
	/** @pad: in, zero */
	__u32 pad;
};

/* drm_virtio_accel_event_wait.flags */
#define DRM_VIRTIO_ACCEL_WAIT_ALL	(1 << 0)

/**
 * struct drm_virtio_accel_event_wait - DRM_IOCTL_VIRTIO_ACCEL_EVENT_WAIT
 *
 * Waits until one event, or with DRM_VIRTIO_ACCEL_WAIT_ALL every event, is no
 * longer pending, and returns the states of all of them. Fails with ETIME when
 * the deadline passes first; the states are valid then, too.
 *
 * An event that is no longer pending holds nothing any more: its buffers can be
 * read as soon as EVENT_WAIT, a DRM event or a fence has told of it.
 */
struct drm_virtio_accel_event_wait {
	/** @events: in, user address of an array of struct drm_virtio_accel_event */
	__u64 events;
	/** @count: in, 1 to DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS */
	__u32 count;
	/** @flags: in, DRM_VIRTIO_ACCEL_WAIT_* */
	__u32 flags;
	/** @deadline_ns: in, CLOCK_MONOTONIC; in the past means poll once */
	__s64 deadline_ns;
};

/**
 * struct drm_virtio_accel_event_cancel - DRM_IOCTL_VIRTIO_ACCEL_EVENT_CANCEL
 *
 * EBUSY if the event has ended already.
 */
struct drm_virtio_accel_event_cancel {
	/** @handle: in */
	__u32 handle;
	/** @pad: in, zero */
	__u32 pad;
};

/* drm_virtio_accel_event_destroy.flags */
#define DRM_VIRTIO_ACCEL_DESTROY_DETACH	(1 << 0)

/**
 * struct drm_virtio_accel_event_destroy - DRM_IOCTL_VIRTIO_ACCEL_EVENT_DESTROY
 *
 * EBUSY while the event is pending, unless DRM_VIRTIO_ACCEL_DESTROY_DETACH is
 * given: then the handle dies at once, and the event ends by itself.
 */
struct drm_virtio_accel_event_destroy {
	/** @handle: in */
	__u32 handle;
	/** @flags: in, DRM_VIRTIO_ACCEL_DESTROY_* */
	__u32 flags;
};

#define DRM_VIRTIO_ACCEL_IO(dir, number, type) \
	DRM_IO##dir(DRM_COMMAND_BASE + DRM_VIRTIO_ACCEL_##number, struct drm_virtio_accel_##type)
#define DRM_IOCTL_VIRTIO_ACCEL_DEV_QUERY	DRM_VIRTIO_ACCEL_IO(WR, DEV_QUERY, dev_query)
#define DRM_IOCTL_VIRTIO_ACCEL_CTX_CREATE	DRM_VIRTIO_ACCEL_IO(WR, CTX_CREATE, ctx_create)
#define DRM_IOCTL_VIRTIO_ACCEL_CTX_DESTROY	DRM_VIRTIO_ACCEL_IO(W, CTX_DESTROY, ctx_destroy)
#define DRM_IOCTL_VIRTIO_ACCEL_BUF_CREATE	DRM_VIRTIO_ACCEL_IO(WR, BUF_CREATE, buf_create)
#define DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE	DRM_VIRTIO_ACCEL_IO(WR, BUF_WRITE, buf_transfer)
#define DRM_IOCTL_VIRTIO_ACCEL_BUF_READ		DRM_VIRTIO_ACCEL_IO(WR, BUF_READ, buf_transfer)
#define DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD	DRM_VIRTIO_ACCEL_IO(WR, PROG_LOAD, prog_load)
#define DRM_IOCTL_VIRTIO_ACCEL_PROG_UNLOAD	DRM_VIRTIO_ACCEL_IO(W, PROG_UNLOAD, prog_unload)
#define DRM_IOCTL_VIRTIO_ACCEL_QUEUE_CREATE	DRM_VIRTIO_ACCEL_IO(WR, QUEUE_CREATE, queue_create)
#define DRM_IOCTL_VIRTIO_ACCEL_QUEUE_DESTROY	DRM_VIRTIO_ACCEL_IO(W, QUEUE_DESTROY, queue_destroy)
#define DRM_IOCTL_VIRTIO_ACCEL_SUBMIT		DRM_VIRTIO_ACCEL_IO(WR, SUBMIT, submit)
#define DRM_IOCTL_VIRTIO_ACCEL_EVENT_WAIT	DRM_VIRTIO_ACCEL_IO(WR, EVENT_WAIT, event_wait)
#define DRM_IOCTL_VIRTIO_ACCEL_EVENT_CANCEL	DRM_VIRTIO_ACCEL_IO(W, EVENT_CANCEL, event_cancel)
#define DRM_IOCTL_VIRTIO_ACCEL_EVENT_DESTROY	DRM_VIRTIO_ACCEL_IO(W, EVENT_DESTROY, event_destroy)

#if defined(__cplusplus)
}
#endif

#endif /* _DRM_VIRTIO_ACCEL_H */
