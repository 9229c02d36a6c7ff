// SPDX-License-Identifier: MIT
/*
 * Whatever becomes of the file, the context, the process or the device, a fence
 * signals; with an error unless its work was done. The harness's timeout is what fails
 * a test whose fence never does.
 */
#include "kselftest_harness.h"
#include "vaccel_sync.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>

FIXTURE(sync_loss)
{
	struct vaccel_session session;
	int fd;
	__u64 longest; /* timeout of a fence */
	__u32 held;
	int of_held; /* sync_file of a job that the device has and does not end */
	int of_waiting; /* sync_file of a job that waits for it */
};

/* Both jobs; the second one has no event. */
static int start(struct vaccel_session *session, __u64 timeout_ns, __u32 *held, int *of_held,
		 int *of_waiting)
{
	struct vaccel_job job;
	__u32 first, second, gate;
	int error = vaccel_session_create(session->fd, session);

	if (!error)
		error = syncobj_create(session->fd, &first);
	if (!error)
		error = syncobj_create(session->fd, &second);
	if (!error)
		error = vaccel_hold(session, first, 0, timeout_ns, held);
	if (!error)
		error = syncobj_gate(session->fd, first, &gate);
	if (error)
		return error;
	job = vaccel_job(session);
	vaccel_job_in(&job, gate, GATE_POINT);
	vaccel_job_out(&job, second, 0, timeout_ns);
	job.args.flags = DRM_VIRTIO_ACCEL_SUBMIT_DETACH;
	error = vaccel_job_submit(&job);
	*of_held = syncobj_export(session->fd, first);
	*of_waiting = syncobj_export(session->fd, second);
	return error;
}

FIXTURE_SETUP(sync_loss)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_longest_fence(self->fd, &self->longest));
	self->session.fd = self->fd;
	ASSERT_EQ(0, start(&self->session, self->longest, &self->held, &self->of_held,
			   &self->of_waiting));
	ASSERT_EQ(0, sync_file_status(self->of_held));
	ASSERT_EQ(0, sync_file_status(self->of_waiting));
}

FIXTURE_TEARDOWN(sync_loss)
{
	if (self->fd >= 0)
		close(self->fd);
}

TEST_F(sync_loss, close_of_the_file)
{
	ASSERT_EQ(0, close(self->fd));
	self->fd = -1;
	EXPECT_GT(0, sync_file_wait(self->of_held));
	EXPECT_GT(0, sync_file_wait(self->of_waiting));
}

TEST_F(sync_loss, destruction_of_the_context)
{
	ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, self->session.ctx));
	EXPECT_GT(0, sync_file_wait(self->of_held));
	EXPECT_GT(0, sync_file_wait(self->of_waiting));
}

/* Nobody is kept by the work of another file, which may never end. */
TEST_F(sync_loss, close_while_another_file_is_waited_for)
{
	for (int all = 0; all < 2; all++) {
		struct vaccel_session other = { .fd = vaccel_open() };
		struct vaccel_job job;
		int sync_file;

		ASSERT_EQ(0, vaccel_session_create(other.fd, &other));
		job = vaccel_job(&other);
		ASSERT_EQ(0, syncobj_create(other.fd, &job.in[0].handle));
		ASSERT_EQ(0, syncobj_import(other.fd, job.in[0].handle, self->of_held));
		vaccel_job_in(&job, job.in[0].handle, 0);
		vaccel_job_out(&job, job.in[0].handle, 0, self->longest);
		ASSERT_EQ(0, vaccel_job_submit(&job));
		sync_file = syncobj_export(other.fd, job.in[0].handle);
		ASSERT_EQ(0, sync_file_status(sync_file));
		ASSERT_EQ(0, all ? close(other.fd) : vaccel_ctx_destroy(other.fd, other.ctx));
		EXPECT_EQ(-ECANCELED, sync_file_wait(sync_file));
		EXPECT_EQ(0, sync_file_status(self->of_held));
	}
}

/* Destruction of the handle only: the work goes on. */
TEST_F(sync_loss, detachment_of_the_event)
{
	struct vaccel_job job = vaccel_job(&self->session);
	__u32 syncobj, gate;
	int sync_file;

	ASSERT_EQ(0, syncobj_create(self->fd, &syncobj));
	ASSERT_EQ(0, syncobj_import(self->fd, syncobj, self->of_held));
	ASSERT_EQ(0, syncobj_gate(self->fd, syncobj, &gate));
	vaccel_job_in(&job, gate, GATE_POINT);
	vaccel_job_out(&job, syncobj, 0, self->longest);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	sync_file = syncobj_export(self->fd, syncobj);
	ASSERT_EQ(0, vaccel_event_destroy(self->fd, job.args.event,
					  DRM_VIRTIO_ACCEL_DESTROY_DETACH));
	EXPECT_EQ(0, sync_file_status(sync_file));
	ASSERT_EQ(0, vaccel_cancel(self->fd, self->held));
	EXPECT_EQ(1, sync_file_wait(sync_file));
}

TEST_F(sync_loss, objects_that_are_gone)
{
	EXPECT_EQ(0, vaccel_queue_destroy(self->fd, self->session.queue));
	EXPECT_EQ(0, vaccel_prog_unload(self->fd, self->session.prog));
	EXPECT_EQ(0, vaccel_buf_close(self->fd, self->session.buf));
	EXPECT_EQ(0, sync_file_status(self->of_waiting));
	ASSERT_EQ(0, vaccel_cancel(self->fd, self->held));
	EXPECT_EQ(-ECANCELED, sync_file_wait(self->of_held));
	EXPECT_EQ(1, sync_file_wait(self->of_waiting));
}

static int send_descriptor(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec byte = { .iov_base = "", .iov_len = 1 };
	struct msghdr message = { .msg_iov = &byte,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	return sendmsg(socket, &message, 0) == 1 ? 0 : errno;
}

static int receive_descriptor(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	int fd = -1;

	if (recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

/* A process that waits to be killed, with a file and the same two jobs of its own. */
static pid_t start_process(__u64 timeout_ns, int *of_held, int *of_waiting)
{
	int sockets[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets))
		return -1;
	child = fork();
	if (!child) {
		struct vaccel_session session = { .fd = vaccel_open() };
		__u32 held;

		close(sockets[0]);
		if (start(&session, timeout_ns, &held, of_held, of_waiting) ||
		    send_descriptor(sockets[1], *of_held) ||
		    send_descriptor(sockets[1], *of_waiting))
			_exit(1);
		pause();
		_exit(2);
	}
	close(sockets[1]);
	*of_held = receive_descriptor(sockets[0]);
	*of_waiting = receive_descriptor(sockets[0]);
	close(sockets[0]);
	return child;
}

/* Other files may wait for the fences of a process that is killed. */
TEST_F(sync_loss, death_of_the_process)
{
	struct vaccel_job job = vaccel_job(&self->session);
	int of_held, of_waiting, status;
	pid_t child = start_process(self->longest, &of_held, &of_waiting);

	ASSERT_LT(0, child);
	ASSERT_EQ(0, sync_file_status(of_held));
	ASSERT_EQ(0, sync_file_status(of_waiting));
	ASSERT_EQ(0, syncobj_create(self->fd, &job.in[0].handle));
	ASSERT_EQ(0, syncobj_import(self->fd, job.in[0].handle, of_waiting));
	vaccel_job_in(&job, job.in[0].handle, 0);
	ASSERT_EQ(0, vaccel_job_submit(&job));

	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_GT(0, sync_file_wait(of_held));
	EXPECT_GT(0, sync_file_wait(of_waiting));
	EXPECT_EQ(0, vaccel_wait(self->fd,
				 &(struct drm_virtio_accel_event){ .handle = job.args.event }, 1, 0,
				 VACCEL_FOREVER));
	EXPECT_EQ(0, sync_file_status(self->of_held));
}

/* A fence of another driver, which signals when userspace wants it to. */
TEST_F(sync_loss, a_fence_of_another_driver)
{
	const char *debugfs = "/sys/kernel/debug";
	struct {
		__u32 value;
		char name[32];
		__s32 fence;
	} fence = { .value = 1, .name = "selftest", .fence = -1 };
	struct vaccel_job job = vaccel_job(&self->session);
	__u32 step = 1;
	int timeline;

	mount("debugfs", debugfs, "debugfs", 0, NULL);
	timeline = open("/sys/kernel/debug/sync/sw_sync", O_RDWR);
	if (timeline < 0)
		SKIP(return, "the kernel has no sw_sync");
	ASSERT_EQ(0, ioctl(timeline, _IOWR('W', 0, fence), &fence));
	ASSERT_EQ(0, syncobj_create(self->fd, &job.in[0].handle));
	ASSERT_EQ(0, syncobj_import(self->fd, job.in[0].handle, fence.fence));
	vaccel_job_in(&job, job.in[0].handle, 0);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_PENDING, vaccel_state(self->fd, job.args.event));
	ASSERT_EQ(0, ioctl(timeline, _IOW('W', 1, __u32), &step));
	EXPECT_EQ(0, vaccel_wait_complete(self->fd, job.args.event));
}

TEST_HARNESS_MAIN
