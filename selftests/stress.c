// SPDX-License-Identifier: MIT
/*
 * Many of everything, and ends that meet: threads, processes that are killed, loads,
 * a completion, a timeout and a close at the same moment. VACCEL_STRESS=N does it N
 * times as long.
 */
#include "kselftest_harness.h"
#include "vaccel_sync.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>

FIXTURE(stress)
{
	struct vaccel_session session;
	int fd;
	int times; /* VACCEL_STRESS */
	__u64 longest; /* timeout of a fence */
};

FIXTURE_SETUP(stress)
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

FIXTURE_TEARDOWN(stress)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* In seconds, for what takes a few with VACCEL_STRESS=1. */
#define STRESS_TEST(name) TEST_F_TIMEOUT(stress, name, 120)

struct worker {
	pthread_t thread;
	const struct vaccel_session *session;
	int times;
	unsigned int seed;
	int error;
};

static int run_workers(struct worker *workers, size_t count, void *(*work)(void *))
{
	int error = 0;

	for (size_t i = 0; i < count; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return EAGAIN;
	for (size_t i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		error = error ?: workers[i].error;
	}
	return error;
}

/* Jobs on a buffer of its own, each checked by its bytes. */
static int work_on_a_buffer(struct vaccel_session session, int times)
{
	__u8 data[VACCEL_BUF_SIZE], expected = 0;
	__u32 event;
	int error = vaccel_buf_create(session.fd, session.ctx, VACCEL_BUF_SIZE, &session.buf);

	for (int i = 0; !error && i < 4 * times; i++) {
		error = vaccel_session_submit(&session, &event);
		if (!error)
			error = vaccel_wait_complete(session.fd, event);
		if (!error)
			error = vaccel_event_destroy(session.fd, event, 0);
		if (!error)
			error = vaccel_buf_read(session.fd, session.buf, 0, data, sizeof(data));
		expected ^= VACCEL_XOR_OPERAND;
		for (size_t byte = 0; !error && byte < sizeof(data); byte++)
			if (data[byte] != expected)
				error = EILSEQ;
	}
	return error ?: vaccel_buf_close(session.fd, session.buf);
}

static void *work_alone(void *arg)
{
	struct worker *worker = arg;

	worker->error = work_on_a_buffer(*worker->session, worker->times);
	return NULL;
}

STRESS_TEST(many_threads_on_one_queue)
{
	static struct worker workers[256];

	for (size_t i = 0; i < ARRAY_COUNT(workers); i++)
		workers[i] = (struct worker){ .session = &self->session, .times = self->times };
	EXPECT_EQ(0, run_workers(workers, ARRAY_COUNT(workers), work_alone));
}

/* Submits of all kinds, until it is killed. There are fewer contexts than processes. */
static void submit_for_ever(void)
{
	struct vaccel_session session;
	__u32 event;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int fd = vaccel_open();

		if (!vaccel_session_create(fd, &session)) {
			for (int i = 0; i < 64; i++) {
				vaccel_session_submit(&session, &event);
				vaccel_session_hold(&session, &event);
				vaccel_session_submit(&session, &event);
				vaccel_wait_complete(fd, event);
			}
		}
		close(fd);
	}
}

STRESS_TEST(processes_that_are_killed)
{
	pid_t alive[16] = { 0 };
	unsigned int seed = 1;

	for (int i = 0; i < 128 * self->times; i++) {
		pid_t *victim = &alive[(size_t)rand_r(&seed) % ARRAY_COUNT(alive)];

		if (*victim) {
			ASSERT_EQ(0, kill(*victim, SIGKILL));
			ASSERT_EQ(*victim, waitpid(*victim, NULL, 0));
		}
		*victim = fork();
		if (!*victim)
			submit_for_ever();
		ASSERT_LT(0, *victim);
		usleep((unsigned int)rand_r(&seed) % 8000);
	}
	for (size_t i = 0; i < ARRAY_COUNT(alive); i++) {
		if (!alive[i])
			continue;
		ASSERT_EQ(0, kill(alive[i], SIGKILL));
		ASSERT_EQ(alive[i], waitpid(alive[i], NULL, 0));
	}
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 1));
	EXPECT_EQ(0, work_on_a_buffer(self->session, 1));
}

STRESS_TEST(one_program_loaded_often)
{
	struct vaccel_session session = self->session;

	for (int i = 0; i < 1000 * self->times; i++) {
		struct vaccel_artifact xor = vaccel_artifact(VACCEL_XOR, VACCEL_XOR_SLOT,
							     VACCEL_NO_SLOT, VACCEL_XOR_OPERAND);
		int error;

		/* Those that were unloaded are released in the background. */
		do {
			error = vaccel_prog_load(self->fd, session.ctx, xor, &session.prog);
		} while (error == ENOSPC);
		ASSERT_EQ(0, error);
		if (i % 100 == 0)
			ASSERT_EQ(0, work_on_a_buffer(session, 1));
		ASSERT_EQ(0, vaccel_prog_unload(self->fd, session.prog));
	}
}

/* Neither is taken for the other, or for what it was when it was last seen. */
STRESS_TEST(two_programs_in_turn)
{
	static const __u8 operands[] = { 0x0f, 0x35 };
	__u8 expected = 0, byte;
	__u32 event;

	for (int i = 0; i < 100 * self->times; i++) {
		struct vaccel_session session = self->session;
		const __u8 operand = operands[i % 2];

		ASSERT_EQ(0, vaccel_prog_load(self->fd, session.ctx,
					      vaccel_artifact(VACCEL_XOR, VACCEL_XOR_SLOT,
							      VACCEL_NO_SLOT, operand),
					      &session.prog));
		ASSERT_EQ(0, vaccel_session_submit(&session, &event));
		ASSERT_EQ(0, vaccel_prog_unload(self->fd, session.prog));
		ASSERT_EQ(0, vaccel_wait_complete(self->fd, event));
		ASSERT_EQ(0, vaccel_event_destroy(self->fd, event, 0));
		ASSERT_EQ(0, vaccel_buf_read(self->fd, session.buf, 0, &byte, 1));
		expected ^= operand;
		ASSERT_EQ(expected, byte);
	}
}

#define BLOCK (64ULL << 20)
#define MAX_BLOCKS 256

/*
 * Allocates until the device has no more, but at least @least blocks. Memory is freed
 * in the background; the harness's timeout is for the case that it never is.
 */
static size_t allocate_all(const struct vaccel_session *session, __u32 *bufs, size_t least)
{
	size_t count = 0;

	do {
		while (count < MAX_BLOCKS &&
		       !vaccel_buf_create(session->fd, session->ctx, BLOCK, &bufs[count]))
			count++;
	} while (count < least);
	return count;
}

static void free_all(const struct vaccel_session *session, const __u32 *bufs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vaccel_buf_close(session->fd, bufs[i]);
}

/* Its jobs hold all memory when it is killed. */
static void hold_all(size_t all, int ready)
{
	struct vaccel_session session;
	__u32 bufs[MAX_BLOCKS], event;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (vaccel_session_create(vaccel_open(), &session) ||
	    allocate_all(&session, bufs, all) != all)
		_exit(1);
	for (size_t i = 0; i < all; i++) {
		session.buf = bufs[i];
		if (vaccel_session_hold(&session, &event))
			_exit(1);
	}
	free_all(&session, bufs, all);
	if (write(ready, "", 1) == 1)
		pause();
	_exit(2);
}

STRESS_TEST(memory_that_the_device_owned)
{
	__u32 bufs[MAX_BLOCKS];
	const size_t all = allocate_all(&self->session, bufs, 1);

	ASSERT_LT(all, MAX_BLOCKS);
	free_all(&self->session, bufs, all);
	for (int round = 0; round < 4 * self->times; round++) {
		int ready[2];
		pid_t child;
		char byte;

		ASSERT_EQ(0, pipe(ready));
		child = fork();
		if (!child)
			hold_all(all, ready[1]);
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		close(ready[0]);
		ASSERT_EQ(0, allocate_all(&self->session, bufs, 0));

		ASSERT_EQ(0, kill(child, SIGKILL));
		ASSERT_EQ(child, waitpid(child, NULL, 0));
		ASSERT_EQ(all, allocate_all(&self->session, bufs, all));
		free_all(&self->session, bufs, all);
	}
}

TEST_HARNESS_MAIN
