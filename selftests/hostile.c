// SPDX-License-Identifier: MIT
/*
 * What the driver makes of a device that tells one lie (tests/hostile): the errno of
 * the call that meets the lie, and what becomes of everybody else.
 *
 * VACCEL_LIE says what to expect, in the words of tests/hostile/lies: the number of the
 * lie, where it shows, the errnos that are right, and what is so afterwards.
 */
#include "kselftest_harness.h"
#include "vaccel_util.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

/* What no device writes, and what the test writes to a buffer. */
#define UNTOUCHED 0xcc
#define PATTERN 0x39
/* No call of the driver fails with this: the test has seen something wrong. */
#define WRONG EILSEQ

struct trial {
	struct vaccel_session bystander; /* was there before the lie */
	struct vaccel_session session;	 /* another file, which meets it */
	int fd;
};

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
		return WRONG;
	return error;
}

/* One of each command that uses a session, with their results checked. */
static int use(const struct vaccel_session *session)
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
	return error ?: all_are(data, sizeof(data), VACCEL_XOR_OPERAND) ? 0 : WRONG;
}

static int create(struct trial *trial)
{
	return vaccel_session_create(trial->fd, &trial->session);
}

static int create_and_use(struct trial *trial)
{
	int error = create(trial);

	for (int i = 0; !error && i < 8; i++)
		error = use(&trial->session);
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
		return WRONG;
	return error ?: create_and_use(trial);
}

static int write_buffer(struct trial *trial)
{
	__u8 data[VACCEL_BUF_SIZE];

	memset(data, PATTERN, sizeof(data));
	return vaccel_buf_write(trial->fd, trial->session.buf, 0, data, sizeof(data));
}

/* User memory gets what the device has written, or nothing. */
static int read_expecting(struct trial *trial, __u8 expected)
{
	__u8 data[VACCEL_BUF_SIZE];
	int error = write_buffer(trial);

	if (error)
		return error;
	memset(data, UNTOUCHED, sizeof(data));
	error = vaccel_buf_read(trial->fd, trial->session.buf, 0, data, sizeof(data));
	return all_are(data, sizeof(data), error ? UNTOUCHED : expected) ? error : WRONG;
}

static int read_buffer(struct trial *trial)
{
	return read_expecting(trial, PATTERN);
}

/* The device claims to have written: what it has not is zero, not somebody's memory. */
static int read_unwritten(struct trial *trial)
{
	return read_expecting(trial, 0);
}

static int submit(struct trial *trial)
{
	__u32 event = 0;
	int error = vaccel_session_submit(&trial->session, &event);

	return !error == !event ? WRONG : error;
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

	return error ?: args.event && args.status ? 0 : WRONG;
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

static char process_state(pid_t pid)
{
	char path[32], line[128] = "";
	const char *after_name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	after_name = strrchr(line, ')');
	return after_name ? after_name[2] : 0;
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
	while (process_state(child) != state)
		sched_yield();
	if (kill(child, SIGKILL) || waitpid(child, &status, 0) != child)
		return errno;
	return WIFSIGNALED(status) ? 0 : WRONG;
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
		return WRONG;
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
		return WRONG;
	endless_event = state.handle;
	error = kill_in(trial, wait_for_endless_event, 'S');
	return error ?: vaccel_event_destroy(trial->fd, state.handle,
					     DRM_VIRTIO_ACCEL_DESTROY_DETACH);
}

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
		reader->error = WRONG;
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

/* Stays until the answer has come that the driver does not wait for any more. */
static int late_write(struct trial *trial)
{
	int error = write_buffer(trial);

	sleep(3);
	return error;
}

/* Where a lie shows, and what goes before honestly. */
static const struct place {
	const char *name;
	int (*prepare)(struct trial *trial);
	int (*meet)(struct trial *trial);
} places[] = {
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
};

static const struct place *find_place(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(places); i++)
		if (!strcmp(places[i].name, name))
			return &places[i];
	return NULL;
}

/* Whether @error is one of @names, which stand between bars: "0|EBUSY". */
static bool is_among(int error, const char *names)
{
	const char *name = error ? strerrorname_np(error) : "0";
	const char *at = names;
	size_t length = strlen(name);

	while ((at = strstr(at, name))) {
		if ((at == names || at[-1] == '|') && (!at[length] || at[length] == '|'))
			return true;
		at += length;
	}
	return false;
}

/* Every call that needs the device fails, and every call returns. */
static int all_is_lost(const struct vaccel_session *session)
{
	__u8 data[VACCEL_BUF_SIZE] = { 0 };
	__u32 handle;
	int fd = session->fd;

	/* The call that met the lie may return a moment before all others are refused. */
	while (vaccel_ctx_create(fd, &handle) != ENODEV)
		sched_yield();
	if (vaccel_buf_create(fd, session->ctx, 1, &handle) != ENODEV ||
	    vaccel_buf_write(fd, session->buf, 0, data, sizeof(data)) != ENODEV ||
	    vaccel_buf_read(fd, session->buf, 0, data, sizeof(data)) != ENODEV ||
	    vaccel_queue_create(fd, session->ctx, &handle) != ENODEV ||
	    vaccel_session_submit(session, &handle) != ENODEV)
		return WRONG;
	return vaccel_buf_close(fd, session->buf) ?: vaccel_prog_unload(fd, session->prog) ?:
	       vaccel_queue_destroy(fd, session->queue) ?: vaccel_ctx_destroy(fd, session->ctx);
}

TEST(a_lie)
{
	const char *text = getenv("VACCEL_LIE");
	char where[32], errnos[32], after[8];
	struct drm_virtio_accel_device_info info;
	const struct place *place;
	struct trial trial;
	unsigned int number;
	int error;

	if (!text)
		SKIP(return, "this device tells no lie that is known");
	ASSERT_EQ(4, sscanf(text, "%u %31s %31s %7s", &number, where, errnos, after));
	place = find_place(where);
	ASSERT_NE(NULL, place);

	trial.fd = vaccel_open();
	if (!strcmp(after, "absent")) {
		ASSERT_EQ(-1, trial.fd);
		return;
	}
	ASSERT_LE(0, trial.fd);
	ASSERT_EQ(0, vaccel_query(trial.fd, &info));
	ASSERT_EQ(number, info.device_id); /* the device is at the same lie */
	ASSERT_EQ(0, vaccel_session_create(vaccel_open(), &trial.bystander));
	ASSERT_EQ(0, use(&trial.bystander));

	if (place->prepare)
		ASSERT_EQ(0, place->prepare(&trial));
	error = place->meet(&trial);
	ASSERT_TRUE(is_among(error, errnos))
		TH_LOG("errno %d (%s)", error, strerror(error));

	if (!strcmp(after, "lost")) {
		EXPECT_EQ(0, all_is_lost(&trial.bystander));
		return;
	}
	EXPECT_EQ(0, use(&trial.bystander));
	if (!strcmp(after, "again"))
		EXPECT_EQ(0, place->meet(&trial));
}

TEST_HARNESS_MAIN
