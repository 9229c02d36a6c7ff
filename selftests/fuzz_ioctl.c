// SPDX-License-Identifier: MIT
/*
 * fuzz_ioctl [SECONDS [SEED]]: processes with several threads each fire random calls at
 * the driver, are interrupted and killed at random, and come again. Every errno must be a
 * documented one, and at the end the device works and nothing is left in it.
 *
 * Goes on until every call has also succeeded. The seed says what the processes do, but not
 * in what order.
 */
#define _GNU_SOURCE
#include "fuzz_step.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "kselftest.h"

#define PROCESSES 3
#define THREADS 3
#define MAX_CALLS 64
#define MAX_ERRNO 134

/* Results of all processes, by call and errno: memory that they share. */
typedef _Atomic unsigned long result_counts[MAX_CALLS][MAX_ERRNO];

struct process {
	pid_t pid;
	struct fuzz_target target;
	result_counts *counts;
	__u64 seed;
	_Atomic unsigned int threads; /* started so far */
};

/* What drm/virtio_accel.h says, but for those of a device that is lost or broken. */
static bool is_documented(int error)
{
	static const int errors[] = { 0,      EINVAL, ENOENT, EFAULT, EINTR,   ETIME,	 EBUSY,
				      ENOMEM, ENOSPC, ERANGE, EPERM,  ENOEXEC, ECANCELED, EOPNOTSUPP };

	for (size_t i = 0; i < ARRAY_COUNT(errors); i++)
		if (error == errors[i])
			return true;
	return false;
}

static void *run_thread(void *data)
{
	struct process *process = data;
	struct fuzz_thread thread = { .target = &process->target,
				      .random = process->seed * THREADS + process->threads++ };

	for (;;) {
		unsigned int call;
		int error = fuzz_step(&thread, &call);

		if (error >= 0)
			(*process->counts)[call][error]++;
	}
	return NULL;
}

static void on_interrupt(int signal)
{
	(void)signal;
}

/* Some calls are to be restarted, and some to end. */
static void accept_interrupts(bool restart)
{
	const struct sigaction action = { .sa_handler = on_interrupt,
					  .sa_flags = restart ? SA_RESTART : 0 };

	sigaction(SIGUSR1, &action, NULL);
}

/* Does not end by itself, unless something is wrong. */
static void run_process(struct process *process)
{
	pthread_t id;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	accept_interrupts(process->seed % 2);
	if (!fuzz_target_init(&process->target))
		_exit(1);
	for (int i = 1; i < THREADS; i++)
		if (pthread_create(&id, NULL, run_thread, process))
			_exit(1);
	run_thread(process);
}

static void start(struct process *process, __u64 seed)
{
	process->seed = seed;
	process->pid = fork();
	if (process->pid < 0)
		ksft_exit_fail_perror("fork");
	if (!process->pid)
		run_process(process);
}

/* Whether it was alive until now. */
static bool end(struct process *process)
{
	int status = 0;

	kill(process->pid, SIGKILL);
	if (waitpid(process->pid, &status, 0) == process->pid && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGKILL)
		return true;
	ksft_print_msg("a process ended with wait status %#x\n", status);
	return false;
}

/* A call that is not supported always says so. */
static bool all_have_succeeded(const result_counts *counts)
{
	for (unsigned int call = 0; fuzz_calls[call].name; call++)
		if (!(*counts)[call][0] && !(*counts)[call][EOPNOTSUPP])
			return false;
	return true;
}

static bool fuzz(result_counts *counts, unsigned int seconds, __u64 seed)
{
	struct process processes[PROCESSES];
	struct fuzz_thread dice = { .random = seed };
	time_t until = time(NULL) + seconds;
	bool alive = true;

	/* Before there is a process that could get one. */
	accept_interrupts(true);
	for (size_t i = 0; i < PROCESSES; i++) {
		processes[i] = (struct process){ .counts = counts };
		start(&processes[i], ++seed);
	}
	while (alive && (time(NULL) < until || !all_have_succeeded(counts))) {
		struct process *process = &processes[fuzz_below(&dice, PROCESSES)];

		usleep(fuzz_below(&dice, 50000));
		if (fuzz_below(&dice, 16)) {
			kill(process->pid, SIGUSR1);
			continue;
		}
		alive = end(process);
		start(process, ++seed);
	}
	for (size_t i = 0; i < PROCESSES; i++)
		alive &= end(&processes[i]);
	return alive;
}

static void print_results(const result_counts *counts)
{
	for (unsigned int call = 0; fuzz_calls[call].name; call++) {
		ksft_print_msg("%-28s", fuzz_calls[call].name);
		for (int error = 0; error < MAX_ERRNO; error++)
			if ((*counts)[call][error])
				printf(" %s %lu", error ? strerrorname_np(error) : "ok",
				       (*counts)[call][error]);
		printf("\n");
	}
}

static bool only_documented(const result_counts *counts)
{
	for (unsigned int call = 0; fuzz_calls[call].name; call++)
		for (int error = 0; error < MAX_ERRNO; error++)
			if ((*counts)[call][error] && !is_documented(error))
				return false;
	return true;
}

static int work(int fd)
{
	struct vaccel_session session;
	__u32 event;
	int error = vaccel_session_create_later(fd, &session);

	if (!error)
		error = vaccel_session_submit(&session, &event);
	if (!error)
		error = vaccel_wait_complete(fd, event);
	if (!error)
		error = vaccel_ctx_destroy(fd, session.ctx);
	return error;
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? strtoul(argv[1], NULL, 0) : 3;
	__u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (__u64)time(NULL);
	result_counts *counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = vaccel_open();

	ksft_print_header();
	if (fd < 0)
		ksft_exit_skip("no virtio-accel device\n");
	if (!vaccel_is_mock(fd))
		ksft_exit_skip("the host does not run the mock provider\n");
	ksft_set_plan(4);
	ksft_print_msg("%u seconds, seed %llu\n", seconds, seed);

	ksft_test_result(fuzz(counts, seconds, seed), "processes live until they are killed\n");
	print_results(counts);
	ksft_test_result(only_documented(counts), "every errno is a documented one\n");
	ksft_test_result(!vaccel_wait_for_contexts(fd, 0), "all contexts are free\n");
	ksft_test_result(!work(fd), "the device works\n");
	ksft_finished();
}
