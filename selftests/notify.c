// SPDX-License-Identifier: MIT
/* Events of the file: what read(2) tells of submissions with SUBMIT_NOTIFY. */
#include "kselftest_harness.h"
#include "vaccel_sync.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#define DONE_BYTES sizeof(struct drm_virtio_accel_event_done)
/* DRM sets 4 KiB aside in each file. */
#define MAX_UNREAD (4096 / DONE_BYTES)

FIXTURE(notify)
{
	struct vaccel_session session;
	int fd;
	__u32 barrier;
};

FIXTURE_SETUP(notify)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
	ASSERT_EQ(0, vaccel_barrier_load(&self->session, &self->barrier));
}

FIXTURE_TEARDOWN(notify)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* Submits @prog with a notification. */
static int submit(const struct vaccel_session *session, __u32 prog, __u64 user_data, __u32 flags,
		  __u32 *event)
{
	struct vaccel_job job = vaccel_job(session);
	int error;

	job.args.program = prog;
	job.args.user_data = user_data;
	job.args.flags = DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY | flags;
	error = vaccel_job_submit(&job);
	*event = job.args.event;
	return error;
}

/* Reads one notification, waiting for it. */
static struct drm_virtio_accel_event_done next(struct __test_metadata *_metadata, int fd)
{
	struct drm_virtio_accel_event_done done;

	memset(&done, 0xcc, sizeof(done));
	ASSERT_EQ(sizeof(done), read(fd, &done, sizeof(done)));
	return done;
}

#define EXPECT_DONE(user_data_, event_, state_, status_, done)       \
	do {                                                         \
		const struct drm_virtio_accel_event_done d = (done); \
		EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_DONE, d.base.type); \
		EXPECT_EQ(sizeof(d), d.base.length);                 \
		EXPECT_EQ(user_data_, d.user_data);                  \
		EXPECT_EQ(event_, d.event);                          \
		EXPECT_EQ(state_, d.state);                          \
		EXPECT_EQ(status_, d.status);                        \
		EXPECT_EQ(0, d.pad);                                 \
	} while (0)

static bool readable(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	return poll(&ready, 1, 0) == 1;
}

TEST_F(notify, tells_of_the_end)
{
	const __u64 user_data = 0x8123456789abcdefULL;
	struct pollfd ready = { .fd = self->fd, .events = POLLIN };
	__u8 data[VACCEL_BUF_SIZE];
	__u32 event;

	EXPECT_FALSE(readable(self->fd));
	ASSERT_EQ(0, submit(&self->session, self->session.prog, user_data, 0, &event));
	EXPECT_NE(0, event);
	EXPECT_EQ(1, poll(&ready, 1, -1));
	EXPECT_DONE(user_data, event, DRM_VIRTIO_ACCEL_EVENT_COMPLETE, 0,
		    next(_metadata, self->fd));
	EXPECT_FALSE(readable(self->fd));
	ASSERT_EQ(0, vaccel_buf_read(self->fd, self->session.buf, 0, data, sizeof(data)));
	EXPECT_EQ(VACCEL_XOR_OPERAND, data[0]);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_COMPLETE, vaccel_state(self->fd, event));
	EXPECT_EQ(0, vaccel_event_destroy(self->fd, event, 0));
}

TEST_F(notify, only_when_asked)
{
	__u32 event;

	ASSERT_EQ(0, vaccel_session_submit(&self->session, &event));
	ASSERT_EQ(0, vaccel_wait_complete(self->fd, event));
	EXPECT_FALSE(readable(self->fd));
}

TEST_F(notify, a_detached_submission)
{
	__u32 event;

	ASSERT_EQ(0, submit(&self->session, self->session.prog, 7,
			    DRM_VIRTIO_ACCEL_SUBMIT_DETACH, &event));
	EXPECT_EQ(0, event);
	EXPECT_DONE(7, 0, DRM_VIRTIO_ACCEL_EVENT_COMPLETE, 0, next(_metadata, self->fd));
}

/* The submission was told to notify: that its handle is dead changes nothing. */
TEST_F(notify, a_submission_that_is_detached_later)
{
	__u32 event;

	ASSERT_EQ(0, submit(&self->session, self->session.prog, 8, 0, &event));
	ASSERT_EQ(0, vaccel_event_destroy(self->fd, event, DRM_VIRTIO_ACCEL_DESTROY_DETACH));
	EXPECT_EQ(8, next(_metadata, self->fd).user_data);
}

TEST_F(notify, a_cancelled_submission)
{
	__u32 event;

	ASSERT_EQ(0, submit(&self->session, self->barrier, 9, 0, &event));
	EXPECT_EQ(ETIME, vaccel_wait(self->fd, &(struct drm_virtio_accel_event){ .handle = event },
				     1, 0, vaccel_deadline_ms(20)));
	EXPECT_FALSE(readable(self->fd));
	ASSERT_EQ(0, vaccel_cancel(self->fd, event));
	EXPECT_DONE(9, event, DRM_VIRTIO_ACCEL_EVENT_CANCELLED, 0, next(_metadata, self->fd));
}

/* Put off, it is refused by the device after SUBMIT has returned. */
TEST_F(notify, a_failed_submission)
{
	struct vaccel_job job = vaccel_job(&self->session);
	__u32 syncobj, gate, held;
	__u64 longest;

	ASSERT_EQ(0, vaccel_longest_fence(self->fd, &longest));
	ASSERT_EQ(0, syncobj_create(self->fd, &syncobj));
	ASSERT_EQ(0, vaccel_hold(&self->session, syncobj, 0, longest, &held));
	ASSERT_EQ(0, syncobj_gate(self->fd, syncobj, &gate));
	vaccel_job_in(&job, gate, GATE_POINT);
	job.binding.slot++;
	job.args.flags = DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY;
	job.args.user_data = 10;
	ASSERT_EQ(0, vaccel_job_submit(&job));
	ASSERT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_DONE(10, job.args.event, DRM_VIRTIO_ACCEL_EVENT_FAILED,
		    DRM_VIRTIO_ACCEL_STATUS_INCOMPATIBLE, next(_metadata, self->fd));
}

TEST_F(notify, comes_in_the_order_of_the_ends)
{
	static const __u32 order[] = { 2, 0, 3, 1 };
	__u32 events[ARRAY_COUNT(order)];

	for (__u32 i = 0; i < ARRAY_COUNT(order); i++)
		ASSERT_EQ(0, submit(&self->session, self->barrier, i, 0, &events[i]));
	for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
		struct drm_virtio_accel_event event = { .handle = events[order[i]] };

		ASSERT_EQ(0, vaccel_cancel(self->fd, event.handle));
		ASSERT_EQ(0, vaccel_wait(self->fd, &event, 1, 0, VACCEL_FOREVER));
	}
	for (size_t i = 0; i < ARRAY_COUNT(order); i++)
		EXPECT_DONE(order[i], events[order[i]], DRM_VIRTIO_ACCEL_EVENT_CANCELLED, 0,
			    next(_metadata, self->fd));
}

TEST_F(notify, once_for_each_of_many)
{
	const __u32 count = MAX_UNREAD;
	__u32 events[MAX_UNREAD];
	bool seen[MAX_UNREAD] = { false };

	for (int round = 0; round < 3; round++) {
		for (__u32 i = 0; i < count; i++) {
			ASSERT_EQ(0, submit(&self->session, self->session.prog, i, 0, &events[i]));
			seen[i] = false;
		}
		for (__u32 i = 0; i < count; i++) {
			struct drm_virtio_accel_event_done done = next(_metadata, self->fd);

			ASSERT_LT(done.user_data, count);
			EXPECT_FALSE(seen[done.user_data]);
			seen[done.user_data] = true;
			EXPECT_EQ(events[done.user_data], done.event);
			EXPECT_EQ(0, vaccel_event_destroy(self->fd, done.event, 0));
		}
		EXPECT_FALSE(readable(self->fd));
	}
}

TEST_F(notify, is_read_whole_or_not_at_all)
{
	struct drm_virtio_accel_event_done done[2];
	__u32 event;

	for (__u64 i = 0; i < 2; i++) {
		ASSERT_EQ(0, submit(&self->session, self->session.prog, i, 0, &event));
		ASSERT_EQ(0, vaccel_wait_complete(self->fd, event));
	}
	EXPECT_EQ(0, read(self->fd, done, DONE_BYTES - 1));
	EXPECT_EQ(-1, read(self->fd, (void *)VACCEL_BAD_ADDR, DONE_BYTES));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(DONE_BYTES, read(self->fd, done, 2 * DONE_BYTES - 1));
	EXPECT_EQ(0, done[0].user_data);
	EXPECT_EQ(1, next(_metadata, self->fd).user_data);
}

TEST_F(notify, without_blocking)
{
	__u32 event;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR | O_NONBLOCK));
	EXPECT_EQ(-1, read(self->fd, &event, sizeof(event)));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, submit(&self->session, self->session.prog, 11, 0, &event));
	ASSERT_EQ(0, vaccel_wait_complete(self->fd, event));
	EXPECT_EQ(11, next(_metadata, self->fd).user_data);
}

/* Space is taken at submission, and comes back when it is read, or not submitted. */
TEST_F(notify, space_is_reserved)
{
	const struct vaccel_session *session = &self->session;
	struct vaccel_session other;
	struct vaccel_job wrong = vaccel_job(session);
	__u32 events[MAX_UNREAD], event;
	__u8 byte = 0;

	ASSERT_EQ(0, vaccel_session_create(self->fd, &other));
	wrong.binding.slot++;
	wrong.args.flags = DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY;
	for (size_t i = 0; i < 2 * MAX_UNREAD; i++)
		ASSERT_EQ(ENOEXEC, vaccel_job_submit(&wrong));
	for (size_t i = 0; i < MAX_UNREAD; i++)
		ASSERT_EQ(0, submit(session, self->barrier, i, 0, &events[i]));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(ENOMEM, submit(&other, other.prog, 0, 0, &event));
	EXPECT_EQ(0, vaccel_buf_write(self->fd, other.buf, 0, &byte, 1));

	ASSERT_EQ(0, vaccel_cancel(self->fd, events[5]));
	EXPECT_EQ(5, next(_metadata, self->fd).user_data);
	EXPECT_EQ(0, submit(&other, other.prog, 200, 0, &event));
	EXPECT_EQ(ENOMEM, submit(&other, other.prog, 0, 0, &event));
	EXPECT_EQ(200, next(_metadata, self->fd).user_data);

	/* Other files have space of their own. */
	ASSERT_EQ(0, close(self->fd));
	self->fd = other.fd = vaccel_open();
	ASSERT_EQ(0, vaccel_session_create(self->fd, &other));
	EXPECT_EQ(0, submit(&other, other.prog, 12, 0, &event));
	EXPECT_EQ(12, next(_metadata, self->fd).user_data);
}

/* What the context had going ends with it: nobody waits for a notification for ever. */
TEST_F(notify, destruction_of_the_context)
{
	bool seen[MAX_UNREAD] = { false };
	__u32 event;

	for (size_t i = 0; i < MAX_UNREAD; i++)
		ASSERT_EQ(0, submit(&self->session, self->barrier, i, 0, &event));
	ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, self->session.ctx));
	for (size_t i = 0; i < MAX_UNREAD; i++) {
		struct drm_virtio_accel_event_done done = next(_metadata, self->fd);

		ASSERT_LT(done.user_data, MAX_UNREAD);
		EXPECT_FALSE(seen[done.user_data]);
		seen[done.user_data] = true;
		EXPECT_NE(DRM_VIRTIO_ACCEL_EVENT_PENDING, done.state);
		EXPECT_NE(DRM_VIRTIO_ACCEL_EVENT_COMPLETE, done.state);
	}
	EXPECT_FALSE(readable(self->fd));
}

TEST_F(notify, close_with_unread_and_pending_ones)
{
	for (int round = 0; round < 4; round++) {
		struct vaccel_session session = { .fd = vaccel_open() };
		__u32 event;

		ASSERT_EQ(0, vaccel_session_create(session.fd, &session));
		for (size_t i = 0; i < MAX_UNREAD / 8; i++) {
			ASSERT_EQ(0, submit(&session, session.prog, i, 0, &event));
			ASSERT_EQ(0, vaccel_session_hold(&session, &event));
		}
		ASSERT_EQ(0, close(session.fd));
	}
}

struct reader {
	pthread_t thread;
	int fd;
	ssize_t got;
	int error;
	struct drm_virtio_accel_event_done done;
};

static void *read_one(void *arg)
{
	struct reader *reader = arg;

	reader->got = read(reader->fd, &reader->done, sizeof(reader->done));
	reader->error = errno;
	return NULL;
}

/* Each gets one of them, and none is lost on the way. */
TEST_F(notify, several_readers)
{
	struct reader readers[8];
	__u64 sum = 0;
	__u32 event;

	for (size_t i = 0; i < ARRAY_COUNT(readers); i++) {
		readers[i] = (struct reader){ .fd = self->fd };
		ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, read_one, &readers[i]));
	}
	for (size_t i = 0; i < ARRAY_COUNT(readers); i++)
		ASSERT_EQ(0, submit(&self->session, self->session.prog, 1ULL << i, 0, &event));
	for (size_t i = 0; i < ARRAY_COUNT(readers); i++) {
		ASSERT_EQ(0, pthread_join(readers[i].thread, NULL));
		EXPECT_EQ(DONE_BYTES, readers[i].got);
		sum += readers[i].done.user_data;
	}
	EXPECT_EQ((1ULL << ARRAY_COUNT(readers)) - 1, sum);
}

static void nothing(int signal)
{
	(void)signal;
}

TEST_F(notify, a_signal_interrupts_a_reader)
{
	const struct sigaction action = { .sa_handler = nothing };
	struct reader reader = { .fd = self->fd };
	__u32 event;

	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(0, pthread_create(&reader.thread, NULL, read_one, &reader));
	/* Until one arrives while it waits, and the thread is gone. */
	while (pthread_tryjoin_np(reader.thread, NULL)) {
		pthread_kill(reader.thread, SIGUSR1);
		usleep(1000);
	}
	EXPECT_EQ(-1, reader.got);
	EXPECT_EQ(EINTR, reader.error);
	ASSERT_EQ(0, submit(&self->session, self->session.prog, 13, 0, &event));
	EXPECT_EQ(13, next(_metadata, self->fd).user_data);
}

TEST_HARNESS_MAIN
