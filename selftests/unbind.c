// SPDX-License-Identifier: MIT
/*
 * The driver is taken off the device while files are open, jobs pending and threads
 * asleep in it: everybody is told, and the next file works.
 */
#include "kselftest_harness.h"
#include "vaccel_sync.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#define DRIVER "/sys/bus/virtio/drivers/virtio_accel"

/* The name of the virtio device that is bound, if there is just one. */
static bool bound_device(char *name, size_t size)
{
	DIR *driver = opendir(DRIVER);
	struct dirent *entry;
	int found = 0;

	while (driver && (entry = readdir(driver)))
		if (!strncmp(entry->d_name, "virtio", 6)) {
			snprintf(name, size, "%s", entry->d_name);
			found++;
		}
	if (driver)
		closedir(driver);
	return found == 1;
}

static int write_name(const char *path, const char *name)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = fd < 0 || write(fd, name, strlen(name)) < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

FIXTURE(unbind)
{
	char device[256];
	struct vaccel_session session;
	int fd;
	__u64 longest; /* timeout of a fence */
};

FIXTURE_SETUP(unbind)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	if (access(DRIVER "/unbind", W_OK))
		SKIP(return, "the driver cannot be unbound by this user");
	ASSERT_TRUE(bound_device(self->device, sizeof(self->device)));
	ASSERT_EQ(0, vaccel_longest_fence(self->fd, &self->longest));
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
}

/* Whatever the test found, the next one needs a device. */
FIXTURE_TEARDOWN(unbind)
{
	char name[256];

	if (self->device[0] && !bound_device(name, sizeof(name)))
		EXPECT_EQ(0, write_name(DRIVER "/bind", self->device));
	if (self->fd >= 0)
		close(self->fd);
}

static int unbind(const char *device)
{
	return write_name(DRIVER "/unbind", device);
}

static int rebind(const char *device)
{
	return write_name(DRIVER "/bind", device);
}

/* A new file runs a job. */
static int use(void)
{
	struct vaccel_session session = { .fd = vaccel_open() };
	__u32 event;
	int error = session.fd < 0 ? ENOENT : vaccel_session_create(session.fd, &session);

	if (!error)
		error = vaccel_session_submit(&session, &event);
	if (!error)
		error = vaccel_wait_complete(session.fd, event);
	if (session.fd >= 0)
		close(session.fd);
	return error;
}

/* A thread that is asleep in the driver when this returns. */
struct sleeper {
	pthread_t thread;
	int fd;
	__u32 event;
	volatile pid_t tid;
	int error;
	ssize_t got;
	struct drm_virtio_accel_event_done done;
};

static bool asleep(pid_t tid)
{
	char path[64], line[128] = "";
	const char *after_name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (file) {
		if (!fgets(line, sizeof(line), file))
			line[0] = 0;
		fclose(file);
	}
	after_name = strrchr(line, ')');
	return after_name && after_name[2] == 'S';
}

static void *sleep_in_wait(void *arg)
{
	struct sleeper *sleeper = arg;
	struct drm_virtio_accel_event event = { .handle = sleeper->event };

	sleeper->tid = gettid();
	sleeper->error = vaccel_wait(sleeper->fd, &event, 1, 0, VACCEL_FOREVER);
	return NULL;
}

static void *sleep_in_read(void *arg)
{
	struct sleeper *sleeper = arg;

	sleeper->tid = gettid();
	sleeper->got = read(sleeper->fd, &sleeper->done, sizeof(sleeper->done));
	return NULL;
}

static int start(struct sleeper *sleeper, void *(*sleep_in)(void *))
{
	int error = pthread_create(&sleeper->thread, NULL, sleep_in, sleeper);

	while (!error && (!sleeper->tid || !asleep(sleeper->tid)))
		usleep(1000);
	return error;
}

TEST_F(unbind, tells_who_waits)
{
	struct sleeper waiter = { .fd = self->fd };

	ASSERT_EQ(0, vaccel_session_hold(&self->session, &waiter.event));
	ASSERT_EQ(0, start(&waiter, sleep_in_wait));
	ASSERT_EQ(0, unbind(self->device));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(ENODEV, waiter.error);
	EXPECT_EQ(ENODEV, vaccel_ctx_create(self->fd, &self->session.ctx));
	EXPECT_EQ(ENODEV, vaccel_cancel(self->fd, waiter.event));
	EXPECT_GT(0, vaccel_open());

	ASSERT_EQ(0, rebind(self->device));
	EXPECT_EQ(ENODEV, vaccel_ctx_create(self->fd, &self->session.ctx));
	EXPECT_EQ(0, use());
}

TEST_F(unbind, tells_who_reads)
{
	struct vaccel_job job = vaccel_job(&self->session);
	struct sleeper reader = { .fd = self->fd };

	ASSERT_EQ(0, vaccel_barrier_load(&self->session, &job.args.program));
	job.args.flags = DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY;
	job.args.user_data = 77;
	ASSERT_EQ(0, vaccel_job_submit(&job));
	ASSERT_EQ(0, start(&reader, sleep_in_read));
	ASSERT_EQ(0, unbind(self->device));
	ASSERT_EQ(0, pthread_join(reader.thread, NULL));
	ASSERT_EQ(sizeof(reader.done), reader.got);
	EXPECT_EQ(77, reader.done.user_data);
	EXPECT_EQ(job.args.event, reader.done.event);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_EVENT_FAILED, reader.done.state);
	EXPECT_EQ(DRM_VIRTIO_ACCEL_STATUS_DEVICE_LOST, reader.done.status);
	ASSERT_EQ(0, rebind(self->device));
	EXPECT_EQ(0, use());
}

TEST_F(unbind, fences_signal)
{
	struct vaccel_job job = vaccel_job(&self->session);
	int of_held, of_waiting;
	__u32 first, second, held;

	ASSERT_EQ(0, syncobj_create(self->fd, &first));
	ASSERT_EQ(0, syncobj_create(self->fd, &second));
	ASSERT_EQ(0, vaccel_hold(&self->session, first, 0, self->longest, &held));
	vaccel_job_in(&job, first, 0);
	vaccel_job_out(&job, second, 0, self->longest);
	ASSERT_EQ(0, vaccel_job_submit(&job));
	of_held = syncobj_export(self->fd, first);
	of_waiting = syncobj_export(self->fd, second);
	ASSERT_EQ(0, unbind(self->device));
	EXPECT_EQ(-ENODEV, sync_file_wait(of_held));
	EXPECT_EQ(-ENODEV, sync_file_wait(of_waiting));
	ASSERT_EQ(0, rebind(self->device));
	EXPECT_EQ(0, use());

	/* A fence outlives the device that it was of. */
	EXPECT_EQ(-ENODEV, sync_file_status(of_held));
}

/* Does all that a client does, until it is killed or the device is gone. */
static void client(void)
{
	for (;;) {
		struct vaccel_session session = { .fd = vaccel_open() };
		__u32 event;

		while (session.fd >= 0 && !vaccel_session_create(session.fd, &session) &&
		       !vaccel_session_hold(&session, &event) &&
		       !vaccel_session_submit(&session, &event) &&
		       !vaccel_wait_complete(session.fd, event) &&
		       !vaccel_ctx_destroy(session.fd, session.ctx))
			;
		if (session.fd >= 0)
			close(session.fd);
	}
}

TEST_F(unbind, under_load)
{
	pid_t clients[6];

	for (size_t i = 0; i < ARRAY_COUNT(clients); i++) {
		clients[i] = fork();
		if (!clients[i])
			client();
		ASSERT_LT(0, clients[i]);
	}
	for (int round = 0; round < 4; round++) {
		usleep(50000);
		ASSERT_EQ(0, unbind(self->device));
		ASSERT_EQ(0, rebind(self->device));
	}
	for (size_t i = 0; i < ARRAY_COUNT(clients); i++) {
		ASSERT_EQ(0, kill(clients[i], SIGKILL));
		ASSERT_EQ(clients[i], waitpid(clients[i], NULL, 0));
	}
	close(self->fd);
	self->fd = vaccel_open();
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 0));
	EXPECT_EQ(0, use());
}

TEST_HARNESS_MAIN
