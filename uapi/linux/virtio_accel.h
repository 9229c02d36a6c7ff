/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * virtio-accel protocol 1.0: the wire contract between driver and device.
 *
 * This is the one place where the numbers and layouts are written. The guest
 * driver, the host engine and the tests all include it, so that no two of them
 * can disagree. Every multi-byte field is little-endian, every structure has
 * alignment 1 and no padding, and payload lengths are exact.
 */
#ifndef _LINUX_VIRTIO_ACCEL_H
#define _LINUX_VIRTIO_ACCEL_H

#include <linux/types.h>

#define VIRTIO_ACCEL_VERSION_MAJOR		1
#define VIRTIO_ACCEL_VERSION_MINOR		0

/*
 * The protocol has no assigned virtio device id. 63 is the last id that the
 * PCI transport can carry and is set aside for experiments.
 */
#define VIRTIO_ACCEL_ID_EXPERIMENTAL		63

/* Virtqueues. */
#define VIRTIO_ACCEL_COMMAND_VQ			0
#define VIRTIO_ACCEL_VQ_COUNT			1

/* Hard limits. A device advertises at most these. Byte limits are inclusive. */
#define VIRTIO_ACCEL_MIN_CHAIN_DESCRIPTORS	2
#define VIRTIO_ACCEL_MAX_CHAIN_DESCRIPTORS	256
#define VIRTIO_ACCEL_MIN_REQUEST_BYTES		97
#define VIRTIO_ACCEL_MAX_REQUEST_BYTES		16777216
#define VIRTIO_ACCEL_MIN_RESPONSE_BYTES		92
#define VIRTIO_ACCEL_MAX_RESPONSE_BYTES		16777216
#define VIRTIO_ACCEL_MAX_BINDINGS		4096

/*
 * Device-specific feature bits 0..4 are reserved: a 1.0 device never offers
 * one and a driver never accepts one.
 */
#define VIRTIO_ACCEL_F_MULTI_QUEUE		0
#define VIRTIO_ACCEL_F_EVENT_QUEUE		1
#define VIRTIO_ACCEL_F_EXTERNAL_MEMORY		2
#define VIRTIO_ACCEL_F_TIMELINE_FENCES		3
#define VIRTIO_ACCEL_F_SECURE_CONTEXTS		4
#define VIRTIO_ACCEL_F_RESERVED_MASK		0x1f

/* Opcodes: virtio_accel_request_header.opcode. */
#define VIRTIO_ACCEL_OP_GET_DEVICE_INFO		0x0001
#define VIRTIO_ACCEL_OP_CREATE_CONTEXT		0x0100
#define VIRTIO_ACCEL_OP_DESTROY_CONTEXT		0x0101
#define VIRTIO_ACCEL_OP_ALLOCATE_BUFFER		0x0200
#define VIRTIO_ACCEL_OP_FREE_BUFFER		0x0201
#define VIRTIO_ACCEL_OP_WRITE_BUFFER		0x0202
#define VIRTIO_ACCEL_OP_READ_BUFFER		0x0203
#define VIRTIO_ACCEL_OP_LOAD_PROGRAM		0x0300
#define VIRTIO_ACCEL_OP_UNLOAD_PROGRAM		0x0301
#define VIRTIO_ACCEL_OP_CREATE_QUEUE		0x0400
#define VIRTIO_ACCEL_OP_DESTROY_QUEUE		0x0401
#define VIRTIO_ACCEL_OP_SUBMIT			0x0500
#define VIRTIO_ACCEL_OP_POLL_EVENT		0x0501
#define VIRTIO_ACCEL_OP_CANCEL_EVENT		0x0502
#define VIRTIO_ACCEL_OP_DESTROY_EVENT		0x0503

/*
 * Status codes: virtio_accel_response_header.status and
 * virtio_accel_event_state.error. Any other value is an opaque failure.
 */
#define VIRTIO_ACCEL_S_OK			0
#define VIRTIO_ACCEL_S_UNSUPPORTED		1
#define VIRTIO_ACCEL_S_INCOMPATIBLE		2
#define VIRTIO_ACCEL_S_INVALID_ARGUMENT		3
#define VIRTIO_ACCEL_S_OUT_OF_BOUNDS		4
#define VIRTIO_ACCEL_S_BUSY			5
#define VIRTIO_ACCEL_S_OUT_OF_MEMORY		6
#define VIRTIO_ACCEL_S_RESOURCE_LIMIT		7
#define VIRTIO_ACCEL_S_DEADLINE_EXPIRED		8
#define VIRTIO_ACCEL_S_DEVICE_LOST		9
#define VIRTIO_ACCEL_S_PERMISSION_DENIED	10
#define VIRTIO_ACCEL_S_STALE_OBJECT		11
#define VIRTIO_ACCEL_S_INTERNAL_ERROR		0xffff

/* Semantic capabilities: virtio_accel_device_info.capabilities. */
#define VIRTIO_ACCEL_CAP_HOST_VISIBLE_MEMORY	(1u << 0)
#define VIRTIO_ACCEL_CAP_DEVICE_LOCAL_MEMORY	(1u << 1)
#define VIRTIO_ACCEL_CAP_EVENT_CANCELLATION	(1u << 2)
#define VIRTIO_ACCEL_CAP_EXTERNAL_MEMORY	(1u << 3)	/* reserved in 1.0 */
#define VIRTIO_ACCEL_CAP_SECURE_CONTEXTS	(1u << 4)	/* reserved in 1.0 */
#define VIRTIO_ACCEL_CAP_SHARED_MEMORY		(1u << 5)
#define VIRTIO_ACCEL_CAP_RESERVED_MASK		\
	(VIRTIO_ACCEL_CAP_EXTERNAL_MEMORY | VIRTIO_ACCEL_CAP_SECURE_CONTEXTS)
#define VIRTIO_ACCEL_CAP_MEMORY_MASK		\
	(VIRTIO_ACCEL_CAP_HOST_VISIBLE_MEMORY |	\
	 VIRTIO_ACCEL_CAP_DEVICE_LOCAL_MEMORY |	\
	 VIRTIO_ACCEL_CAP_SHARED_MEMORY)

/* Accelerator class: virtio_accel_device_info.device_class. Other values are legal and opaque. */
#define VIRTIO_ACCEL_CLASS_OTHER		0
#define VIRTIO_ACCEL_CLASS_NPU			1
#define VIRTIO_ACCEL_CLASS_GPU			2
#define VIRTIO_ACCEL_CLASS_DSP			3

/* Memory domain: virtio_accel_allocate_buffer.memory_domain. */
#define VIRTIO_ACCEL_DOMAIN_HOST		1
#define VIRTIO_ACCEL_DOMAIN_DEVICE		2
#define VIRTIO_ACCEL_DOMAIN_SHARED		3

/* Buffer usage: virtio_accel_allocate_buffer.usage, a nonempty mask. */
#define VIRTIO_ACCEL_USAGE_TRANSFER_SRC		(1u << 0)	/* READ_BUFFER allowed */
#define VIRTIO_ACCEL_USAGE_TRANSFER_DST		(1u << 1)	/* WRITE_BUFFER allowed */
#define VIRTIO_ACCEL_USAGE_PROGRAM_INPUT	(1u << 2)
#define VIRTIO_ACCEL_USAGE_PROGRAM_OUTPUT	(1u << 3)
#define VIRTIO_ACCEL_USAGE_MUTABLE_STATE	(1u << 4)
#define VIRTIO_ACCEL_USAGE_MASK			0x1f

/* Binding access: virtio_accel_binding.access. */
#define VIRTIO_ACCEL_ACCESS_READ		1
#define VIRTIO_ACCEL_ACCESS_WRITE		2
#define VIRTIO_ACCEL_ACCESS_READ_WRITE		3

/* Event state: virtio_accel_event_state.state. */
#define VIRTIO_ACCEL_EVENT_PENDING		0
#define VIRTIO_ACCEL_EVENT_COMPLETE		1
#define VIRTIO_ACCEL_EVENT_FAILED		2
#define VIRTIO_ACCEL_EVENT_CANCELLED		3

#define VIRTIO_ACCEL_TARGET_WORDS		12
#define VIRTIO_ACCEL_UUID_BYTES			16

/*
 * Device configuration space. A later minor version may append bytes; a 1.0
 * driver reads exactly this prefix.
 */
struct virtio_accel_config {
	__le16 protocol_major;
	__le16 protocol_minor;
	__le16 command_queue_count;
	__le16 max_chain_descriptors;
	__le32 max_request_bytes;
	__le32 max_response_bytes;
} __attribute__((packed));

struct virtio_accel_request_header {
	__le16 opcode;
	__le16 flags;
	__le32 payload_bytes;
	__le64 request_id;
} __attribute__((packed));

struct virtio_accel_response_header {
	__le16 status;
	__le16 flags;
	__le32 payload_bytes;
	__le64 request_id;
} __attribute__((packed));

/* GET_DEVICE_INFO response. */
struct virtio_accel_device_info {
	__u8 uuid[VIRTIO_ACCEL_UUID_BYTES];
	__le16 device_class;
	__le16 reserved;
	__le32 vendor_id;
	__le32 device_id;
	__le64 capabilities;
	__le32 max_contexts;
	__le32 max_buffers_per_context;
	__le32 max_programs_per_context;
	__le32 max_queues_per_context;
	__le32 max_events_per_context;
	__le32 max_bindings_per_submission;
	__le64 max_buffer_bytes;
	__le64 max_artifact_bytes;
} __attribute__((packed));

/*
 * Operand of every destroy, free, unload, poll and cancel command, and the
 * response of every create command and of SUBMIT.
 */
struct virtio_accel_object {
	__le64 object_id;
} __attribute__((packed));

struct virtio_accel_create_context {
	__le32 flags;
	__le32 reserved;
} __attribute__((packed));

struct virtio_accel_allocate_buffer {
	__le64 context_id;
	__le64 bytes;
	__le64 alignment;
	__u8 memory_domain;
	__u8 reserved0[7];
	__le32 usage;
	__le32 reserved1;
} __attribute__((packed));

/* WRITE_BUFFER, followed by @bytes of data, and READ_BUFFER. */
struct virtio_accel_transfer {
	__le64 buffer_id;
	__le64 offset;
	__le64 bytes;
} __attribute__((packed));

/* LOAD_PROGRAM, followed by @payload_bytes of artifact. */
struct virtio_accel_load_program {
	__le64 context_id;
	__le32 format;
	__le32 flags;
	__le32 target[VIRTIO_ACCEL_TARGET_WORDS];
	__le64 payload_bytes;
	__le64 resident_bytes;
} __attribute__((packed));

struct virtio_accel_create_queue {
	__le64 context_id;
	__le32 flags;
	__le32 reserved;
} __attribute__((packed));

/* SUBMIT, followed by @binding_count bindings. */
struct virtio_accel_submit {
	__le64 queue_id;
	__le64 program_id;
	__le32 binding_count;
	__le32 flags;
	__le64 timeout_ns;	/* from admission by the device; 0 is infinite */
} __attribute__((packed));

struct virtio_accel_binding {
	__le64 buffer_id;
	__le64 offset;
	__le64 bytes;
	__le32 slot;
	__u8 access;
	__u8 reserved[3];
} __attribute__((packed));

/* POLL_EVENT response. @error is nonzero exactly when @state is FAILED. */
struct virtio_accel_event_state {
	__le16 state;
	__le16 error;
	__le32 reserved;
} __attribute__((packed));

#endif /* _LINUX_VIRTIO_ACCEL_H */
