// SPDX-License-Identifier: MIT
/*
 * EVENT_WAIT, EVENT_CANCEL and EVENT_DESTROY. The mock provider holds the event of a
 * barrier program pending until it is cancelled; other programs end by themselves.
 */
#include "kselftest_harness.h"
#include "vaccel_util.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#define PENDING DRM_VIRTIO_ACCEL_EVENT_PENDING
#define COMPLETE DRM_VIRTIO_ACCEL_EVENT_COMPLETE
#define CANCELLED DRM_VIRTIO_ACCEL_EVENT_CANCELLED

FIXTURE(wait)
{
	struct vaccel_session session;
	int fd;
	__u32 held; /* pending until cancelled; binds the session's buffer */
};

FIXTURE_SETUP(wait)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
	ASSERT_EQ(0, vaccel_session_hold(&self->session, &self->held));
}

FIXTURE_TEARDOWN(wait)
{
	if (self->fd >= 0)
		close(self->fd);
}

static struct drm_virtio_accel_event unknown(__u32 handle)
{
	return (struct drm_virtio_accel_event){ .handle = handle,
						.state = 0xcccccccc,
						.status = 0xcccccccc };
}

#define EXPECT_STATE(expected, event)                                  \
	do {                                                           \
		EXPECT_EQ(expected, (event).state);                    \
		EXPECT_EQ(DRM_VIRTIO_ACCEL_STATUS_OK, (event).status); \
	} while (0)

TEST_F(wait, a_past_deadline_polls)
{
	const __s64 past[] = { VACCEL_POLL, 1, -1, INT64_MIN };
	struct drm_virtio_accel_event event;
	__u32 ended;

	for (size_t i = 0; i < ARRAY_COUNT(past); i++) {
		event = unknown(self->held);
		EXPECT_EQ(ETIME, vaccel_wait(self->fd, &event, 1, 0, past[i]));
		EXPECT_STATE(PENDING, event);
	}

	ASSERT_EQ(0, vaccel_session_submit(&self->session, &ended));
	ASSERT_EQ(0, vaccel_wait_complete(self->fd, ended));
	event = unknown(ended);
	EXPECT_EQ(0, vaccel_wait(self->fd, &event, 1, 0, VACCEL_POLL));
	EXPECT_STATE(COMPLETE, event);
}

TEST_F(wait, a_deadline_is_never_early)
{
	struct drm_virtio_accel_event event = unknown(self->held);
	const __s64 deadline = vaccel_deadline_ms(50);

	EXPECT_EQ(ETIME, vaccel_wait(self->fd, &event, 1, 0, deadline));
	EXPECT_LE(deadline, vaccel_deadline_ms(0));
	EXPECT_STATE(PENDING, event);
}

TEST_F(wait, any_and_all)
{
	struct drm_virtio_accel_event events[2];
	__u32 ended;

	ASSERT_EQ(0, vaccel_session_submit(&self->session, &ended));
	events[0] = unknown(self->held);
	events[1] = unknown(ended);
	EXPECT_EQ(0, vaccel_wait(self->fd, events, 2, 0, VACCEL_FOREVER));
	EXPECT_STATE(PENDING, events[0]);
	EXPECT_STATE(COMPLETE, events[1]);

	events[1] = unknown(ended);
	EXPECT_EQ(ETIME, vaccel_wait(self->fd, events, 2, DRM_VIRTIO_ACCEL_WAIT_ALL,
				     vaccel_deadline_ms(20)));
	EXPECT_STATE(PENDING, events[0]);
	EXPECT_STATE(COMPLETE, events[1]);

	ASSERT_EQ(0, vaccel_cancel(self->fd, self->held));
	EXPECT_EQ(0, vaccel_wait(self->fd, events, 2, DRM_VIRTIO_ACCEL_WAIT_ALL, VACCEL_FOREVER));
	EXPECT_STATE(CANCELLED, events[0]);
	EXPECT_STATE(COMPLETE, events[1]);
}

TEST_F(wait, as_many_events_as_allowed)
{
	struct drm_virtio_accel_event events[DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS];

	for (size_t i = 0; i < ARRAY_COUNT(events); i++) {
		events[i] = unknown(0);
		ASSERT_EQ(0, vaccel_session_submit(&self->session, &events[i].handle));
	}
	EXPECT_EQ(0, vaccel_wait(self->fd, events, ARRAY_COUNT(events), DRM_VIRTIO_ACCEL_WAIT_ALL,
				 VACCEL_FOREVER));
	for (size_t i = 0; i < ARRAY_COUNT(events); i++)
		EXPECT_STATE(COMPLETE, events[i]);
}

TEST_F(wait, one_wrong_event_fails_the_wait)
{
	struct drm_virtio_accel_event events[2] = { unknown(self->held), unknown(0) };

	EXPECT_EQ(ENOENT, vaccel_wait(self->fd, events, 2, 0, VACCEL_POLL));
	events[1] = unknown(self->held);
	events[1].pad = 1;
	EXPECT_EQ(EINVAL, vaccel_wait(self->fd, events, 2, 0, VACCEL_POLL));
}

TEST_F(wait, cancel)
{
	struct drm_virtio_accel_event event = unknown(self->held);

	EXPECT_EQ(0, vaccel_cancel(self->fd, self->held));
	for (int poll = 0; poll < 2; poll++) {
		EXPECT_EQ(0, vaccel_wait(self->fd, &event, 1, 0, VACCEL_FOREVER));
		EXPECT_STATE(CANCELLED, event);
	}
	EXPECT_EQ(EBUSY, vaccel_cancel(self->fd, self->held));
	EXPECT_EQ(0, vaccel_event_destroy(self->fd, self->held, 0));
	EXPECT_EQ(ENOENT, vaccel_cancel(self->fd, self->held));
}

TEST_F(wait, cancelled_work_changes_nothing_else)
{
	__u32 ended;

	ASSERT_EQ(0, vaccel_session_submit(&self->session, &ended));
	EXPECT_EQ(0, vaccel_cancel(self->fd, self->held));
	EXPECT_EQ(0, vaccel_wait_complete(self->fd, ended));
	EXPECT_EQ(EBUSY, vaccel_cancel(self->fd, ended));
}

TEST_F(wait, busy_until_the_event_has_ended)
{
	const __u32 buf = self->session.buf;
	__u8 data[VACCEL_BUF_SIZE] = { 0 };

	EXPECT_EQ(EBUSY, vaccel_event_destroy(self->fd, self->held, 0));
	EXPECT_EQ(EBUSY, vaccel_buf_write(self->fd, buf, 0, data, sizeof(data)));
	EXPECT_EQ(EBUSY, vaccel_buf_read(self->fd, buf, 0, data, sizeof(data)));

	/* Whoever knows of the end can use the buffer, with the handle still there. */
	ASSERT_EQ(0, vaccel_cancel(self->fd, self->held));
	ASSERT_EQ(EIO, vaccel_wait_complete(self->fd, self->held));
	EXPECT_EQ(0, vaccel_buf_write(self->fd, buf, 0, data, sizeof(data)));
	EXPECT_EQ(0, vaccel_event_destroy(self->fd, self->held, 0));
	EXPECT_EQ(ENOENT, vaccel_event_destroy(self->fd, self->held, 0));
}

/* The harness's timeout is what fails this test if the buffer is never free. */
TEST_F(wait, a_detached_event_is_released_when_it_ends)
{
	struct vaccel_session other;
	__u8 data[VACCEL_BUF_SIZE];
	__u32 event;
	int error;

	ASSERT_EQ(0, vaccel_session_create(self->fd, &other));
	ASSERT_EQ(0, vaccel_session_submit(&other, &event));
	ASSERT_EQ(0, vaccel_event_destroy(self->fd, event, DRM_VIRTIO_ACCEL_DESTROY_DETACH));
	EXPECT_EQ(ENOENT, vaccel_event_destroy(self->fd, event, 0));
	EXPECT_EQ(ENOENT, vaccel_wait_complete(self->fd, event));
	do {
		error = vaccel_buf_read(self->fd, other.buf, 0, data, sizeof(data));
	} while (error == EBUSY);
	ASSERT_EQ(0, error);
	for (size_t i = 0; i < sizeof(data); i++)
		EXPECT_EQ(VACCEL_XOR_OPERAND, data[i]);
}

static atomic_int signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

/* SIGALRM every millisecond. */
static void start_signals(int sa_flags)
{
	const struct sigaction action = { .sa_handler = count_signal, .sa_flags = sa_flags };
	const struct itimerval every_ms = { { 0, 1000 }, { 0, 1000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every_ms, NULL);
}

static void stop_signals(void)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
}

TEST_F(wait, a_signal_interrupts)
{
	struct drm_virtio_accel_event event = unknown(self->held);

	start_signals(0);
	EXPECT_EQ(EINTR, vaccel_wait(self->fd, &event, 1, 0, VACCEL_FOREVER));
	stop_signals();
	EXPECT_EQ(ETIME, vaccel_wait(self->fd, &event, 1, 0, VACCEL_POLL));
	EXPECT_STATE(PENDING, event);
}

TEST_F(wait, a_restarted_wait_keeps_its_deadline)
{
	struct drm_virtio_accel_event event = unknown(self->held);
	const __s64 deadline = vaccel_deadline_ms(50);

	start_signals(SA_RESTART);
	EXPECT_EQ(ETIME, vaccel_wait(self->fd, &event, 1, 0, deadline));
	stop_signals();
	EXPECT_LE(deadline, vaccel_deadline_ms(0));
	EXPECT_LT(0, signals);
	EXPECT_STATE(PENDING, event);
}

TEST_F(wait, signals_change_no_result)
{
	struct vaccel_session session;
	__u8 data[VACCEL_BUF_SIZE];
	__u8 expected = 0;

	start_signals(SA_RESTART);
	ASSERT_EQ(0, vaccel_session_create(self->fd, &session));
	while (signals < 50) {
		__u32 event;

		ASSERT_EQ(0, vaccel_session_submit(&session, &event));
		ASSERT_EQ(0, vaccel_wait_complete(self->fd, event));
		ASSERT_EQ(0, vaccel_event_destroy(self->fd, event, 0));
		expected ^= VACCEL_XOR_OPERAND;
		ASSERT_EQ(0, vaccel_buf_read(self->fd, session.buf, 0, data, sizeof(data)));
		ASSERT_EQ(expected, data[0]);
		ASSERT_EQ(expected, data[sizeof(data) - 1]);
	}
	stop_signals();
}

struct waiter {
	pthread_t thread;
	int fd;
	int error;
	struct drm_virtio_accel_event event;
};

static void *wait_forever(void *arg)
{
	struct waiter *waiter = arg;

	waiter->error = vaccel_wait(waiter->fd, &waiter->event, 1, 0, VACCEL_FOREVER);
	return NULL;
}

TEST_F(wait, several_waiters_on_one_event)
{
	struct waiter waiters[8];

	for (size_t i = 0; i < ARRAY_COUNT(waiters); i++) {
		waiters[i] = (struct waiter){ .fd = self->fd, .event = unknown(self->held) };
		ASSERT_EQ(0, pthread_create(&waiters[i].thread, NULL, wait_forever, &waiters[i]));
	}
	ASSERT_EQ(0, vaccel_cancel(self->fd, self->held));
	for (size_t i = 0; i < ARRAY_COUNT(waiters); i++) {
		ASSERT_EQ(0, pthread_join(waiters[i].thread, NULL));
		EXPECT_EQ(0, waiters[i].error);
		EXPECT_STATE(CANCELLED, waiters[i].event);
	}
}

/* Whatever it returns, it returns: a waiter is never left behind. */
TEST_F(wait, destroying_the_context_ends_a_wait)
{
	struct waiter waiter = { .fd = self->fd, .event = unknown(self->held) };

	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, wait_forever, &waiter));
	ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, self->session.ctx));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(ENOENT, vaccel_wait_complete(self->fd, self->held));
}

TEST_HARNESS_MAIN
