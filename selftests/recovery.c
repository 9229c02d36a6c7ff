// SPDX-License-Identifier: MIT
/*
 * The loss of the device, and what follows. Needs one that is lost at the third
 * submission of each of its lives.
 */
#include "kselftest_harness.h"
#include "vaccel_util.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#define AUTO_RESET "/sys/module/virtio_accel/parameters/auto_reset"

FIXTURE(recovery)
{
	struct vaccel_session session;
	__u32 held;
	int fd;
};

static bool set_auto_reset(const char *value)
{
	FILE *file = fopen(AUTO_RESET, "w");
	bool written = file && fputs(value, file) >= 0;

	return file && !fclose(file) && written;
}

/* Begins with one submission that is pending. */
FIXTURE_SETUP(recovery)
{
	ASSERT_TRUE(set_auto_reset("Y"));
	self->fd = vaccel_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
	ASSERT_EQ(0, vaccel_session_hold(&self->session, &self->held));
}

FIXTURE_TEARDOWN(recovery)
{
	close(self->fd);
}

static int lose(const struct vaccel_session *session)
{
	__u32 event;
	int error = vaccel_session_submit(session, &event);

	return error ?: vaccel_session_submit(session, &event);
}

/* Until the device is there again; the harness limits the wait. */
static void await_reset(int fd, __u32 *ctx)
{
	while (vaccel_ctx_create(fd, ctx) == ENODEV)
		usleep(10000);
}

TEST_F(recovery, the_same_file_can_go_on)
{
	__u8 data[VACCEL_BUF_SIZE];
	struct vaccel_session next;
	__u32 ctx, event;

	EXPECT_EQ(ENODEV, lose(&self->session));
	await_reset(self->fd, &ctx);
	ASSERT_EQ(0, vaccel_session_create(self->fd, &next));
	ASSERT_EQ(0, vaccel_session_submit(&next, &event));
	EXPECT_EQ(0, vaccel_wait_complete(self->fd, event));

	EXPECT_EQ(0, vaccel_event_destroy(self->fd, event, 0));

	/* What was made before is gone for good, although its ids are in use again. */
	EXPECT_EQ(ENODEV, vaccel_session_submit(&self->session, &event));
	EXPECT_EQ(ENODEV, vaccel_buf_read(self->fd, self->session.buf, 0, data, sizeof(data)));
	EXPECT_EQ(ENODEV, vaccel_wait_complete(self->fd, self->held));
	EXPECT_EQ(0, vaccel_ctx_destroy(self->fd, self->session.ctx));
	EXPECT_EQ(0, vaccel_buf_write(self->fd, next.buf, 0, data, sizeof(data)));
	EXPECT_EQ(ENODEV, lose(&next));
	await_reset(self->fd, &ctx);
}

TEST_F(recovery, who_waits_is_woken)
{
	pid_t child = fork();
	int status;
	__u32 ctx;

	if (!child)
		_exit(vaccel_wait_complete(self->fd, self->held));
	ASSERT_LT(0, child);
	EXPECT_EQ(ENODEV, lose(&self->session));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(ENODEV, WEXITSTATUS(status));
	await_reset(self->fd, &ctx);
}

/* The last one: the device stays as it leaves it. */
TEST_F(recovery, not_unless_it_is_wanted)
{
	__u32 ctx;
	int fd;

	ASSERT_TRUE(set_auto_reset("N"));
	EXPECT_EQ(ENODEV, lose(&self->session));
	/* The pause before a reset would be 8 s by now. */
	sleep(10);
	EXPECT_EQ(ENODEV, vaccel_ctx_create(self->fd, &ctx));
	fd = vaccel_open();
	ASSERT_LE(0, fd);
	EXPECT_EQ(ENODEV, vaccel_ctx_create(fd, &ctx));
	close(fd);
}

TEST_HARNESS_MAIN
