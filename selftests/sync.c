// SPDX-License-Identifier: MIT
/*
 * Syncs of a submission: its fence tells of its end whoever looks, and its in-syncs
 * put it off. A held job with an out-sync is a fence that signals when the test
 * wants it to, by cancellation; a gate is the same without an error.
 */
#include "kselftest_harness.h"
#include "vaccel_sync.h"

#include <sys/eventfd.h>

#define ENDED_WELL 1 /* sync_file_status() */

FIXTURE(sync)
{
	struct vaccel_session session;
	int fd;
	__u64 longest; /* timeout of a fence */
	__u32 syncobj;
};

/* A gate that is open when @held has ended. */
static __u32 closed_gate(struct __test_metadata *_metadata, const FIXTURE_DATA(sync) * self,
			 __u32 *held)
{
	__u32 syncobj, gate;

	ASSERT_EQ(0, syncobj_create(self->fd, &syncobj));
	ASSERT_EQ(0, vaccel_hold(&self->session, syncobj, 0, self->longest, held));
	ASSERT_EQ(0, syncobj_gate(self->fd, syncobj, &gate));
	return gate;
}

FIXTURE_SETUP(sync)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_longest_fence(self->fd, &self->longest));
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
	ASSERT_EQ(0, syncobj_create(self->fd, &self->syncobj));
}

FIXTURE_TEARDOWN(sync)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* Waits for the end of an event. */
static struct drm_virtio_accel_event end_of(struct __test_metadata *_metadata, int fd, __u32 handle)
{
	struct drm_virtio_accel_event event = { .handle = handle };

	EXPECT_EQ(0, vaccel_wait(fd, &event, 1, 0, VACCEL_FOREVER));
	return event;
}

/* What the session's buffer consists of; it is free. */
static void expect_bytes(struct __test_metadata *_metadata, const struct vaccel_session *session,
			 __u8 value)
{
	__u8 data[VACCEL_BUF_SIZE];

	ASSERT_EQ(0, vaccel_buf_read(session->fd, session->buf, 0, data, sizeof(data)));
	for (size_t i = 0; i < sizeof(data); i++)
		ASSERT_EQ(value, data[i]);
}

TEST_F(sync, a_syncobj_signals_at_the_end)
{
	struct vaccel_job job = vaccel_job(&self->session);

	vaccel_job_out(&job, self->syncobj, 0, self->longest);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->syncobj, VACCEL_FOREVER));
	expect_bytes(_metadata, &self->session, VACCEL_XOR_OPERAND);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_COMPLETE, vaccel_state(self->fd, job.args.event));
	EXPECT_EQ(0, vaccel_event_destroy(self->fd, job.args.event, 0));
}

TEST_F(sync, a_point_of_a_timeline_signals_at_the_end)
{
	struct vaccel_job job = vaccel_job(&self->session);
	__u64 point;
	__u32 held;

	vaccel_job_out(&job, self->syncobj, 5, self->longest);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(0, syncobj_timeline_wait(self->fd, self->syncobj, 5, VACCEL_FOREVER));
	expect_bytes(_metadata, &self->session, VACCEL_XOR_OPERAND);

	ASSERT_EQ(0, vaccel_hold(&self->session, self->syncobj, 9, self->longest, &held));
	EXPECT_EQ(ETIME, syncobj_timeline_wait(self->fd, self->syncobj, 9, VACCEL_POLL));
	ASSERT_EQ(0, syncobj_query(self->fd, self->syncobj, &point));
	EXPECT_EQ(5, point);
	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(0, syncobj_timeline_wait(self->fd, self->syncobj, 9, VACCEL_FOREVER));
	ASSERT_EQ(0, syncobj_query(self->fd, self->syncobj, &point));
	EXPECT_EQ(9, point);
}

TEST_F(sync, a_wait_without_polls_of_the_event)
{
	struct vaccel_job job = vaccel_job(&self->session);
	int sync_file;

	vaccel_job_out(&job, self->syncobj, 0, self->longest);
	job.args.flags = DRM_VIRTIO_ACCEL_SUBMIT_DETACH;
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(0, job.args.event);
	sync_file = syncobj_export(self->fd, self->syncobj);
	ASSERT_GE(sync_file, 0);
	EXPECT_EQ(ENDED_WELL, sync_file_wait(sync_file));
	expect_bytes(_metadata, &self->session, VACCEL_XOR_OPERAND);
}

TEST_F(sync, cancellation_is_an_error_of_the_fence)
{
	struct pollfd ready = { .events = POLLIN };
	__u32 held;

	ASSERT_EQ(0, vaccel_hold(&self->session, self->syncobj, 0, self->longest, &held));
	ready.fd = syncobj_export(self->fd, self->syncobj);
	ASSERT_GE(ready.fd, 0);
	EXPECT_EQ(0, poll(&ready, 1, 20));
	EXPECT_EQ(0, sync_file_status(ready.fd));
	EXPECT_EQ(ETIME, syncobj_wait(self->fd, self->syncobj, VACCEL_POLL));

	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(-ECANCELED, sync_file_wait(ready.fd));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->syncobj, VACCEL_POLL));
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_CANCELLED, vaccel_state(self->fd, held));
}

static const __u64 points[] = { 0, 3 };

TEST_F(sync, an_eventfd_counts_the_end)
{
	for (size_t i = 0; i < ARRAY_COUNT(points); i++) {
		struct vaccel_job job = vaccel_job(&self->session);
		int counter = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		struct pollfd ready = { .fd = counter, .events = POLLIN };
		eventfd_t count;
		__u32 held;

		ASSERT_GE(counter, 0);
		ASSERT_EQ(0, vaccel_hold(&self->session, self->syncobj, points[i], self->longest,
					 &held));
		ASSERT_EQ(0, syncobj_eventfd(self->fd, self->syncobj, points[i], counter));
		EXPECT_EQ(-1, eventfd_read(counter, &count));
		ASSERT_EQ(0, vaccel_cancel(self->fd, held));
		EXPECT_EQ(1, poll(&ready, 1, -1));
		ASSERT_EQ(0, eventfd_read(counter, &count));
		EXPECT_EQ(1, count);

		/* Of a job that ends by itself, while nobody waits in the driver. */
		vaccel_job_out(&job, self->syncobj, points[i] * 2, self->longest);
		ASSERT_EQ(0, vaccel_job_submit(&job));
		ASSERT_EQ(0, syncobj_eventfd(self->fd, self->syncobj, points[i] * 2, counter));
		EXPECT_EQ(1, poll(&ready, 1, -1));
		close(counter);
	}
}

/* The submission is put off, and refused by the device when its turn comes. */
TEST_F(sync, a_late_refusal_is_a_failure)
{
	struct vaccel_job job = vaccel_job(&self->session);
	struct drm_virtio_accel_event event;
	__u32 gate, held;

	gate = closed_gate(_metadata, self, &held);
	job.binding.slot++; /* the program has no such slot */
	vaccel_job_in(&job, gate, GATE_POINT);
	vaccel_job_out(&job, self->syncobj, 0, self->longest);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(DRM_VIRTIO_ACCEL_STATUS_OK, job.args.status);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_PENDING, vaccel_state(self->fd, job.args.event));

	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(-EIO, sync_file_wait(syncobj_export(self->fd, self->syncobj)));
	event = end_of(_metadata, self->fd, job.args.event);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_FAILED, event.state);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_STATUS_INCOMPATIBLE, event.status);
	expect_bytes(_metadata, &self->session, 0);
}

/* Work that never ends by itself: the driver ends it, and it holds nothing after that. */
TEST_F(sync, a_timeout_is_an_error_of_the_fence)
{
	struct drm_virtio_accel_event event;
	__u32 held;

	ASSERT_EQ(0, vaccel_hold(&self->session, self->syncobj, 0, 50000000, &held));
	EXPECT_EQ(-ETIME, sync_file_wait(syncobj_export(self->fd, self->syncobj)));
	event = end_of(_metadata, self->fd, held);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_FAILED, event.state);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_STATUS_DEADLINE_EXPIRED, event.status);
	expect_bytes(_metadata, &self->session, 0);
	EXPECT_EQ(0, vaccel_event_destroy(self->fd, held, 0));

	/* The context works on. */
	ASSERT_EQ(0, vaccel_session_submit(&self->session, &held));
	EXPECT_EQ(0, vaccel_wait_complete(self->fd, held));
	expect_bytes(_metadata, &self->session, VACCEL_XOR_OPERAND);
}

TEST_F(sync, every_out_sync_signals)
{
	struct drm_virtio_accel_sync syncs[DRM_VIRTIO_ACCEL_MAX_SYNCS] = { 0 };
	struct vaccel_job job = vaccel_job(&self->session);

	for (size_t i = 0; i < ARRAY_COUNT(syncs); i++) {
		syncs[i].handle = self->syncobj;
		syncs[i].point = i + 1;
		if (i % 2 == 0)
			continue;
		syncs[i].point = 0;
		ASSERT_EQ(0, syncobj_create(self->fd, &syncs[i].handle));
	}
	job.args.out_syncs = vaccel_addr(syncs);
	job.args.out_sync_count = ARRAY_COUNT(syncs);
	job.args.sync_stride = sizeof(syncs[0]);
	job.args.timeout_ns = self->longest;
	ASSERT_EQ(0, vaccel_job_submit(&job));
	for (size_t i = 0; i < ARRAY_COUNT(syncs); i++)
		EXPECT_EQ(0, syncobj_timeline_wait(self->fd, syncs[i].handle, syncs[i].point,
						   VACCEL_FOREVER));
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_COMPLETE, vaccel_state(self->fd, job.args.event));
}

/* Submitted at once, while none of them can run: fill, xor, copy, in this order only. */
TEST_F(sync, a_chain_of_points)
{
	const struct vaccel_session *session = &self->session;
	const struct vaccel_artifact artifacts[] = {
		vaccel_artifact(VACCEL_FILL, 0, VACCEL_NO_SLOT, 0x11),
		vaccel_artifact(VACCEL_XOR, 0, VACCEL_NO_SLOT, 0xf0),
		vaccel_artifact(VACCEL_COPY, 0, 1, 0),
	};
	struct drm_virtio_accel_binding bindings[2] = { vaccel_xor_binding(session),
							vaccel_xor_binding(session) };
	struct drm_virtio_accel_event events[ARRAY_COUNT(artifacts)] = { 0 };
	struct vaccel_session copy = *session;
	__u32 gate, held;

	ASSERT_EQ(0, vaccel_buf_create(self->fd, session->ctx, VACCEL_BUF_SIZE, &copy.buf));
	bindings[0].slot = 0;
	bindings[1].slot = 1;
	bindings[1].buffer = copy.buf;
	bindings[1].access = DRM_VIRTIO_ACCEL_ACCESS_WRITE;
	gate = closed_gate(_metadata, self, &held);
	for (size_t i = 0; i < ARRAY_COUNT(artifacts); i++) {
		static const __u32 access[] = { DRM_VIRTIO_ACCEL_ACCESS_WRITE,
						DRM_VIRTIO_ACCEL_ACCESS_READ_WRITE,
						DRM_VIRTIO_ACCEL_ACCESS_READ };
		struct vaccel_job job = vaccel_job(session);

		ASSERT_EQ(0, vaccel_prog_load(self->fd, session->ctx, artifacts[i],
					      &job.args.program));
		bindings[0].access = access[i];
		job.args.bindings = vaccel_addr(bindings);
		job.args.binding_count = i == 2 ? 2 : 1;
		vaccel_job_in(&job, gate, GATE_POINT + i);
		vaccel_job_out(&job, gate, GATE_POINT + i + 1, self->longest);
		ASSERT_EQ(0, vaccel_job_submit(&job));
		events[i].handle = job.args.event;
	}
	EXPECT_EQ(ETIME,
		  vaccel_wait(self->fd, events, ARRAY_COUNT(events), 0, vaccel_deadline_ms(20)));

	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(0, syncobj_timeline_wait(self->fd, gate, GATE_POINT + ARRAY_COUNT(artifacts),
					   VACCEL_FOREVER));
	expect_bytes(_metadata, &copy, 0xe1);
	EXPECT_EQ(0, vaccel_wait(self->fd, events, ARRAY_COUNT(events), DRM_VIRTIO_ACCEL_WAIT_ALL,
				 VACCEL_POLL));
	for (size_t i = 0; i < ARRAY_COUNT(events); i++)
		EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_COMPLETE, events[i].state);
}

/* Each waits for the fence that it replaces. */
TEST_F(sync, one_syncobj_in_and_out)
{
	__u8 expected = 0;
	__u32 gate, held;

	gate = closed_gate(_metadata, self, &held);
	for (int i = 0; i < 33; i++) {
		struct vaccel_job job = vaccel_job(&self->session);

		if (i == 0)
			vaccel_job_in(&job, gate, GATE_POINT);
		else
			vaccel_job_in(&job, self->syncobj, 0);
		vaccel_job_out(&job, self->syncobj, 0, self->longest);
		job.args.flags = DRM_VIRTIO_ACCEL_SUBMIT_DETACH;
		ASSERT_EQ(0, vaccel_job_submit(&job));
		expected ^= VACCEL_XOR_OPERAND;
	}
	EXPECT_EQ(ETIME, syncobj_wait(self->fd, self->syncobj, vaccel_deadline_ms(20)));
	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->syncobj, VACCEL_FOREVER));
	expect_bytes(_metadata, &self->session, expected);
}

TEST_F(sync, a_job_that_waits_holds_no_other_up)
{
	struct vaccel_session other;
	struct vaccel_job job = vaccel_job(&self->session);
	__u32 held, event;

	ASSERT_EQ(0, vaccel_hold(&self->session, self->syncobj, 0, self->longest, &held));
	vaccel_job_in(&job, self->syncobj, 0);
	ASSERT_EQ(0, vaccel_job_submit(&job));

	/* Of the same execution queue, and of another one. */
	ASSERT_EQ(0, vaccel_session_submit(&self->session, &event));
	EXPECT_EQ(0, vaccel_wait_complete(self->fd, event));
	ASSERT_EQ(0, vaccel_session_create(self->fd, &other));
	ASSERT_EQ(0, vaccel_session_submit(&other, &event));
	EXPECT_EQ(0, vaccel_wait_complete(self->fd, event));
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_PENDING, vaccel_state(self->fd, job.args.event));
}

/* Work on what failed work was to make is not done. */
TEST_F(sync, a_failed_in_sync_cancels)
{
	struct vaccel_job job = vaccel_job(&self->session);
	__u32 before, held;

	ASSERT_EQ(0, syncobj_create(self->fd, &before));
	ASSERT_EQ(0, vaccel_hold(&self->session, before, 0, self->longest, &held));
	vaccel_job_in(&job, before, 0);
	vaccel_job_out(&job, self->syncobj, 0, self->longest);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(-ECANCELED, sync_file_wait(syncobj_export(self->fd, self->syncobj)));
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_CANCELLED, vaccel_state(self->fd, job.args.event));
	expect_bytes(_metadata, &self->session, 0);
}

/* It is not the device's yet, so it ends at once; and it never runs. */
TEST_F(sync, cancellation_of_a_job_that_waits)
{
	struct vaccel_job job = vaccel_job(&self->session);
	__u32 before, held;
	int sync_file;

	ASSERT_EQ(0, syncobj_create(self->fd, &before));
	ASSERT_EQ(0, vaccel_hold(&self->session, before, 0, self->longest, &held));
	vaccel_job_in(&job, before, 0);
	vaccel_job_out(&job, self->syncobj, 0, self->longest);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	sync_file = syncobj_export(self->fd, self->syncobj);
	EXPECT_EQ(EBUSY, vaccel_event_destroy(self->fd, job.args.event, 0));

	ASSERT_EQ(0, vaccel_cancel(self->fd, job.args.event));
	EXPECT_EQ(-ECANCELED, sync_file_wait(sync_file));
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_CANCELLED,
		  end_of(_metadata, self->fd, job.args.event).state);
	EXPECT_EQ(EBUSY, vaccel_cancel(self->fd, job.args.event));
	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(0, syncobj_wait(self->fd, before, VACCEL_FOREVER));
	expect_bytes(_metadata, &self->session, 0);
}

/* A timeout counts from admission by the device, which is after the in-syncs. */
TEST_F(sync, waiting_for_in_syncs_is_not_running)
{
	struct vaccel_job job = vaccel_job(&self->session);
	__u32 gate, held;
	int sync_file;

	gate = closed_gate(_metadata, self, &held);
	vaccel_job_in(&job, gate, GATE_POINT);
	vaccel_job_out(&job, self->syncobj, 0, 1000000000);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	sync_file = syncobj_export(self->fd, self->syncobj);
	EXPECT_EQ(ETIME, syncobj_wait(self->fd, self->syncobj, vaccel_deadline_ms(1500)));
	EXPECT_EQ(0, sync_file_status(sync_file));
	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(ENDED_WELL, sync_file_wait(sync_file));
	expect_bytes(_metadata, &self->session, VACCEL_XOR_OPERAND);
}

TEST_HARNESS_MAIN
