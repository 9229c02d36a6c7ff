// SPDX-License-Identifier: MIT
/*
 * A process that uses the device while something happens to it:
 *
 *   client use      submits once and checks the result
 *   client settle   waits until the device has none of our objects
 *   client leave    ends with a job pending and nothing cleaned up
 *   client hold     blocks in EVENT_WAIT, BUF_READ and SUBMIT, says "held", and succeeds if
 *                   all of them end with ENODEV and the file is of no use any more
 *   client again    the same, but the file is of use again before long
 *
 * It never returns from a call that the driver leaves waiting, which is what fails a test.
 */
#include "../../selftests/vaccel_util.h"
#include "absent.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE (1 << 20)

static struct vaccel_session session;
static __u32 held;
static __u32 large;
static atomic_uint started; /* threads that the device has served once, or that wait */

static void check(int error, const char *what)
{
	if (error)
		errx(1, "%s: %s", what, strerror(error));
}

static void *wait_for_event(void *unused)
{
	struct drm_virtio_accel_event event = { .handle = held };

	(void)unused;
	/* It is pending: the device has answered once before this goes on to wait. */
	if (vaccel_wait(session.fd, &event, 1, 0, VACCEL_POLL) != ETIME)
		return (void *)(intptr_t)EIO;
	started++;
	return (void *)(intptr_t)vaccel_wait(session.fd, &event, 1, 0, VACCEL_FOREVER);
}

/* A machine that falls asleep interrupts it as a signal does: a part is no error. */
static int read_some(void)
{
	static __thread __u8 data[READ_SIZE];
	struct drm_virtio_accel_buf_transfer args = {
		.handle = large,
		.size = sizeof(data),
		.addr = (uintptr_t)data,
	};

	return vaccel_ioctl(session.fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_READ, &args);
}

static void *read_on(void *unused)
{
	int error = read_some();

	(void)unused;
	started++;
	while (!error)
		error = read_some();
	return (void *)(intptr_t)error;
}

static void *submit_on(void *unused)
{
	__u32 event;
	int error = vaccel_session_submit(&session, &event);

	(void)unused;
	started++;
	while (!error) {
		error = vaccel_event_destroy(session.fd, event, DRM_VIRTIO_ACCEL_DESTROY_DETACH);
		do {
			if (!error)
				error = vaccel_session_submit(&session, &event);
		} while (error == ENOSPC); /* until older events are gone */
	}
	return (void *)(intptr_t)error;
}

static void *write_absent(void *page)
{
	const struct absent_page *absent = page;
	int error = vaccel_buf_write(session.fd, large, 0, absent->addr, 1);

	return (void *)(intptr_t)error;
}

static void *(*const bodies[])(void *) = { wait_for_event, read_on, read_on, submit_on,
					   submit_on };
static const char *const names[] = { "EVENT_WAIT", "BUF_READ", "BUF_READ", "SUBMIT", "SUBMIT" };

static void join(pthread_t thread, const char *name)
{
	void *error;

	check(pthread_join(thread, &error), "thread");
	if ((intptr_t)error != ENODEV)
		errx(1, "%s ended with: %s", name, strerror((int)(intptr_t)error));
}

static pthread_t threads[ARRAY_COUNT(bodies)];

/* Returns when every call is blocked, or is made again and again. */
static void block(int fd)
{
	check(vaccel_session_create(fd, &session), "session");
	check(vaccel_session_hold(&session, &held), "a job that does not end");
	check(vaccel_buf_create(fd, session.ctx, READ_SIZE, &large), "buffer");
	for (size_t i = 0; i < ARRAY_COUNT(bodies); i++)
		check(pthread_create(&threads[i], NULL, bodies[i], NULL), "thread");
	while (started < ARRAY_COUNT(bodies))
		usleep(1000);
}

static void end(void)
{
	puts("held");
	fflush(stdout);
	for (size_t i = 0; i < ARRAY_COUNT(bodies); i++)
		join(threads[i], names[i]);
}

static void hold(int fd)
{
	struct absent_page page;
	pthread_t writer;
	__u32 ctx;

	block(fd);
	check(absent_page_create(&page), "userfaultfd");
	check(pthread_create(&writer, NULL, write_absent, &page), "thread");
	check(absent_page_touched(&page), "userfaultfd");
	end();
	/* The others did not have to wait for it. */
	check(absent_page_provide(&page), "userfaultfd");
	join(writer, "BUF_WRITE");
	check(vaccel_ctx_create(fd, &ctx) == ENODEV ? 0 : EIO, "a dead file");
}

static void use(int fd)
{
	__u8 data[VACCEL_BUF_SIZE] = { 0 };
	__u32 event;

	check(vaccel_session_create(fd, &session), "session");
	check(vaccel_buf_write(fd, session.buf, 0, data, sizeof(data)), "write");
	check(vaccel_session_submit(&session, &event), "submit");
	check(vaccel_wait_complete(fd, event), "wait");
	check(vaccel_event_destroy(fd, event, 0), "event");
	check(vaccel_buf_read(fd, session.buf, 0, data, sizeof(data)), "read");
	for (size_t i = 0; i < sizeof(data); i++)
		check(data[i] == VACCEL_XOR_OPERAND ? 0 : EIO, "result");
}

/* The device comes back by itself, after those who used it were sent away. */
static void hold_and_use_again(int fd)
{
	__u32 ctx;
	int error;

	block(fd);
	end();
	do {
		error = vaccel_ctx_create(fd, &ctx);
	} while (error == ENODEV);
	check(error, "context");
	check(vaccel_ctx_destroy(fd, ctx), "context");
	use(fd);
}

/* A context is released last of all that is in it. */
static void settle(int fd)
{
	struct drm_virtio_accel_device_info info;
	__u32 count = 0;

	check(vaccel_query(fd, &info), "query");
	while (count < info.max_contexts)
		check(vaccel_free_contexts(fd, &count), "contexts");
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	int fd = vaccel_open();

	if (fd < 0)
		errx(1, "no virtio-accel device");
	if (!strcmp(what, "use")) {
		use(fd);
	} else if (!strcmp(what, "settle")) {
		settle(fd);
	} else if (!strcmp(what, "leave")) {
		use(fd);
		check(vaccel_session_hold(&session, &held), "a job that does not end");
	} else if (!strcmp(what, "hold")) {
		hold(fd);
	} else if (!strcmp(what, "again")) {
		hold_and_use_again(fd);
	} else {
		errx(2, "use, settle, leave, hold or again");
	}
	return 0;
}
