// SPDX-License-Identifier: MIT
/*
 * stalled watchdog|unbind|uncancellable: what becomes of everybody in the driver when the
 * device stops to answer, or does not cancel work that does not end. A line "# daemon STOP",
 * "CONT" or "CONT-LATER" asks the host for it.
 */
#include "kselftest.h"
#include "vaccel_sync.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define DRIVER "/sys/bus/virtio/drivers/virtio_accel"

static void ask_host(const char *what)
{
	printf("# daemon %s\n", what);
	fflush(stdout);
}

/* Ends the program unless a step that all the others need has succeeded. */
static void need(int error, const char *what)
{
	if (error)
		ksft_exit_fail_msg("%s: %s\n", what, strerror(error));
}

static void expect(__s64 expected, __s64 actual, const char *what)
{
	if (actual != expected)
		ksft_print_msg("expected %lld, got %lld\n", expected, actual);
	ksft_test_result(actual == expected, "%s\n", what);
}

struct thread {
	pthread_t id;
	int fd;
	__u32 event;
	int error;
	struct drm_virtio_accel_event_done done;
};

static void *wait_for_event(void *arg)
{
	struct thread *thread = arg;
	struct drm_virtio_accel_event event = { .handle = thread->event };

	thread->error = vaccel_wait(thread->fd, &event, 1, 0, VACCEL_FOREVER);
	return NULL;
}

static void *read_notification(void *arg)
{
	struct thread *thread = arg;

	if (read(thread->fd, &thread->done, sizeof(thread->done)) != sizeof(thread->done))
		thread->error = EIO;
	return NULL;
}

static atomic_int commands;

/* Sends commands until one of them fails. */
static void *send_commands(void *arg)
{
	struct thread *thread = arg;
	__u32 ctx;

	do {
		thread->error = vaccel_ctx_create(thread->fd, &ctx);
		if (!thread->error)
			thread->error = vaccel_ctx_destroy(thread->fd, ctx);
		commands++;
	} while (!thread->error || thread->error == ENOSPC);
	return NULL;
}

/* All that can be under way in a file. */
struct client {
	struct vaccel_session session;
	int of_held; /* sync_file */
	int of_waiting; /* sync_file of a job that waits for it */
	struct thread sender, waiter, reader;
};

static void start(struct thread *thread, int fd, __u32 event, void *(*work)(void *))
{
	*thread = (struct thread){ .fd = fd, .event = event };
	need(pthread_create(&thread->id, NULL, work, thread), "a thread");
}

static void start_client(struct client *client)
{
	struct drm_virtio_accel_device_info info = { 0 };
	struct vaccel_session *session = &client->session;
	const int fd = vaccel_open();
	struct vaccel_job job;
	__u32 first, second, held;

	need(fd < 0 ? ENODEV : 0, "the device");
	need(vaccel_query(fd, &info), "its limits");
	need(vaccel_session_create(fd, session), "a session");
	need(syncobj_create(fd, &first), "a syncobj");
	need(syncobj_create(fd, &second), "a syncobj");
	need(vaccel_hold(session, first, 0, info.max_fence_timeout_ns, &held), "a fence");
	job = vaccel_job(session);
	vaccel_job_in(&job, first, 0);
	vaccel_job_out(&job, second, 0, info.max_fence_timeout_ns);
	job.args.flags = DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY;
	need(vaccel_job_submit(&job), "a job with syncs");
	client->of_held = syncobj_export(fd, first);
	client->of_waiting = syncobj_export(fd, second);

	need(vaccel_session_hold(session, &held), "a held job");
	start(&client->waiter, fd, held, wait_for_event);
	start(&client->reader, fd, 0, read_notification);
	start(&client->sender, fd, 0, send_commands);
}

/* Waits for all of it; the alarm is for what never comes. */
static void expect_loss(struct client *client)
{
	__u32 ctx;

	pthread_join(client->sender.id, NULL);
	expect(ENODEV, client->sender.error, "a command in flight fails");
	pthread_join(client->waiter.id, NULL);
	expect(ENODEV, client->waiter.error, "EVENT_WAIT fails");
	pthread_join(client->reader.id, NULL);
	expect(0, client->reader.error, "a reader gets its notification");
	expect(DRM_VIRTIO_ACCEL_STATUS_DEVICE_LOST, client->reader.done.status,
	       "which says why");
	expect(-ENODEV, sync_file_wait(client->of_held), "a fence signals");
	expect(-ENODEV, sync_file_wait(client->of_waiting), "and one that waits for it");
	expect(ENODEV, vaccel_ctx_create(client->session.fd, &ctx), "no new command is sent");
	close(client->session.fd);
}

static void watchdog(struct client *client)
{
	ask_host("STOP");
	expect_loss(client);
}

/* The virtio device that is bound. */
static void find_device(char *name, size_t size)
{
	DIR *driver = opendir(DRIVER);
	struct dirent *entry;

	name[0] = 0;
	while (driver && (entry = readdir(driver)))
		if (!strncmp(entry->d_name, "virtio", 6))
			snprintf(name, size, "%s", entry->d_name);
	if (driver)
		closedir(driver);
	need(name[0] ? 0 : ENODEV, DRIVER);
}

static int write_name(const char *path, const char *name)
{
	int fd = open(path, O_WRONLY);
	int error = fd < 0 || write(fd, name, strlen(name)) < 0 ? errno : 0;

	close(fd);
	return error;
}

/* While a command is in flight, which is the case when no more of them come back. */
static void unbind(struct client *client)
{
	char device[256];
	int before;

	find_device(device, sizeof(device));
	ask_host("STOP");
	do {
		before = commands;
		usleep(500000);
	} while (before != commands);
	ask_host("CONT-LATER");
	/* The reset holds up the VMM, and what it has not passed on by then. */
	sleep(1);
	expect(0, write_name(DRIVER "/unbind", device), "the driver is unbound");
	expect_loss(client);
	expect(0, write_name(DRIVER "/bind", device), "and bound again");
}

/* The device refuses CANCEL_EVENT until it has done so 60 times: the host sees to that. */
static void uncancellable(void)
{
	struct vaccel_session stuck, other;
	struct drm_virtio_accel_event event = { 0 };
	__u32 syncobj, next;
	const int fd = vaccel_open();

	need(fd < 0 ? ENODEV : 0, "the device");
	need(vaccel_session_create(fd, &stuck), "a session");
	need(vaccel_session_create(fd, &other), "another session");
	need(syncobj_create(fd, &syncobj), "a syncobj");
	need(vaccel_hold(&stuck, syncobj, 0, 50000000, &event.handle), "a held job");
	expect(-ETIME, sync_file_wait(syncobj_export(fd, syncobj)), "the fence signals");
	need(vaccel_wait(fd, &event, 1, 0, VACCEL_FOREVER), "the event");
	expect(DRM_VIRTIO_ACCEL_EVENT_FAILED, event.state, "the event has failed");
	expect(DRM_VIRTIO_ACCEL_STATUS_DEADLINE_EXPIRED, event.status, "and says why");
	expect(ECANCELED, vaccel_session_submit(&stuck, &next), "its context takes no more work");
	need(vaccel_session_submit(&other, &next), "a job");
	expect(0, vaccel_wait_complete(fd, next), "another context does");
	need(vaccel_ctx_destroy(fd, stuck.ctx), "its destruction");
	expect(0, vaccel_wait_for_contexts(fd, 1), "what was stuck is released with its context");
	close(fd);
}

int main(int argc, char **argv)
{
	static struct client client;

	/* None of it takes nearly as long, except for ever. */
	alarm(100);
	ksft_print_header();
	if (argc == 2 && !strcmp(argv[1], "watchdog")) {
		ksft_set_plan(7);
		start_client(&client);
		watchdog(&client);
	} else if (argc == 2 && !strcmp(argv[1], "unbind")) {
		ksft_set_plan(9);
		start_client(&client);
		unbind(&client);
	} else if (argc == 2 && !strcmp(argv[1], "uncancellable")) {
		ksft_set_plan(6);
		uncancellable();
	} else {
		ksft_exit_fail_msg("usage: stalled watchdog|unbind|uncancellable\n");
	}
	ksft_finished();
}
