// SPDX-License-Identifier: MIT
/*
 * Calls about the same thing at the same time. Any of them may come too late, and says
 * so; afterwards nothing is held, and all of it was on the right file.
 * VACCEL_STRESS=N does it N times as long.
 */
#include "kselftest_harness.h"
#include "vaccel_sync.h"

#include <pthread.h>
#include <stdatomic.h>

#define SLOTS 16

FIXTURE(races)
{
	struct vaccel_session session;
	int fd;
	int times; /* VACCEL_STRESS */
	__u64 longest; /* timeout of a fence */
};

FIXTURE_SETUP(races)
{
	self->times = vaccel_times();
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	if (!vaccel_is_mock(self->fd))
		SKIP(return, "the host does not run the mock provider");
	ASSERT_EQ(0, vaccel_longest_fence(self->fd, &self->longest));
	ASSERT_EQ(0, vaccel_session_create(self->fd, &self->session));
}

FIXTURE_TEARDOWN(races)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* In seconds, for what takes a few with VACCEL_STRESS=1. */
#define RACE_TEST(name) TEST_F_TIMEOUT(races, name, 120)

/* What all threads have their hands on. */
struct shared {
	struct vaccel_session session;
	__u32 barrier;
	int steps; /* to do, or microseconds to wait */
	_Atomic __u32 events[SLOTS];
	atomic_bool over;
	pthread_mutex_t lock; /* guards victim */
	struct vaccel_session victim; /* comes and goes */
};

struct racer {
	pthread_t thread;
	struct shared *shared;
	unsigned int seed;
	int error; /* one that no race explains */
};

static int race(struct racer *racers, size_t count, struct shared *shared, void *(*work)(void *))
{
	int error = 0;

	for (size_t i = 0; i < count; i++) {
		racers[i] = (struct racer){ .shared = shared, .seed = (unsigned int)i + 1 };
		if (pthread_create(&racers[i].thread, NULL, work, &racers[i]))
			return EAGAIN;
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(racers[i].thread, NULL);
		error = error ?: racers[i].error;
	}
	return error;
}

/* One call about one event. */
static int touch(struct shared *shared, unsigned int *seed)
{
	const struct vaccel_session *session = &shared->session;
	_Atomic __u32 *slot = &shared->events[(size_t)rand_r(seed) % SLOTS];
	struct drm_virtio_accel_event event = { .handle = *slot };
	__u32 fresh;
	int error;

	switch (rand_r(seed) % 6) {
	case 0:
		error = vaccel_session_run(
			session, rand_r(seed) % 2 ? session->prog : shared->barrier, &fresh);
		if (error)
			return error;
		event.handle = atomic_exchange(slot, fresh);
		break;
	case 1:
		return vaccel_cancel(session->fd, event.handle);
	case 2:
		return vaccel_event_destroy(session->fd, event.handle, 0);
	case 3:
		return vaccel_wait(session->fd, &event, 1, 0, VACCEL_POLL);
	case 4:
		return vaccel_wait(session->fd, &event, 1, 0, vaccel_deadline_ms(1));
	}
	/* A barrier that is only detached would be there till the end. */
	vaccel_cancel(session->fd, event.handle);
	return vaccel_event_destroy(session->fd, event.handle, DRM_VIRTIO_ACCEL_DESTROY_DETACH);
}

static void *touch_often(void *arg)
{
	struct racer *racer = arg;

	for (int i = 0; i < racer->shared->steps && !racer->error; i++) {
		int error = touch(racer->shared, &racer->seed);

		if (error && error != ENOENT && error != EBUSY && error != ETIME)
			racer->error = error;
	}
	return NULL;
}

RACE_TEST(calls_about_the_same_events)
{
	struct shared shared = { .session = self->session, .steps = 200 * self->times };
	struct racer racers[16];

	ASSERT_EQ(0, vaccel_barrier_load(&self->session, &shared.barrier));
	EXPECT_EQ(0, race(racers, ARRAY_COUNT(racers), &shared, touch_often));

	/* All that is left ends with the context. */
	ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, self->session.ctx));
	EXPECT_EQ(0, vaccel_buf_close(self->fd, self->session.buf));
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 0));
}

/* Makes contexts with jobs, and destroys them again. */
static int churn(struct shared *shared)
{
	struct vaccel_session session = { .fd = shared->session.fd };
	__u32 event;
	int error = vaccel_session_create(session.fd, &session);

	if (!error)
		error = vaccel_session_hold(&session, &event);
	if (!error) {
		shared->events[0] = event;
		pthread_mutex_lock(&shared->lock);
		shared->victim = session;
		pthread_mutex_unlock(&shared->lock);
		error = vaccel_session_submit(&session, &event);
	}
	if (!error)
		error = vaccel_ctx_destroy(session.fd, session.ctx);
	vaccel_buf_close(session.fd, session.buf);
	return error;
}

static void *use_what_is_destroyed(void *arg)
{
	struct racer *racer = arg;
	struct shared *shared = racer->shared;

	while (!shared->over) {
		struct drm_virtio_accel_event event = { .handle = shared->events[0] };
		struct vaccel_session session;
		__u32 made;

		pthread_mutex_lock(&shared->lock);
		session = shared->victim;
		pthread_mutex_unlock(&shared->lock);
		vaccel_wait(session.fd, &event, 1, 0, VACCEL_FOREVER);
		vaccel_session_submit(&session, &made);
		vaccel_queue_create(session.fd, session.ctx, &made);
		if (!vaccel_buf_create(session.fd, session.ctx, 4096, &made))
			vaccel_buf_close(session.fd, made);
	}
	return NULL;
}

RACE_TEST(use_and_destruction_of_a_context)
{
	struct shared shared = { .session = self->session,
				 .lock = PTHREAD_MUTEX_INITIALIZER,
				 .victim = self->session };
	struct racer racers[6];

	for (size_t i = 0; i < ARRAY_COUNT(racers); i++) {
		racers[i] = (struct racer){ .shared = &shared };
		ASSERT_EQ(0, pthread_create(&racers[i].thread, NULL, use_what_is_destroyed,
					    &racers[i]));
	}
	for (int i = 0; i < 100 * self->times; i++) {
		int error = churn(&shared);

		/* The device is not through with contexts that were destroyed. */
		if (error)
			EXPECT_EQ(ENOSPC, error);
	}
	shared.over = true;
	for (size_t i = 0; i < ARRAY_COUNT(racers); i++)
		ASSERT_EQ(0, pthread_join(racers[i].thread, NULL));
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
}

/* Another file has nothing, whatever is alive in this one. */
static void *use_foreign_handles(void *arg)
{
	struct racer *racer = arg;
	struct shared *shared = racer->shared;
	struct vaccel_session foreign = shared->session;

	foreign.fd = vaccel_open();
	while (!shared->over && !racer->error) {
		struct drm_virtio_accel_event event = { .handle = shared->events[0] };
		__u32 made;
		__u8 byte;

		if (vaccel_wait(foreign.fd, &event, 1, 0, VACCEL_POLL) != ENOENT ||
		    vaccel_cancel(foreign.fd, event.handle) != ENOENT ||
		    vaccel_event_destroy(foreign.fd, event.handle, 0) != ENOENT ||
		    vaccel_event_destroy(foreign.fd, event.handle,
					 DRM_VIRTIO_ACCEL_DESTROY_DETACH) != ENOENT ||
		    vaccel_session_submit(&foreign, &made) != ENOENT ||
		    vaccel_queue_create(foreign.fd, foreign.ctx, &made) != ENOENT ||
		    vaccel_ctx_destroy(foreign.fd, foreign.ctx) != ENOENT ||
		    vaccel_buf_read(foreign.fd, foreign.buf, 0, &byte, 1) != ENOENT)
			racer->error = EXDEV;
	}
	close(foreign.fd);
	return NULL;
}

RACE_TEST(handles_do_not_cross_files)
{
	struct shared shared = { .session = self->session };
	struct racer racer = { .shared = &shared };

	ASSERT_EQ(0, pthread_create(&racer.thread, NULL, use_foreign_handles, &racer));
	for (int i = 0; i < 100 * self->times; i++) {
		__u32 event;

		ASSERT_EQ(0, vaccel_session_submit(&self->session, &event));
		shared.events[0] = event;
		ASSERT_EQ(0, vaccel_wait_complete(self->fd, event));
		ASSERT_EQ(0, vaccel_event_destroy(self->fd, event, 0));
	}
	shared.over = true;
	ASSERT_EQ(0, pthread_join(racer.thread, NULL));
	EXPECT_EQ(0, racer.error);
}

static __s64 now(void)
{
	return vaccel_deadline_ms(0);
}

/* A job in a file of its own, and its fence. */
static int start_job(struct vaccel_session *session, bool held, __u64 timeout_ns, __u32 *event,
		     int *sync_file)
{
	struct vaccel_job job;
	int error;

	session->fd = vaccel_open();
	error = vaccel_session_create(session->fd, session);
	job = vaccel_job(session);
	if (!error && held)
		error = vaccel_barrier_load(session, &job.args.program);
	if (!error)
		error = syncobj_create(session->fd, &job.out[0].handle);
	vaccel_job_out(&job, job.out[0].handle, 0, timeout_ns);
	if (!error)
		error = vaccel_job_submit(&job);
	*event = job.args.event;
	*sync_file = error ? -1 : syncobj_export(session->fd, job.out[0].handle);
	return error;
}

/* In turn by cancellation, with its context and with its file; 0 if the fence is right. */
static int end_job(struct vaccel_session *session, __u32 event, int sync_file, int how)
{
	int status;

	if (how % 3 == 0)
		vaccel_cancel(session->fd, event);
	else if (how % 3 == 1)
		vaccel_ctx_destroy(session->fd, session->ctx);
	close(session->fd);
	status = sync_file_wait(sync_file);
	close(sync_file);
	return status == 1 || status == -ETIME || status == -ECANCELED ? 0 : -status;
}

/* How long a job takes till its fence has signalled, on average. */
static __s64 typical_time(struct __test_metadata *_metadata, int jobs, bool held, __u64 timeout_ns)
{
	__s64 sum = 0;

	for (int i = 0; i < jobs; i++) {
		struct vaccel_session session;
		int sync_file;
		__u32 event;

		ASSERT_EQ(0, start_job(&session, held, timeout_ns, &event, &sync_file));
		sum -= now();
		ASSERT_EQ(held ? -ETIME : 1, sync_file_wait(sync_file));
		sum += now();
		close(sync_file);
		close(session.fd);
	}
	return sum / jobs;
}

/* From long before its completion to long after it. */
RACE_TEST(completion_and_another_end)
{
	const int steps = 32;
	const __s64 typical = typical_time(_metadata, steps, false, self->longest);

	for (int i = 0; i < 3 * steps * self->times; i++) {
		struct vaccel_session session;
		int sync_file;
		__u32 event;
		__s64 end;

		ASSERT_EQ(0, start_job(&session, false, self->longest, &event, &sync_file));
		end = now() + 2 * typical * (i / 3 % steps) / steps;
		while (now() < end)
			;
		EXPECT_EQ(0, end_job(&session, event, sync_file, i));
	}
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
}

/* A job that ends when its time is over, unless another end comes at about that time. */
static void *end_in_time(void *arg)
{
	struct racer *racer = arg;
	struct vaccel_session session;
	int sync_file;
	__u32 event;

	racer->error = start_job(&session, true, 1, &event, &sync_file);
	if (racer->error)
		return NULL;
	usleep((useconds_t)(racer->shared->steps + 250 * (int)racer->seed));
	racer->error = end_job(&session, event, sync_file, (int)racer->seed);
	return NULL;
}

RACE_TEST(timeout_and_another_end)
{
	const __s64 typical = typical_time(_metadata, 1, true, 1);
	struct racer racers[32];
	struct shared shared = {
		.steps = (int)(typical / 1000) - 250 * (int)ARRAY_COUNT(racers) / 2,
	};

	for (int i = 0; i < self->times; i++)
		EXPECT_EQ(0, race(racers, ARRAY_COUNT(racers), &shared, end_in_time));
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
}

TEST_HARNESS_MAIN
