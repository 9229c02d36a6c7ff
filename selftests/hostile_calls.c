// SPDX-License-Identifier: MIT
#include "hostile_calls.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* What no device writes, and what the test writes to a buffer. */
#define UNTOUCHED 0xcc
#define PATTERN 0x39

static bool all_are(const __u8 *data, size_t size, __u8 value)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] != value)
			return false;
	return true;
}

static int wait_for(int fd, __u32 event, __u32 expected)
{
	struct drm_virtio_accel_event state = { .handle = event };
	int error = vaccel_wait(fd, &state, 1, 0, VACCEL_FOREVER);

	if (!error && (state.state != expected ||
		       !state.status != (expected != DRM_VIRTIO_ACCEL_EVENT_FAILED)))
		return TRIAL_WRONG;
	return error;
}

int trial_use(const struct vaccel_session *session)
{
	__u8 data[VACCEL_BUF_SIZE] = { 0 };
	__u32 event;
	int error = vaccel_buf_write(session->fd, session->buf, 0, data, sizeof(data));

	if (!error)
		error = vaccel_session_submit(session, &event);
	if (!error)
		error = wait_for(session->fd, event, DRM_VIRTIO_ACCEL_EVENT_COMPLETE);
	if (!error)
		error = vaccel_event_destroy(session->fd, event, 0);
	if (!error)
		error = vaccel_buf_read(session->fd, session->buf, 0, data, sizeof(data));
	return error ?: all_are(data, sizeof(data), VACCEL_XOR_OPERAND) ? 0 : TRIAL_WRONG;
}

static int create(struct trial *trial)
{
	return vaccel_session_create(trial->fd, &trial->session);
}

static int create_and_use(struct trial *trial)
{
	int error = create(trial);

	for (int i = 0; !error && i < 8; i++)
		error = trial_use(&trial->session);
	return error;
}

/* A limit that the driver could not keep is tightened, whatever the device says. */
static int query(struct trial *trial)
{
	struct drm_virtio_accel_device_info info;
	int error = vaccel_query(trial->fd, &info);

	if (!error && (info.max_buffer_bytes > INT64_MAX ||
		       info.max_artifact_bytes > 16 << 20 ||
		       info.max_bindings_per_submission > DRM_VIRTIO_ACCEL_MAX_BINDINGS))
		return TRIAL_WRONG;
	return error ?: create_and_use(trial);
}

static int write_buffer(struct trial *trial)
{
	__u8 data[VACCEL_BUF_SIZE];

	memset(data, PATTERN, sizeof(data));
	return vaccel_buf_write(trial->fd, trial->session.buf, 0, data, sizeof(data));
}

/* User memory gets what the device has written, or nothing. */
static int read_buffer(struct trial *trial)
{
	__u8 data[VACCEL_BUF_SIZE];
	int error = write_buffer(trial);

	if (error)
		return error;
	memset(data, UNTOUCHED, sizeof(data));
	error = vaccel_buf_read(trial->fd, trial->session.buf, 0, data, sizeof(data));
	return all_are(data, sizeof(data), error ? UNTOUCHED : PATTERN) ? error : TRIAL_WRONG;
}

/*
 * The device claims to have written: what it has not is zero, not somebody's memory.
 * There is a lot of that about: requests of the size of the response.
 */
static int read_unwritten(struct trial *trial)
{
	__u8 data[400];
	__u32 buf;
	int error = vaccel_buf_create(trial->fd, trial->session.ctx, sizeof(data), &buf);

	memset(data, PATTERN, sizeof(data));
	for (int i = 0; !error && i < 64; i++)
		error = vaccel_buf_write(trial->fd, buf, 0, data, sizeof(data));
	if (!error)
		error = vaccel_buf_read(trial->fd, buf, 0, data, sizeof(data));
	return error ?: all_are(data, sizeof(data), 0) ? 0 : TRIAL_WRONG;
}

static int submit(struct trial *trial)
{
	__u32 event = 0;
	int error = vaccel_session_submit(&trial->session, &event);

	return !error == !event ? TRIAL_WRONG : error;
}

/* The first event is there, and pending, when the second one comes. */
static int submit_two(struct trial *trial)
{
	__u32 held;
	int error = vaccel_session_hold(&trial->session, &held);

	return error ?: submit(trial);
}

/* The device cannot say whether it accepted the work: there is an event all the same. */
static int submit_unsure(struct trial *trial)
{
	struct drm_virtio_accel_binding binding = vaccel_xor_binding(&trial->session);
	struct drm_virtio_accel_submit args = {
		.queue = trial->session.queue,
		.program = trial->session.prog,
		.bindings = (uintptr_t)&binding,
		.binding_count = 1,
		.binding_stride = sizeof(binding),
	};
	int error = vaccel_ioctl(trial->fd, DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &args);

	return error ?: args.event && args.status ? 0 : TRIAL_WRONG;
}

static int submit_and_wait(struct trial *trial, __u32 expected, __u32 *event)
{
	int error = vaccel_session_submit(&trial->session, event);

	return error ?: wait_for(trial->fd, *event, expected);
}

static int poll_event(struct trial *trial)
{
	__u32 event;

	return submit_and_wait(trial, DRM_VIRTIO_ACCEL_EVENT_COMPLETE, &event);
}

static int event_fails(struct trial *trial)
{
	__u32 event;

	return submit_and_wait(trial, DRM_VIRTIO_ACCEL_EVENT_FAILED, &event);
}

/* Once it has ended, an event stays ended. */
static int event_stays_ended(struct trial *trial)
{
	__u32 event;
	int error = submit_and_wait(trial, DRM_VIRTIO_ACCEL_EVENT_COMPLETE, &event);

	return error ?: wait_for(trial->fd, event, DRM_VIRTIO_ACCEL_EVENT_COMPLETE);
}

static int destroy_event(struct trial *trial)
{
	__u32 event;
	int error = submit_and_wait(trial, DRM_VIRTIO_ACCEL_EVENT_COMPLETE, &event);

	return error ?: vaccel_event_destroy(trial->fd, event, 0);
}

static int cancel_event(struct trial *trial)
{
	__u32 event;
	int error = vaccel_session_hold(&trial->session, &event);

	return error ?: vaccel_cancel(trial->fd, event);
}

static int unload_program(struct trial *trial)
{
	return vaccel_prog_unload(trial->fd, trial->session.prog);
}

static int destroy_queue(struct trial *trial)
{
	return vaccel_queue_destroy(trial->fd, trial->session.queue);
}

static int free_buffer(struct trial *trial)
{
	return vaccel_buf_close(trial->fd, trial->session.buf);
}

static int destroy_context(struct trial *trial)
{
	return vaccel_ctx_destroy(trial->fd, trial->session.ctx);
}

/* Whether a process that sleeps in @call, as @state, can be killed there. */
static int kill_in(struct trial *trial, int (*call)(struct trial *trial), char state)
{
	pid_t child = fork();
	int status;

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		call(trial);
		_exit(0);
	}
	if (child < 0)
		return errno;
	while (vaccel_process_state(child) != state)
		sched_yield();
	if (kill(child, SIGKILL) || waitpid(child, &status, 0) != child)
		return errno;
	return WIFSIGNALED(status) ? 0 : TRIAL_WRONG;
}

static int read_only(struct trial *trial)
{
	__u8 data[VACCEL_BUF_SIZE];

	return vaccel_buf_read(trial->fd, trial->session.buf, 0, data, sizeof(data));
}

/* Not the watchdog but the signal is to end the call. */
static int killed_in_a_command(struct trial *trial)
{
	FILE *file = fopen("/sys/module/virtio_accel/parameters/command_timeout", "w");

	if (!file || fputs("86400", file) < 0 || fclose(file))
		return TRIAL_WRONG;
	return kill_in(trial, read_only, 'D');
}

static __u32 endless_event;

static int wait_for_endless_event(struct trial *trial)
{
	return wait_for(trial->fd, endless_event, DRM_VIRTIO_ACCEL_EVENT_COMPLETE);
}

static int event_never_ends(struct trial *trial)
{
	struct drm_virtio_accel_event state = { 0 };
	int error = vaccel_session_submit(&trial->session, &state.handle);

	if (error)
		return error;
	if (vaccel_wait(trial->fd, &state, 1, 0, vaccel_deadline_ms(20)) != ETIME ||
	    state.state != DRM_VIRTIO_ACCEL_EVENT_PENDING ||
	    vaccel_cancel(trial->fd, state.handle) != EBUSY ||
	    vaccel_event_destroy(trial->fd, state.handle, 0) != EBUSY)
		return TRIAL_WRONG;
	endless_event = state.handle;
	error = kill_in(trial, wait_for_endless_event, 'S');
	return error ?: vaccel_event_destroy(trial->fd, state.handle,
					     DRM_VIRTIO_ACCEL_DESTROY_DETACH);
}

struct waiter {
	pthread_t thread;
	int fd;
	__u32 event;
	int error;
};

struct reader {
	pthread_t thread;
	struct trial *trial;
	__u32 buf;
	__u8 pattern;
	int error;
};

static void *read_own(void *arg)
{
	struct reader *reader = arg;
	__u8 data[VACCEL_BUF_SIZE] = { 0 };

	reader->error = vaccel_buf_read(reader->trial->fd, reader->buf, 0, data, sizeof(data));
	if (!reader->error && !all_are(data, sizeof(data), reader->pattern))
		reader->error = TRIAL_WRONG;
	return NULL;
}

/* Four at once, so that a device that waits for four of them can mix them up. */
static int four_reads(struct trial *trial)
{
	struct reader readers[4];
	__u8 data[VACCEL_BUF_SIZE];
	int error = 0;

	for (size_t i = 0; !error && i < ARRAY_COUNT(readers); i++) {
		readers[i] = (struct reader){ .trial = trial, .pattern = (__u8)(i + 1) };
		memset(data, readers[i].pattern, sizeof(data));
		error = vaccel_buf_create(trial->fd, trial->session.ctx, sizeof(data),
					  &readers[i].buf);
		if (!error)
			error = vaccel_buf_write(trial->fd, readers[i].buf, 0, data, sizeof(data));
	}
	if (error)
		return error;
	for (size_t i = 0; i < ARRAY_COUNT(readers); i++)
		pthread_create(&readers[i].thread, NULL, read_own, &readers[i]);
	for (size_t i = 0; i < ARRAY_COUNT(readers); i++) {
		pthread_join(readers[i].thread, NULL);
		error = error ?: readers[i].error;
	}
	return error;
}

static void *wait_in_thread(void *arg)
{
	struct waiter *waiter = arg;

	waiter->error = wait_for(waiter->fd, waiter->event, DRM_VIRTIO_ACCEL_EVENT_COMPLETE);
	return NULL;
}

/* What a call for another event fails with when a read meets the lie. */
static int wait_meanwhile(struct trial *trial)
{
	struct waiter waiter = { .fd = trial->fd };
	int error = vaccel_session_hold(&trial->session, &waiter.event);

	if (error || pthread_create(&waiter.thread, NULL, wait_in_thread, &waiter))
		return error ?: TRIAL_WRONG;
	read_only(trial);
	pthread_join(waiter.thread, NULL);
	return waiter.error;
}

/* Stays until the answer has come that the driver does not wait for any more. */
static int late_write(struct trial *trial)
{
	int error = write_buffer(trial);

	sleep(5);
	return error;
}

/* All but the creations need a session that was made honestly. */
static const struct place places[] = {
	{ "PROBE", NULL, create_and_use },
	{ "QUERY", NULL, query },
	{ "CREATE", NULL, create },
	{ "WRITE_BUFFER", create, write_buffer },
	{ "READ_BUFFER", create, read_buffer },
	{ "READ_UNWRITTEN", create, read_unwritten },
	{ "SUBMIT", create, submit },
	{ "SUBMIT_TWO", create, submit_two },
	{ "SUBMIT_UNSURE", create, submit_unsure },
	{ "POLL_EVENT", create, poll_event },
	{ "EVENT_FAILS", create, event_fails },
	{ "EVENT_STAYS_ENDED", create, event_stays_ended },
	{ "EVENT_NEVER_ENDS", create, event_never_ends },
	{ "CANCEL_EVENT", create, cancel_event },
	{ "DESTROY_EVENT", create, destroy_event },
	{ "UNLOAD_PROGRAM", create, unload_program },
	{ "DESTROY_QUEUE", create, destroy_queue },
	{ "FREE_BUFFER", create, free_buffer },
	{ "DESTROY_CONTEXT", create, destroy_context },
	{ "KILLED", create, killed_in_a_command },
	{ "FOUR_READS", create, four_reads },
	{ "LATE_WRITE", create, late_write },
	{ "WAIT_MEANWHILE", create, wait_meanwhile },
};

const struct place *trial_place(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(places); i++)
		if (!strcmp(places[i].name, name))
			return &places[i];
	return NULL;
}
