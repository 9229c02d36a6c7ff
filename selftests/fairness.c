// SPDX-License-Identifier: MIT
/*
 * What one client waits for does not depend on how much another one, or it itself, has
 * pending. The device may be asked a few things for others meanwhile, which are counted.
 * Times are compared with those of the same client alone, taken in turn with them in the
 * same run; none is asserted.
 */
#include "kselftest_harness.h"
#include "vaccel_sync.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/time.h>

/* Commands between the beginning and the end of a job, of which it needs 4 itself. */
#define COMMANDS 128

#define ROUNDS 2
#define JOBS 50
#define SAMPLES (ROUNDS * JOBS)

#define MAX_EVENTS DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS

struct samples {
	size_t count;
	__s64 ns[SAMPLES]; /* what a job took */
	__s64 commands[SAMPLES]; /* what the device was asked meanwhile, by anybody */
};

FIXTURE(fairness)
{
	struct vaccel_session session;
	int fd;
	struct samples alone, loaded;
};

FIXTURE_SETUP(fairness)
{
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
}

FIXTURE_TEARDOWN(fairness)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* How many commands the devices were sent so far; 0 if the driver does not say. */
static __s64 commands_sent(void)
{
	DIR *devices = opendir("/sys/kernel/debug/accel");
	__s64 commands, sum = 0;
	struct dirent *device;
	char path[320], line[128];

	while (devices && (device = readdir(devices))) {
		FILE *state;

		snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/state", device->d_name);
		state = fopen(path, "r");
		while (state && fgets(line, sizeof(line), state))
			if (sscanf(line, "commands %lld", &commands) == 1)
				sum += commands;
		if (state)
			fclose(state);
	}
	if (devices)
		closedir(devices);
	return sum;
}

/* Runs short jobs, one after the other, and adds what each of them took. */
static int run_jobs(const struct vaccel_session *session, struct samples *samples)
{
	for (int i = 0; i < JOBS; i++) {
		const __s64 commands = commands_sent(), start = vaccel_deadline_ms(0);
		__u32 event;
		int error = vaccel_session_submit(session, &event);

		if (!error)
			error = vaccel_wait_complete(session->fd, event);
		samples->ns[samples->count] = vaccel_deadline_ms(0) - start;
		samples->commands[samples->count++] = commands_sent() - commands;
		if (!error)
			error = vaccel_event_destroy(session->fd, event, 0);
		if (error)
			return error;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const __s64 *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static __s64 percentile(__s64 *values, size_t count, size_t percent)
{
	qsort(values, count, sizeof(*values), compare);
	return values[(count - 1) * percent / 100];
}

#define PERCENTILE(samples, what, percent) \
	percentile((samples)->what, (samples)->count, percent)

static void expect_fair(struct __test_metadata *_metadata, FIXTURE_DATA(fairness) * self,
			int clients)
{
	struct samples *alone = &self->alone, *loaded = &self->loaded;

	EXPECT_LE(PERCENTILE(loaded, commands, 50), clients * COMMANDS);
	TH_LOG("alone: %lld commands, %lld us, 90%% within %lld us",
	       PERCENTILE(alone, commands, 50), PERCENTILE(alone, ns, 50) / 1000,
	       PERCENTILE(alone, ns, 90) / 1000);
	TH_LOG("beside others: %lld commands, %lld us, 90%% within %lld us",
	       PERCENTILE(loaded, commands, 50), PERCENTILE(loaded, ns, 50) / 1000,
	       PERCENTILE(loaded, ns, 90) / 1000);
}

struct watcher {
	pthread_t thread;
	int fd;
	struct drm_virtio_accel_event events[MAX_EVENTS];
};

static void *watch(void *arg)
{
	struct watcher *watcher = arg;

	vaccel_wait(watcher->fd, watcher->events, MAX_EVENTS, 0, VACCEL_FOREVER);
	return NULL;
}

/* Threads that each wait for events which do not come; 0 or an errno. */
static int start_watchers(struct watcher *watchers, size_t count)
{
	struct vaccel_session session;
	__u32 barrier;
	int error = vaccel_session_create(vaccel_open(), &session);

	if (!error)
		error = vaccel_barrier_load(&session, &barrier);
	for (size_t i = 0; !error && i < count; i++) {
		watchers[i].fd = session.fd;
		for (size_t j = 0; !error && j < MAX_EVENTS; j++)
			error = vaccel_session_run(&session, barrier,
						   &watchers[i].events[j].handle);
		if (!error)
			error = pthread_create(&watchers[i].thread, NULL, watch, &watchers[i]);
	}
	return error;
}

/* A process with such threads, which ends when it is killed. */
static pid_t start_load(size_t threads)
{
	static struct watcher watchers[MAX_EVENTS];
	int ready[2];
	char byte;
	pid_t child;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (start_watchers(watchers, threads) || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(2);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		child = -1;
	close(ready[0]);
	return child;
}

/* Jobs alone, and jobs beside @clients processes with @threads each, in turn. */
static void run_beside(struct __test_metadata *_metadata, FIXTURE_DATA(fairness) * self,
		       int clients, size_t threads)
{
	for (int round = 0; round < ROUNDS; round++) {
		pid_t load[8];

		ASSERT_EQ(0, run_jobs(&self->session, &self->alone));
		for (int i = 0; i < clients; i++) {
			load[i] = start_load(threads);
			ASSERT_LT(0, load[i]);
		}
		ASSERT_EQ(0, run_jobs(&self->session, &self->loaded));
		for (int i = 0; i < clients; i++) {
			ASSERT_EQ(0, kill(load[i], SIGKILL));
			ASSERT_EQ(load[i], waitpid(load[i], NULL, 0));
		}
		ASSERT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
	}
	expect_fair(_metadata, self, clients);
}

TEST_F_TIMEOUT(fairness, another_process_with_hundreds_of_jobs, 120)
{
	run_beside(_metadata, self, 1, 8);
}

TEST_F_TIMEOUT(fairness, several_processes_with_jobs, 120)
{
	run_beside(_metadata, self, 4, 1);
}

/* A timeout is for work that does not end, not for work that others keep from ending. */
TEST_F(fairness, no_timeout_because_of_others)
{
	int sync_files[MAX_EVENTS];
	pid_t load;
	__u32 syncobj;

	ASSERT_EQ(0, syncobj_create(self->fd, &syncobj));
	load = start_load(8);
	ASSERT_LT(0, load);
	for (size_t i = 0; i < MAX_EVENTS; i++) {
		struct vaccel_job job = vaccel_job(&self->session);

		vaccel_job_out(&job, syncobj, 0, 2000000000);
		ASSERT_EQ(0, vaccel_job_submit(&job));
		sync_files[i] = syncobj_export(self->fd, syncobj);
	}
	for (size_t i = 0; i < MAX_EVENTS; i++)
		EXPECT_EQ(1, sync_file_wait(sync_files[i]));
	ASSERT_EQ(0, kill(load, SIGKILL));
	ASSERT_EQ(load, waitpid(load, NULL, 0));
}

TEST_F_TIMEOUT(fairness, one_event_among_a_thousand, 120)
{
	struct vaccel_session load;
	__u32 barrier, event;

	for (int round = 0; round < ROUNDS; round++)
		ASSERT_EQ(0, run_jobs(&self->session, &self->alone));
	ASSERT_EQ(0, vaccel_session_create(self->fd, &load));
	ASSERT_EQ(0, vaccel_barrier_load(&load, &barrier));
	for (int i = 0; i < 1000; i++)
		ASSERT_EQ(0, vaccel_session_run(&load, barrier, &event));
	for (int round = 0; round < ROUNDS; round++)
		ASSERT_EQ(0, run_jobs(&self->session, &self->loaded));
	ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, load.ctx));
	ASSERT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
	expect_fair(_metadata, self, 1);
}

/* Their ends are seen late, which is no reason to look late for the next ones. */
TEST_F_TIMEOUT(fairness, jobs_that_nobody_watched, 120)
{
	for (int round = 0; round < ROUNDS; round++) {
		const struct vaccel_session *session = &self->session;
		struct vaccel_session unwatched;
		__u32 event;

		ASSERT_EQ(0, run_jobs(session, &self->alone));
		for (int i = 0; i < 32; i++) {
			ASSERT_EQ(0, vaccel_session_submit(session, &event));
			ASSERT_EQ(0, vaccel_event_destroy(self->fd, event,
							  DRM_VIRTIO_ACCEL_DESTROY_DETACH));
		}
		usleep(200000);
		ASSERT_EQ(0, run_jobs(session, &self->loaded));

		/* The next round begins with a program that is new. */
		unwatched = *session;
		ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
		ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, unwatched.ctx));
	}
	expect_fair(_metadata, self, 1);
}

static atomic_int signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

/* SIGALRM every millisecond, in the middle of what is restarted after it. */
static void interrupt_every_ms(bool on)
{
	const struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
	const struct itimerval every = { { 0, on ? 1000 : 0 }, { 0, on ? 1000 : 0 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* One short job at each place among held ones: it ends the wait, and nothing else does. */
static void any_of_64(struct __test_metadata *_metadata, const FIXTURE_DATA(fairness) * self)
{
	struct drm_virtio_accel_event events[MAX_EVENTS] = { 0 };

	for (size_t i = 0; i < MAX_EVENTS; i++)
		ASSERT_EQ(0, vaccel_session_hold(&self->session, &events[i].handle));
	for (size_t place = 0; place < MAX_EVENTS; place++) {
		const __u32 held = events[place].handle;

		ASSERT_EQ(0, vaccel_session_submit(&self->session, &events[place].handle));
		ASSERT_EQ(0, vaccel_wait(self->fd, events, MAX_EVENTS, 0, VACCEL_FOREVER));
		for (size_t i = 0; i < MAX_EVENTS; i++)
			ASSERT_EQ(i == place ? DRM_VIRTIO_ACCEL_EVENT_COMPLETE :
					       DRM_VIRTIO_ACCEL_EVENT_PENDING,
				  events[i].state);
		ASSERT_EQ(0, vaccel_event_destroy(self->fd, events[place].handle, 0));
		events[place].handle = held;
	}
	for (size_t i = 0; i < MAX_EVENTS; i++) {
		ASSERT_EQ(0, vaccel_cancel(self->fd, events[i].handle));
		ASSERT_EQ(i + 1 < MAX_EVENTS ? ETIME : 0,
			  vaccel_wait(self->fd, events, MAX_EVENTS, DRM_VIRTIO_ACCEL_WAIT_ALL,
				      i + 1 < MAX_EVENTS ? VACCEL_POLL : VACCEL_FOREVER));
	}
	for (size_t i = 0; i < MAX_EVENTS; i++) {
		ASSERT_EQ(DRM_VIRTIO_ACCEL_EVENT_CANCELLED, events[i].state);
		ASSERT_EQ(0, vaccel_event_destroy(self->fd, events[i].handle, 0));
	}
}

TEST_F_TIMEOUT(fairness, any_and_all_of_64, 120)
{
	any_of_64(_metadata, self);
}

TEST_F_TIMEOUT(fairness, any_and_all_of_64_between_signals, 120)
{
	interrupt_every_ms(true);
	any_of_64(_metadata, self);
	interrupt_every_ms(false);
	EXPECT_LT(10, signals);
}

TEST_HARNESS_MAIN
