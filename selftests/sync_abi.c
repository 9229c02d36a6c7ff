// SPDX-License-Identifier: MIT
/*
 * What a submission with syncs must look like. Each refusal is of one wrong field in
 * an otherwise valid request, and leaves nothing submitted: the buffer is free.
 */
#include "kselftest_harness.h"
#include "vaccel_sync.h"

FIXTURE(sync_abi)
{
	struct vaccel_session session;
	int fd;
	__u64 longest; /* timeout of a fence */
	__u32 signalled; /* syncobj with a fence */
	__u32 empty; /* syncobj without one */
	struct vaccel_job job; /* valid: in @signalled, out @empty */
};

FIXTURE_SETUP(sync_abi)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_longest_fence(self->fd, &self->longest));
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
	ASSERT_EQ(0, syncobj_create(self->fd, &self->signalled));
	ASSERT_EQ(0, syncobj_create(self->fd, &self->empty));

	self->job = vaccel_job(&self->session);
	vaccel_job_out(&self->job, self->signalled, 0, self->longest);
	ASSERT_EQ(0, vaccel_job_submit(&self->job));
	ASSERT_EQ(0, vaccel_wait_complete(self->fd, self->job.args.event));
	ASSERT_EQ(0, vaccel_event_destroy(self->fd, self->job.args.event, 0));

	self->job = vaccel_job(&self->session);
	vaccel_job_in(&self->job, self->signalled, 0);
	vaccel_job_out(&self->job, self->empty, 0, self->longest);
}

FIXTURE_TEARDOWN(sync_abi)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* The errno of a submission that may have been changed, and whether it left traces. */
static int refusal(struct __test_metadata *_metadata, const FIXTURE_DATA(sync_abi) * self,
		   struct vaccel_job *job)
{
	__u8 byte = 0;
	int error = vaccel_job_submit(job);

	EXPECT_EQ(0, vaccel_buf_write(self->fd, self->session.buf, 0, &byte, 1));
	EXPECT_EQ(-1, syncobj_export(self->fd, self->empty));
	return error;
}

#define REFUSED(errno_, field, value)                                  \
	do {                                                           \
		struct vaccel_job job = self->job;                     \
		job.field = (value);                                   \
		EXPECT_EQ(errno_, refusal(_metadata, self, &job))      \
		{                                                      \
			TH_LOG("%s = %llx", #field, (__u64)(value));   \
		}                                                      \
	} while (0)

TEST_F(sync_abi, valid)
{
	struct vaccel_job job = self->job;

	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->empty, VACCEL_FOREVER));
}

TEST_F(sync_abi, malformed)
{
	const __u32 stride = sizeof(struct drm_virtio_accel_sync);
	const __u32 page = (__u32)sysconf(_SC_PAGESIZE);

	REFUSED(EINVAL, in[0].flags, 1);
	REFUSED(EINVAL, in[0].flags, 1U << 31);
	REFUSED(EINVAL, out[0].flags, 1);
	REFUSED(EINVAL, out[0].flags, 1U << 31);
	REFUSED(EINVAL, args.sync_stride, 0);
	REFUSED(EINVAL, args.sync_stride, stride - 1);
	REFUSED(EINVAL, args.sync_stride, page + 8);
	REFUSED(EINVAL, args.sync_stride, UINT32_MAX);
	REFUSED(EINVAL, args.in_sync_count, DRM_VIRTIO_ACCEL_MAX_SYNCS + 1);
	REFUSED(EINVAL, args.in_sync_count, UINT32_MAX);
	REFUSED(EINVAL, args.out_sync_count, DRM_VIRTIO_ACCEL_MAX_SYNCS + 1);
	REFUSED(EINVAL, args.out_sync_count, UINT32_MAX);
	REFUSED(EFAULT, args.in_syncs, VACCEL_BAD_ADDR);
	REFUSED(EFAULT, args.out_syncs, VACCEL_BAD_ADDR);
	REFUSED(EINVAL, args.flags, 1U << 2);
	REFUSED(EINVAL, args.flags, 1U << 31);
	REFUSED(EINVAL, args.user_data, 1); /* without SUBMIT_NOTIFY */
}

TEST_F(sync_abi, wrong_handles)
{
	int foreign_fd = vaccel_open();
	__u32 foreign;

	ASSERT_GE(foreign_fd, 0);
	do {
		ASSERT_EQ(0, syncobj_create(foreign_fd, &foreign));
	} while (foreign <= self->empty);

	REFUSED(ENOENT, in[0].handle, 0);
	REFUSED(ENOENT, in[0].handle, VACCEL_BAD_HANDLE);
	REFUSED(ENOENT, in[0].handle, foreign);
	REFUSED(ENOENT, out[0].handle, 0);
	REFUSED(ENOENT, out[0].handle, VACCEL_BAD_HANDLE);
	REFUSED(ENOENT, out[0].handle, foreign);
	close(foreign_fd);
}

TEST_F(sync_abi, an_in_sync_needs_a_fence)
{
	REFUSED(EINVAL, in[0].handle, self->empty);
	REFUSED(EINVAL, in[0].point, 1); /* the syncobj is no timeline */
}

TEST_F(sync_abi, a_stride_without_syncs)
{
	struct vaccel_job job = vaccel_job(&self->session);

	job.args.sync_stride = sizeof(struct drm_virtio_accel_sync);
	EXPECT_EQ(EINVAL, refusal(_metadata, self, &job));
}

TEST_F(sync_abi, a_fence_needs_a_timeout)
{
	REFUSED(EINVAL, args.timeout_ns, 0);
	REFUSED(EINVAL, args.timeout_ns, self->longest + 1);
	REFUSED(EINVAL, args.timeout_ns, UINT64_MAX);
}

/* Only a fence needs it: this is work that can take as long as it likes. */
TEST_F(sync_abi, in_syncs_alone_need_no_timeout)
{
	struct vaccel_job job = vaccel_job(&self->session);

	vaccel_job_in(&job, self->signalled, 0);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(0, vaccel_wait_complete(self->fd, job.args.event));
	job.args.timeout_ns = UINT64_MAX;
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(0, vaccel_wait_complete(self->fd, job.args.event));
}

TEST_F(sync_abi, a_larger_stride)
{
	struct {
		struct drm_virtio_accel_sync known;
		__u64 unknown;
	} out[2] = { { .known.handle = self->empty, .known.point = 1 },
		     { .known.handle = self->empty, .known.point = 2 } };
	struct vaccel_job job = vaccel_job(&self->session);

	job.args.out_syncs = vaccel_addr(out);
	job.args.out_sync_count = ARRAY_COUNT(out);
	job.args.sync_stride = sizeof(out[0]);
	job.args.timeout_ns = self->longest;
	out[1].unknown = 1;
	EXPECT_EQ(EINVAL, refusal(_metadata, self, &job));
	out[1].unknown = 0;
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(0, syncobj_timeline_wait(self->fd, self->empty, 1, VACCEL_FOREVER));
	EXPECT_EQ(0, syncobj_timeline_wait(self->fd, self->empty, 2, VACCEL_FOREVER));
}

/* What the device refuses at once leaves its syncobj as it was, too. */
TEST_F(sync_abi, a_refusal_by_the_device)
{
	struct vaccel_job job = vaccel_job(&self->session);

	vaccel_job_out(&job, self->empty, 0, self->longest);
	job.binding.slot++;
	EXPECT_EQ(ENOEXEC, refusal(_metadata, self, &job));
}

TEST_F(sync_abi, as_many_as_allowed)
{
	struct drm_virtio_accel_sync in[DRM_VIRTIO_ACCEL_MAX_SYNCS];
	struct vaccel_job job = self->job;

	for (size_t i = 0; i < ARRAY_COUNT(in); i++)
		in[i] = job.in[0];
	job.args.in_syncs = vaccel_addr(in);
	job.args.in_sync_count = ARRAY_COUNT(in);
	in[ARRAY_COUNT(in) - 1].handle = VACCEL_BAD_HANDLE;
	EXPECT_EQ(ENOENT, refusal(_metadata, self, &job));
	in[ARRAY_COUNT(in) - 1].handle = self->signalled;
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->empty, VACCEL_FOREVER));
}

TEST_HARNESS_MAIN
