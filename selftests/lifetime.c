// SPDX-License-Identifier: MIT
/* Objects die when they should: not before, and not later than their file. */
#include "kselftest_harness.h"
#include "vaccel_util.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

FIXTURE(lifetime)
{
	struct vaccel_session session;
	int fd;
};

FIXTURE_SETUP(lifetime)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
}

FIXTURE_TEARDOWN(lifetime)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* Submits, and sees that the bytes are what the program makes of zeroes. */
static int use(const struct vaccel_session *session)
{
	__u8 data[VACCEL_BUF_SIZE] = { 0 };
	__u32 event;
	int error = vaccel_buf_write(session->fd, session->buf, 0, data, sizeof(data));

	if (!error)
		error = vaccel_session_submit(session, &event);
	if (!error)
		error = vaccel_wait_complete(session->fd, event);
	if (!error)
		error = vaccel_event_destroy(session->fd, event, 0);
	if (!error)
		error = vaccel_buf_read(session->fd, session->buf, 0, data, sizeof(data));
	for (size_t i = 0; !error && i < sizeof(data); i++)
		if (data[i] != VACCEL_XOR_OPERAND)
			error = EIO;
	return error;
}

TEST_F(lifetime, children_first)
{
	const struct vaccel_session *session = &self->session;

	EXPECT_EQ(0, use(session));
	EXPECT_EQ(0, vaccel_queue_destroy(self->fd, session->queue));
	EXPECT_EQ(ENOENT, vaccel_queue_destroy(self->fd, session->queue));
	EXPECT_EQ(0, vaccel_prog_unload(self->fd, session->prog));
	EXPECT_EQ(ENOENT, vaccel_prog_unload(self->fd, session->prog));
	EXPECT_EQ(0, vaccel_buf_close(self->fd, session->buf));
	EXPECT_EQ(EINVAL, vaccel_buf_close(self->fd, session->buf));
	EXPECT_EQ(0, vaccel_ctx_destroy(self->fd, session->ctx));
	EXPECT_EQ(ENOENT, vaccel_ctx_destroy(self->fd, session->ctx));
}

TEST_F(lifetime, handles_die_with_their_context)
{
	const struct vaccel_session *session = &self->session;
	struct drm_virtio_accel_event event = { 0 };
	struct vaccel_session other;
	__u8 data[VACCEL_BUF_SIZE] = { 0 };
	__u32 ended, held;

	ASSERT_EQ(0, vaccel_session_create(self->fd, &other));
	ASSERT_EQ(0, vaccel_session_submit(session, &ended));
	ASSERT_EQ(0, vaccel_wait_complete(self->fd, ended));
	ASSERT_EQ(0, vaccel_session_hold(session, &held));
	ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, session->ctx));

	EXPECT_EQ(ENOENT, vaccel_queue_destroy(self->fd, session->queue));
	EXPECT_EQ(ENOENT, vaccel_prog_unload(self->fd, session->prog));
	EXPECT_EQ(ENOENT, vaccel_event_destroy(self->fd, ended, 0));
	event.handle = held;
	EXPECT_EQ(ENOENT, vaccel_wait(self->fd, &event, 1, 0, VACCEL_POLL));
	EXPECT_EQ(ENOENT, vaccel_cancel(self->fd, held));
	EXPECT_EQ(ENOENT, vaccel_ctx_destroy(self->fd, session->ctx));

	/* A buffer's handle stays, of no use but to be closed. */
	EXPECT_EQ(ENOENT, vaccel_buf_write(self->fd, session->buf, 0, data, sizeof(data)));
	EXPECT_EQ(ENOENT, vaccel_buf_read(self->fd, session->buf, 0, data, sizeof(data)));
	EXPECT_EQ(0, vaccel_buf_close(self->fd, session->buf));

	EXPECT_EQ(0, use(&other));
}

TEST_F(lifetime, an_event_holds_what_it_uses)
{
	const struct vaccel_session *session = &self->session;
	__u32 ended, held;

	ASSERT_EQ(0, vaccel_session_hold(session, &held));
	ASSERT_EQ(0, vaccel_session_submit(session, &ended));
	EXPECT_EQ(0, vaccel_buf_close(self->fd, session->buf));
	EXPECT_EQ(0, vaccel_prog_unload(self->fd, session->prog));
	EXPECT_EQ(0, vaccel_queue_destroy(self->fd, session->queue));
	EXPECT_EQ(EINVAL, vaccel_buf_close(self->fd, session->buf));
	EXPECT_EQ(ENOENT, vaccel_prog_unload(self->fd, session->prog));
	EXPECT_EQ(ENOENT, vaccel_queue_destroy(self->fd, session->queue));

	EXPECT_EQ(0, vaccel_wait_complete(self->fd, ended));
	EXPECT_EQ(0, vaccel_event_destroy(self->fd, ended, 0));
	EXPECT_EQ(0, vaccel_cancel(self->fd, held));
	EXPECT_EQ(EIO, vaccel_wait_complete(self->fd, held));
	EXPECT_EQ(0, vaccel_event_destroy(self->fd, held, 0));
}

TEST_F(lifetime, a_duplicate_descriptor_keeps_the_file)
{
	int copy = dup(self->fd);

	ASSERT_GE(copy, 0);
	ASSERT_EQ(0, close(self->fd));
	self->fd = copy;
	self->session.fd = copy;
	EXPECT_EQ(0, use(&self->session));
}

/* Runs @use in a child that shares the file; its exit status is the errno. */
static int use_in_child(const struct vaccel_session *session)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(use(session));
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return EIO;
	return WEXITSTATUS(status);
}

TEST_F(lifetime, fork_shares_the_file)
{
	EXPECT_EQ(0, use_in_child(&self->session));
	EXPECT_EQ(0, use(&self->session));
}

TEST_F(lifetime, the_last_close_counts)
{
	int ready[2];
	int status;
	pid_t child;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		close(ready[1]);
		/* End of file: the parent has closed the device. */
		_exit(read(ready[0], &byte, 1) ? EIO : use(&self->session));
	}
	ASSERT_EQ(0, close(self->fd));
	self->fd = -1;
	ASSERT_EQ(0, close(ready[1]));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(lifetime, contexts_are_limited_and_come_back)
{
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
	EXPECT_EQ(0, use(&self->session));
}

TEST_F(lifetime, queues_are_limited_and_come_back)
{
	struct drm_virtio_accel_device_info info;
	__u32 count = 1, queue, last = self->session.queue;
	int error;

	ASSERT_EQ(0, vaccel_query(self->fd, &info));
	while (!(error = vaccel_queue_create(self->fd, self->session.ctx, &queue))) {
		last = queue;
		count++;
	}
	EXPECT_EQ(ENOSPC, error);
	EXPECT_EQ(info.max_queues_per_context, count);

	ASSERT_EQ(0, vaccel_queue_destroy(self->fd, last));
	do {
		error = vaccel_queue_create(self->fd, self->session.ctx, &queue);
	} while (error == ENOSPC);
	EXPECT_EQ(0, error);
}

TEST_F(lifetime, close_with_live_objects)
{
	struct vaccel_session sessions[4];
	__u32 event;
	int fd = vaccel_open();

	ASSERT_GE(fd, 0);
	for (size_t i = 0; i < ARRAY_COUNT(sessions); i++) {
		ASSERT_EQ(0, vaccel_session_create(fd, &sessions[i]));
		ASSERT_EQ(0, vaccel_session_submit(&sessions[i], &event));
		ASSERT_EQ(0, vaccel_session_hold(&sessions[i], &event));
	}
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
}

/* A process with a file and objects of its own, asleep in EVENT_WAIT. */
static pid_t start_waiter(void)
{
	struct drm_virtio_accel_event event = { 0 };
	struct vaccel_session session;
	int ready[2];
	char byte;
	pid_t child;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		int fd = vaccel_open();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (vaccel_session_create(fd, &session) ||
		    vaccel_session_hold(&session, &event.handle) || write(ready[1], "", 1) != 1)
			_exit(1);
		vaccel_wait(fd, &event, 1, 0, VACCEL_FOREVER);
		_exit(2);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		return -1;
	close(ready[0]);
	while (vaccel_process_state(child) != 'S')
		sched_yield();
	return child;
}

TEST_F(lifetime, a_killed_waiter_leaves_nothing)
{
	for (int round = 0; round < 4; round++) {
		pid_t child = start_waiter();
		int status;

		ASSERT_LT(0, child);
		ASSERT_EQ(0, kill(child, SIGKILL));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
	EXPECT_EQ(0, use(&self->session));
}

TEST_HARNESS_MAIN
