// SPDX-License-Identifier: MIT
/*
 * Every ioctl with every argument wrong, one at a time, and the errno that
 * drm/virtio_accel.h promises for it.
 */
#include "kselftest_harness.h"
#include "vaccel_util.h"

/* One field of an otherwise valid argument. */
struct mutation {
	const char *what;
	size_t offset;
	size_t size;
	__u64 value;
	int error;
};

#define WITH(type, field, wrong, errno_)                                                        \
	{ #field " = " #wrong, offsetof(struct type, field), sizeof(((struct type *)0)->field), \
	  (wrong), (errno_) }
#define INVALID(type, field, wrong) WITH(type, field, wrong, EINVAL)
/* A field that must be zero: the lowest and the highest bit. */
#define MBZ(type, field) INVALID(type, field, 1), INVALID(type, field, 1U << 31)

#define HANDLE(type, field) offsetof(struct type, field)

union any_args {
	__u8 bytes[128];
	__u64 alignment;
};

static void refuse_all(struct __test_metadata *_metadata, int fd, unsigned long request,
		       const void *valid, const struct mutation *wrong, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		union any_args args = { 0 };

		memcpy(args.bytes, valid, _IOC_SIZE(request));
		memcpy(&args.bytes[wrong[i].offset], &wrong[i].value, wrong[i].size);
		EXPECT_EQ(wrong[i].error, vaccel_ioctl(fd, request, &args))
		{
			TH_LOG("ioctl 0x%02lx with %s", _IOC_NR(request), wrong[i].what);
		}
	}
}

#define REFUSE(request, valid, ...)                                                         \
	do {                                                                                \
		const struct mutation wrong[] = { __VA_ARGS__ };                            \
		refuse_all(_metadata, self->fd, request, valid, wrong, ARRAY_COUNT(wrong)); \
	} while (0)

/*
 * @own has one object of each kind, all with different handles, so that each is a
 * wrong handle for every other kind, whether or not kinds share a number space.
 */
FIXTURE(abi)
{
	int fd;
	int foreign_fd;
	struct vaccel_session own;
	struct vaccel_session foreign;
	__u32 event;
	__u32 foreign_event;
};

static void create_distinct(struct __test_metadata *_metadata, FIXTURE_DATA(abi) * self)
{
	enum { CTX = 1, PROG = 2, QUEUE = 3, EVENT = 4, BUF = 7 };
	struct vaccel_artifact xor =
		vaccel_artifact(VACCEL_XOR, VACCEL_XOR_SLOT, VACCEL_NO_SLOT, VACCEL_XOR_OPERAND);
	struct vaccel_session *own = &self->own;
	__u32 ctx, prog[PROG], queue[QUEUE], event[EVENT], buf[BUF];

	own->fd = self->fd;
	ASSERT_EQ(0, vaccel_ctx_create(self->fd, &ctx));
	ASSERT_EQ(0, vaccel_ctx_create(self->fd, &own->ctx));
	for (int i = 0; i < PROG; i++)
		ASSERT_EQ(0, vaccel_prog_load(self->fd, own->ctx, xor, &prog[i]));
	ASSERT_EQ(0, vaccel_prog_load(self->fd, own->ctx, xor, &own->prog));
	for (int i = 0; i < QUEUE; i++)
		ASSERT_EQ(0, vaccel_queue_create(self->fd, own->ctx, &queue[i]));
	ASSERT_EQ(0, vaccel_queue_create(self->fd, own->ctx, &own->queue));
	for (int i = 0; i < BUF; i++)
		ASSERT_EQ(0, vaccel_buf_create(self->fd, own->ctx, VACCEL_BUF_SIZE, &buf[i]));
	ASSERT_EQ(0, vaccel_buf_create(self->fd, own->ctx, VACCEL_BUF_SIZE, &own->buf));
	for (int i = 0; i < EVENT; i++)
		ASSERT_EQ(0, vaccel_session_submit(own, &event[i]));
	ASSERT_EQ(0, vaccel_session_submit(own, &self->event));

	for (int i = 0; i < EVENT; i++) {
		ASSERT_EQ(0, vaccel_wait_complete(self->fd, event[i]));
		ASSERT_EQ(0, vaccel_event_destroy(self->fd, event[i], 0));
	}
	ASSERT_EQ(0, vaccel_wait_complete(self->fd, self->event));
	for (int i = 0; i < BUF; i++)
		ASSERT_EQ(0, vaccel_buf_close(self->fd, buf[i]));
	for (int i = 0; i < QUEUE; i++)
		ASSERT_EQ(0, vaccel_queue_destroy(self->fd, queue[i]));
	for (int i = 0; i < PROG; i++)
		ASSERT_EQ(0, vaccel_prog_unload(self->fd, prog[i]));
	ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, ctx));
}

FIXTURE_SETUP(abi)
{
	self->foreign_fd = -1;
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	create_distinct(_metadata, self);
	self->foreign_fd = vaccel_open();
	ASSERT_GE(self->foreign_fd, 0);
	ASSERT_EQ(0, vaccel_session_create(self->foreign_fd, &self->foreign));
	ASSERT_EQ(0, vaccel_session_submit(&self->foreign, &self->foreign_event));
}

FIXTURE_TEARDOWN(abi)
{
	if (self->foreign_fd >= 0)
		close(self->foreign_fd);
	if (self->fd >= 0)
		close(self->fd);
}

/* With each handle that is not a handle, is of another file, or of another kind. */
static void refuse_handles(struct __test_metadata *_metadata, const FIXTURE_DATA(abi) * self,
			   unsigned long request, const void *valid, size_t offset)
{
	const struct vaccel_session *own = &self->own, *foreign = &self->foreign;
	const __u32 handles[] = {
		0,
		VACCEL_BAD_HANDLE,
		UINT32_MAX,
		foreign->ctx,
		foreign->buf,
		foreign->prog,
		foreign->queue,
		self->foreign_event,
		own->ctx,
		own->buf,
		own->prog,
		own->queue,
		self->event,
	};
	__u32 right;

	memcpy(&right, (const __u8 *)valid + offset, sizeof(right));
	for (size_t i = 0; i < ARRAY_COUNT(handles); i++) {
		const struct mutation wrong = { "that handle", offset, sizeof(right), handles[i],
						ENOENT };

		if (handles[i] == right)
			continue;
		refuse_all(_metadata, self->fd, request, valid, &wrong, 1);
	}
}

TEST_F(abi, dev_query)
{
	struct drm_virtio_accel_device_info info, part;
	struct drm_virtio_accel_dev_query query = { .type = DRM_VIRTIO_ACCEL_QUERY_DEVICE_INFO };
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_DEV_QUERY;

	ASSERT_EQ(0, vaccel_ioctl(self->fd, request, &query));
	EXPECT_EQ(sizeof(info), query.size);

	ASSERT_EQ(0, vaccel_query(self->fd, &info));
	EXPECT_EQ(1, info.protocol_major);
	EXPECT_EQ(0, info.pad);
	EXPECT_NE(0, info.max_contexts);
	EXPECT_NE(0, info.max_buffer_bytes);

	memset(&part, 0xcc, sizeof(part));
	query.pointer = (uintptr_t)&part;
	query.size = sizeof(part.uuid);
	ASSERT_EQ(0, vaccel_ioctl(self->fd, request, &query));
	EXPECT_EQ(sizeof(part.uuid), query.size);
	EXPECT_EQ(0, memcmp(part.uuid, info.uuid, sizeof(part.uuid)));
	EXPECT_EQ(0xcccc, part.protocol_major);

	query.size = UINT32_MAX;
	ASSERT_EQ(0, vaccel_ioctl(self->fd, request, &query));
	EXPECT_EQ(sizeof(part), query.size);
	EXPECT_EQ(0, memcmp(&part, &info, sizeof(part)));

	query.size = sizeof(part);
	REFUSE(request, &query, INVALID(drm_virtio_accel_dev_query, type, 1),
	       INVALID(drm_virtio_accel_dev_query, type, UINT32_MAX),
	       WITH(drm_virtio_accel_dev_query, pointer, VACCEL_BAD_ADDR, EFAULT),
	       WITH(drm_virtio_accel_dev_query, pointer, 1, EFAULT));
}

TEST_F(abi, ctx_create)
{
	struct drm_virtio_accel_ctx_create args = { .handle = 0xcccccccc };

	REFUSE(DRM_IOCTL_VIRTIO_ACCEL_CTX_CREATE, &args, MBZ(drm_virtio_accel_ctx_create, flags));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, DRM_IOCTL_VIRTIO_ACCEL_CTX_CREATE, &args));
	EXPECT_NE(0, args.handle);
	EXPECT_NE(0xcccccccc, args.handle);
}

TEST_F(abi, ctx_destroy)
{
	struct drm_virtio_accel_ctx_destroy args = { .handle = self->own.ctx };
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_CTX_DESTROY;

	REFUSE(request, &args, MBZ(drm_virtio_accel_ctx_destroy, pad));
	refuse_handles(_metadata, self, request, &args,
		       HANDLE(drm_virtio_accel_ctx_destroy, handle));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
}

TEST_F(abi, buf_create)
{
	struct drm_virtio_accel_buf_create args = {
		.ctx = self->own.ctx,
		.domain = DRM_VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = DRM_VIRTIO_ACCEL_USAGE_TRANSFER_SRC,
		.size = 1,
		.alignment = 1,
		.handle = 0xcccccccc,
	};
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_BUF_CREATE;
	struct drm_virtio_accel_device_info info;

	ASSERT_EQ(0, vaccel_query(self->fd, &info));
	REFUSE(request, &args, INVALID(drm_virtio_accel_buf_create, domain, 0),
	       INVALID(drm_virtio_accel_buf_create, domain, 4),
	       INVALID(drm_virtio_accel_buf_create, domain, 0x101),
	       INVALID(drm_virtio_accel_buf_create, usage, 0),
	       INVALID(drm_virtio_accel_buf_create, usage, 1U << 5),
	       INVALID(drm_virtio_accel_buf_create, usage, 1U << 31),
	       INVALID(drm_virtio_accel_buf_create, size, 0),
	       INVALID(drm_virtio_accel_buf_create, size, info.max_buffer_bytes + 1),
	       INVALID(drm_virtio_accel_buf_create, size, UINT64_MAX),
	       INVALID(drm_virtio_accel_buf_create, alignment, 0),
	       INVALID(drm_virtio_accel_buf_create, alignment, 3),
	       INVALID(drm_virtio_accel_buf_create, alignment, UINT64_MAX),
	       MBZ(drm_virtio_accel_buf_create, flags), MBZ(drm_virtio_accel_buf_create, pad));
	refuse_handles(_metadata, self, request, &args, HANDLE(drm_virtio_accel_buf_create, ctx));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
	EXPECT_NE(0, args.handle);
	EXPECT_NE(0xcccccccc, args.handle);
}

TEST_F(abi, buf_transfer)
{
	const unsigned long requests[] = { DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE,
					   DRM_IOCTL_VIRTIO_ACCEL_BUF_READ };
	__u8 data[VACCEL_BUF_SIZE] = { 0 };
	struct drm_virtio_accel_buf_transfer args = {
		.handle = self->own.buf,
		.size = sizeof(data),
		.addr = (uintptr_t)data,
		.done = UINT64_MAX,
	};

	ASSERT_EQ(0, vaccel_event_destroy(self->fd, self->event, 0));
	for (size_t i = 0; i < ARRAY_COUNT(requests); i++) {
		REFUSE(requests[i], &args, MBZ(drm_virtio_accel_buf_transfer, flags),
		       INVALID(drm_virtio_accel_buf_transfer, size, 0),
		       WITH(drm_virtio_accel_buf_transfer, addr, 0, EFAULT),
		       WITH(drm_virtio_accel_buf_transfer, addr, VACCEL_BAD_ADDR, EFAULT),
		       WITH(drm_virtio_accel_buf_transfer, addr, UINT64_MAX, EFAULT));
		refuse_handles(_metadata, self, requests[i], &args,
			       HANDLE(drm_virtio_accel_buf_transfer, handle));
		EXPECT_EQ(0, vaccel_ioctl(self->fd, requests[i], &args));
		EXPECT_EQ(sizeof(data), args.done);
	}
}

TEST_F(abi, prog_load)
{
	struct vaccel_artifact artifact = vaccel_artifact(VACCEL_BARRIER, 0, VACCEL_NO_SLOT, 0);
	struct drm_virtio_accel_prog_load args = vaccel_load_args(self->own.ctx, &artifact);
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD;
	struct drm_virtio_accel_device_info info;

	ASSERT_EQ(0, vaccel_query(self->fd, &info));
	REFUSE(request, &args, INVALID(drm_virtio_accel_prog_load, format, 0),
	       MBZ(drm_virtio_accel_prog_load, flags), MBZ(drm_virtio_accel_prog_load, pad),
	       MBZ(drm_virtio_accel_prog_load, pad2),
	       INVALID(drm_virtio_accel_prog_load, artifact_size, 0),
	       INVALID(drm_virtio_accel_prog_load, artifact_size, info.max_artifact_bytes + 1),
	       INVALID(drm_virtio_accel_prog_load, artifact_size, UINT64_MAX),
	       INVALID(drm_virtio_accel_prog_load, resident_bytes, 0),
	       WITH(drm_virtio_accel_prog_load, artifact_addr, 0, EFAULT),
	       WITH(drm_virtio_accel_prog_load, artifact_addr, VACCEL_BAD_ADDR, EFAULT));
	refuse_handles(_metadata, self, request, &args, HANDLE(drm_virtio_accel_prog_load, ctx));

	/* Refusals by the device. */
	REFUSE(request, &args, WITH(drm_virtio_accel_prog_load, format, 0xffffffff, EOPNOTSUPP),
	       WITH(drm_virtio_accel_prog_load, target, 0, ENOEXEC),
	       WITH(drm_virtio_accel_prog_load, resident_bytes, 65, ENOEXEC),
	       INVALID(drm_virtio_accel_prog_load, artifact_size, 23));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
	EXPECT_NE(0, args.handle);
}

TEST_F(abi, prog_unload)
{
	struct drm_virtio_accel_prog_unload args = { .handle = self->own.prog };
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_PROG_UNLOAD;

	REFUSE(request, &args, MBZ(drm_virtio_accel_prog_unload, pad));
	refuse_handles(_metadata, self, request, &args,
		       HANDLE(drm_virtio_accel_prog_unload, handle));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
}

TEST_F(abi, queue_create)
{
	struct drm_virtio_accel_queue_create args = { .ctx = self->own.ctx };
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_QUEUE_CREATE;

	REFUSE(request, &args, MBZ(drm_virtio_accel_queue_create, flags),
	       MBZ(drm_virtio_accel_queue_create, pad));
	refuse_handles(_metadata, self, request, &args, HANDLE(drm_virtio_accel_queue_create, ctx));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
	EXPECT_NE(0, args.handle);
}

TEST_F(abi, queue_destroy)
{
	struct drm_virtio_accel_queue_destroy args = { .handle = self->own.queue };
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_QUEUE_DESTROY;

	REFUSE(request, &args, MBZ(drm_virtio_accel_queue_destroy, pad));
	refuse_handles(_metadata, self, request, &args,
		       HANDLE(drm_virtio_accel_queue_destroy, handle));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
}

TEST_F(abi, submit)
{
	struct drm_virtio_accel_binding binding = vaccel_xor_binding(&self->own);
	struct drm_virtio_accel_submit args = {
		.queue = self->own.queue,
		.program = self->own.prog,
		.bindings = (uintptr_t)&binding,
		.binding_count = 1,
		.binding_stride = sizeof(binding),
		.event = 0xcccccccc,
		.status = 0xcccccccc,
	};
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_SUBMIT;
	struct drm_virtio_accel_device_info info;

	ASSERT_EQ(0, vaccel_query(self->fd, &info));
	REFUSE(request, &args, INVALID(drm_virtio_accel_submit, flags, 1U << 2),
	       INVALID(drm_virtio_accel_submit, flags, 1U << 31),
	       MBZ(drm_virtio_accel_submit, user_data),
	       MBZ(drm_virtio_accel_submit, sync_stride),
	       INVALID(drm_virtio_accel_submit, in_sync_count, 1),
	       INVALID(drm_virtio_accel_submit, out_sync_count, 1),
	       INVALID(drm_virtio_accel_submit, in_sync_count, UINT32_MAX),
	       INVALID(drm_virtio_accel_submit, out_sync_count, UINT32_MAX),
	       INVALID(drm_virtio_accel_submit, binding_count, 0),
	       INVALID(drm_virtio_accel_submit, binding_count,
		       info.max_bindings_per_submission + 1),
	       INVALID(drm_virtio_accel_submit, binding_count, UINT32_MAX),
	       INVALID(drm_virtio_accel_submit, binding_stride, 0),
	       INVALID(drm_virtio_accel_submit, binding_stride, sizeof(binding) - 1),
	       WITH(drm_virtio_accel_submit, bindings, 0, EFAULT),
	       WITH(drm_virtio_accel_submit, bindings, VACCEL_BAD_ADDR, EFAULT));
	refuse_handles(_metadata, self, request, &args, HANDLE(drm_virtio_accel_submit, queue));
	refuse_handles(_metadata, self, request, &args, HANDLE(drm_virtio_accel_submit, program));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
	EXPECT_NE(0, args.event);
	EXPECT_NE(0xcccccccc, args.event);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_STATUS_OK, args.status);
}

TEST_F(abi, event_wait)
{
	struct drm_virtio_accel_event event = { .handle = self->event };
	struct drm_virtio_accel_event_wait args = { .events = (uintptr_t)&event, .count = 1 };
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_EVENT_WAIT;

	REFUSE(request, &args, INVALID(drm_virtio_accel_event_wait, count, 0),
	       INVALID(drm_virtio_accel_event_wait, count, DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS + 1),
	       INVALID(drm_virtio_accel_event_wait, count, UINT32_MAX),
	       INVALID(drm_virtio_accel_event_wait, flags, 1U << 1),
	       INVALID(drm_virtio_accel_event_wait, flags, 1U << 31),
	       WITH(drm_virtio_accel_event_wait, events, 0, EFAULT),
	       WITH(drm_virtio_accel_event_wait, events, VACCEL_BAD_ADDR, EFAULT));

	event.pad = 1;
	EXPECT_EQ(EINVAL, vaccel_ioctl(self->fd, request, &args));
	event.pad = 0;
	event.handle = 0;
	EXPECT_EQ(ENOENT, vaccel_ioctl(self->fd, request, &args));
	event.handle = self->foreign_event;
	EXPECT_EQ(ENOENT, vaccel_ioctl(self->fd, request, &args));
	event.handle = self->own.queue;
	EXPECT_EQ(ENOENT, vaccel_ioctl(self->fd, request, &args));

	event.handle = self->event;
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_COMPLETE, event.state);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_STATUS_OK, event.status);
}

TEST_F(abi, event_cancel)
{
	struct drm_virtio_accel_event_cancel args = { .handle = self->event };
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_EVENT_CANCEL;

	REFUSE(request, &args, MBZ(drm_virtio_accel_event_cancel, pad));
	refuse_handles(_metadata, self, request, &args,
		       HANDLE(drm_virtio_accel_event_cancel, handle));
	EXPECT_EQ(EBUSY, vaccel_ioctl(self->fd, request, &args));
}

TEST_F(abi, event_destroy)
{
	struct drm_virtio_accel_event_destroy args = { .handle = self->event };
	const unsigned long request = DRM_IOCTL_VIRTIO_ACCEL_EVENT_DESTROY;

	REFUSE(request, &args, INVALID(drm_virtio_accel_event_destroy, flags, 1U << 1),
	       INVALID(drm_virtio_accel_event_destroy, flags, 1U << 31));
	refuse_handles(_metadata, self, request, &args,
		       HANDLE(drm_virtio_accel_event_destroy, handle));
	EXPECT_EQ(0, vaccel_ioctl(self->fd, request, &args));
}

TEST_F(abi, unknown_ioctls)
{
	for (unsigned int nr = DRM_VIRTIO_ACCEL_EVENT_DESTROY + 1; nr < 0x60; nr++) {
		__u64 args[16] = { 0 };

		EXPECT_EQ(EINVAL,
			  vaccel_ioctl(self->fd, DRM_IOWR(DRM_COMMAND_BASE + nr, args), args));
	}
}

TEST_HARNESS_MAIN
