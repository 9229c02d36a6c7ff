// SPDX-License-Identifier: MIT
/* SUBMIT runs the program on exactly the bytes that were bound, or refuses. */
#include "kselftest_harness.h"
#include "vaccel_util.h"

FIXTURE(submit)
{
	struct vaccel_session session;
};

FIXTURE_SETUP(submit)
{
	int fd = vaccel_open();

	self->session.fd = fd;
	if (fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_session_create(fd, &self->session));
}

FIXTURE_TEARDOWN(submit)
{
	if (self->session.fd >= 0)
		close(self->session.fd);
}

static void fill_ramp(__u8 *data, size_t size, __u8 first)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (__u8)(first + i);
}

/* Runs @prog to its end; afterwards nothing holds the buffers. */
static void run(struct __test_metadata *_metadata, const struct vaccel_session *session, __u32 prog,
		const struct drm_virtio_accel_binding *bindings, __u32 count)
{
	__u32 event;

	ASSERT_EQ(0, vaccel_submit(session->fd, session->queue, prog, bindings, count, &event));
	ASSERT_EQ(0, vaccel_wait_complete(session->fd, event));
	ASSERT_EQ(0, vaccel_event_destroy(session->fd, event, 0));
}

/* The errno of a submission of the xor program with one binding. */
static int submit_one(const struct vaccel_session *session, struct drm_virtio_accel_binding binding)
{
	__u32 event;

	return vaccel_submit(session->fd, session->queue, session->prog, &binding, 1, &event);
}

TEST_F(submit, xor_of_a_range)
{
	const struct vaccel_session *session = &self->session;
	struct drm_virtio_accel_binding binding = vaccel_xor_binding(session);
	__u8 before[VACCEL_BUF_SIZE], after[VACCEL_BUF_SIZE];

	fill_ramp(before, sizeof(before), 100);
	ASSERT_EQ(0, vaccel_buf_write(session->fd, session->buf, 0, before, sizeof(before)));
	binding.offset = 16;
	binding.size = 9;
	run(_metadata, session, session->prog, &binding, 1);

	ASSERT_EQ(0, vaccel_buf_read(session->fd, session->buf, 0, after, sizeof(after)));
	for (size_t i = 16; i < 25; i++)
		before[i] ^= VACCEL_XOR_OPERAND;
	EXPECT_EQ(0, memcmp(before, after, sizeof(after)));
}

TEST_F(submit, fill)
{
	const struct vaccel_session *session = &self->session;
	struct drm_virtio_accel_binding binding = vaccel_xor_binding(session);
	__u8 expected[VACCEL_BUF_SIZE] = { 0 }, after[VACCEL_BUF_SIZE];
	__u32 prog;

	ASSERT_EQ(0,
		  vaccel_prog_load(session->fd, session->ctx,
				   vaccel_artifact(VACCEL_FILL, 3, VACCEL_NO_SLOT, 0xe7), &prog));
	binding.slot = 3;
	binding.access = DRM_VIRTIO_ACCEL_ACCESS_WRITE;
	binding.offset = 32;
	binding.size = 16;
	run(_metadata, session, prog, &binding, 1);

	ASSERT_EQ(0, vaccel_buf_read(session->fd, session->buf, 0, after, sizeof(after)));
	memset(&expected[32], 0xe7, 16);
	EXPECT_EQ(0, memcmp(expected, after, sizeof(after)));
}

/*
 * With bindings in descending order of their slots, in an array whose elements are
 * larger than this kernel's: two elements find a stride that is ignored.
 */
TEST_F(submit, copy_with_a_larger_stride)
{
	const struct vaccel_session *session = &self->session;
	struct {
		struct drm_virtio_accel_binding known;
		__u64 unknown[2];
	} bindings[2] = {
		{ .known = { .slot = 5,
			     .access = DRM_VIRTIO_ACCEL_ACCESS_WRITE,
			     .offset = 8,
			     .size = 24 } },
		{ .known = { .buffer = session->buf,
			     .slot = 2,
			     .access = DRM_VIRTIO_ACCEL_ACCESS_READ,
			     .offset = 40,
			     .size = 24 } },
	};
	struct drm_virtio_accel_submit args = {
		.queue = session->queue,
		.bindings = (uintptr_t)bindings,
		.binding_count = 2,
		.binding_stride = sizeof(bindings[0]),
	};
	__u8 source[VACCEL_BUF_SIZE], expected[VACCEL_BUF_SIZE] = { 0 }, after[VACCEL_BUF_SIZE];
	const int fd = session->fd;
	__u32 target;

	fill_ramp(source, sizeof(source), 7);
	ASSERT_EQ(0, vaccel_buf_write(fd, session->buf, 0, source, sizeof(source)));
	ASSERT_EQ(0, vaccel_buf_create(fd, session->ctx, VACCEL_BUF_SIZE, &target));
	bindings[0].known.buffer = target;
	ASSERT_EQ(0, vaccel_prog_load(fd, session->ctx, vaccel_artifact(VACCEL_COPY, 2, 5, 0),
				      &args.program));

	bindings[1].unknown[1] = 1;
	EXPECT_EQ(EINVAL, vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &args));
	bindings[1].unknown[1] = 0;
	ASSERT_EQ(0, vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &args));
	ASSERT_EQ(0, vaccel_wait_complete(fd, args.event));
	ASSERT_EQ(0, vaccel_event_destroy(fd, args.event, 0));

	ASSERT_EQ(0, vaccel_buf_read(fd, target, 0, after, sizeof(after)));
	memcpy(&expected[8], &source[40], 24);
	EXPECT_EQ(0, memcmp(expected, after, sizeof(after)));
	ASSERT_EQ(0, vaccel_buf_read(fd, session->buf, 0, after, sizeof(after)));
	EXPECT_EQ(0, memcmp(source, after, sizeof(after)));
}

TEST_F(submit, a_stride_is_at_most_a_page)
{
	const struct vaccel_session *session = &self->session;
	const __u32 page = (__u32)sysconf(_SC_PAGESIZE);
	struct drm_virtio_accel_binding *binding =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_virtio_accel_submit args = {
		.queue = session->queue,
		.program = session->prog,
		.bindings = (uintptr_t)binding,
		.binding_count = 1,
		.binding_stride = page + 8,
	};

	ASSERT_NE(MAP_FAILED, (void *)binding);
	*binding = vaccel_xor_binding(session);
	EXPECT_EQ(EINVAL, vaccel_ioctl(session->fd, DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &args));
	args.binding_stride = page;
	EXPECT_EQ(0, vaccel_ioctl(session->fd, DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &args));
}

TEST_F(submit, one_buffer_in_two_slots)
{
	const struct vaccel_session *session = &self->session;
	const struct drm_virtio_accel_binding bindings[] = {
		{ .buffer = session->buf,
		  .slot = 0,
		  .access = DRM_VIRTIO_ACCEL_ACCESS_READ,
		  .offset = 0,
		  .size = 32 },
		{ .buffer = session->buf,
		  .slot = 1,
		  .access = DRM_VIRTIO_ACCEL_ACCESS_WRITE,
		  .offset = 8,
		  .size = 32 },
	};
	__u8 expected[VACCEL_BUF_SIZE], after[VACCEL_BUF_SIZE];
	__u32 prog;

	fill_ramp(expected, sizeof(expected), 1);
	ASSERT_EQ(0, vaccel_buf_write(session->fd, session->buf, 0, expected, sizeof(expected)));
	ASSERT_EQ(0, vaccel_prog_load(session->fd, session->ctx,
				      vaccel_artifact(VACCEL_COPY, 0, 1, 0), &prog));
	run(_metadata, session, prog, bindings, ARRAY_COUNT(bindings));

	ASSERT_EQ(0, vaccel_buf_read(session->fd, session->buf, 0, after, sizeof(after)));
	memmove(&expected[8], &expected[0], 32);
	EXPECT_EQ(0, memcmp(expected, after, sizeof(after)));
}

/* A submission of the xor program, valid but for one field of its binding. */
#define REFUSED(errno_, field, value)                                                \
	do {                                                                         \
		struct drm_virtio_accel_binding wrong = vaccel_xor_binding(session); \
		wrong.field = (value);                                               \
		EXPECT_EQ(errno_, submit_one(session, wrong));                       \
	} while (0)

TEST_F(submit, malformed_bindings)
{
	const struct vaccel_session *session = &self->session;

	REFUSED(ENOENT, buffer, 0);
	REFUSED(ENOENT, buffer, VACCEL_BAD_HANDLE);
	REFUSED(EINVAL, access, 0);
	REFUSED(EINVAL, access, 4);
	REFUSED(EINVAL, access, 0x103);
	REFUSED(EINVAL, flags, 1);
	REFUSED(EINVAL, flags, 1U << 31);
	REFUSED(EINVAL, size, 0);
	REFUSED(ERANGE, size, VACCEL_BUF_SIZE + 1);
	REFUSED(ERANGE, size, UINT64_MAX);
	REFUSED(ERANGE, offset, 1);
	REFUSED(ERANGE, offset, VACCEL_BUF_SIZE);
	REFUSED(EINVAL, offset, UINT64_MAX); /* the end of the range is not a number */
	REFUSED(ENOEXEC, slot, VACCEL_XOR_SLOT + 1);
	REFUSED(ENOEXEC, access, DRM_VIRTIO_ACCEL_ACCESS_READ);
}

TEST_F(submit, duplicate_slots)
{
	const struct vaccel_session *session = &self->session;
	struct drm_virtio_accel_binding bindings[] = { vaccel_xor_binding(session),
						       vaccel_xor_binding(session) };
	__u32 event;

	EXPECT_EQ(EINVAL,
		  vaccel_submit(session->fd, session->queue, session->prog, bindings, 2, &event));
	bindings[1].slot++;
	EXPECT_EQ(ENOEXEC,
		  vaccel_submit(session->fd, session->queue, session->prog, bindings, 2, &event));
}

TEST_F(submit, access_against_usage)
{
	const struct {
		__u32 usage, access;
		int error;
	} cases[] = {
		{ DRM_VIRTIO_ACCEL_USAGE_TRANSFER_SRC, DRM_VIRTIO_ACCEL_ACCESS_READ, EPERM },
		{ DRM_VIRTIO_ACCEL_USAGE_PROGRAM_INPUT, DRM_VIRTIO_ACCEL_ACCESS_WRITE, EPERM },
		{ DRM_VIRTIO_ACCEL_USAGE_PROGRAM_INPUT, DRM_VIRTIO_ACCEL_ACCESS_READ_WRITE, EPERM },
		{ DRM_VIRTIO_ACCEL_USAGE_PROGRAM_OUTPUT, DRM_VIRTIO_ACCEL_ACCESS_READ, EPERM },
		{ DRM_VIRTIO_ACCEL_USAGE_MUTABLE_STATE, DRM_VIRTIO_ACCEL_ACCESS_READ_WRITE, 0 },
	};
	const struct vaccel_session *session = &self->session;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct drm_virtio_accel_binding binding = vaccel_xor_binding(session);

		ASSERT_EQ(0, vaccel_buf_create_usage(session->fd, session->ctx, VACCEL_BUF_SIZE,
						     cases[i].usage, &binding.buffer));
		binding.access = cases[i].access;
		EXPECT_EQ(cases[i].error, submit_one(session, binding))
		{
			TH_LOG("usage 0x%x, access %u", cases[i].usage, cases[i].access);
		}
	}
}

TEST_F(submit, objects_of_another_context)
{
	const struct vaccel_session *session = &self->session;
	const int fd = session->fd;
	struct vaccel_session other;
	struct drm_virtio_accel_binding binding = vaccel_xor_binding(session);
	__u32 event;

	ASSERT_EQ(0, vaccel_session_create(fd, &other));
	EXPECT_EQ(EINVAL, vaccel_submit(fd, other.queue, session->prog, &binding, 1, &event));
	EXPECT_EQ(EINVAL, vaccel_submit(fd, session->queue, other.prog, &binding, 1, &event));
	EXPECT_EQ(EINVAL, vaccel_submit(fd, other.queue, other.prog, &binding, 1, &event));
	EXPECT_EQ(0, vaccel_submit(fd, session->queue, session->prog, &binding, 1, &event));
}

TEST_F(submit, a_refusal_holds_nothing)
{
	const struct vaccel_session *session = &self->session;
	struct drm_virtio_accel_binding binding = vaccel_xor_binding(session);
	__u8 data[VACCEL_BUF_SIZE] = { 0 };

	binding.access = DRM_VIRTIO_ACCEL_ACCESS_READ;
	ASSERT_EQ(ENOEXEC, submit_one(session, binding));
	EXPECT_EQ(0, vaccel_buf_write(session->fd, session->buf, 0, data, sizeof(data)));
}

TEST_HARNESS_MAIN
