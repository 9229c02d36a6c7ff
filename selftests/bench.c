// SPDX-License-Identifier: MIT
/*
 * What the driver costs, as "name value" lines: nanoseconds, of the best of some
 * batches, since other work of the machine can only add to them.
 * tests/bench/guest_bench.sh makes sense of them.
 *
 * bench round-trip | submit | bandwidth | waiting
 */
#include "memory.h"
#include "vaccel_util.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>

#define BATCHES 15

static void fail(const char *what, int error)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(error));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct subject {
	struct vaccel_session session;
	__u32 buf;
	__u8 *memory;
	__u8 *other;
	size_t size;
};

typedef int operation(const struct subject *subject);

/* The mean of the best of @batches times @batch operations. */
static void report(const char *name, operation *operation, const struct subject *subject,
		   unsigned int batches, unsigned int batch)
{
	uint64_t best = UINT64_MAX;

	while (batches--) {
		uint64_t start = now_ns(), took;

		for (unsigned int i = 0; i < batch; i++) {
			int error = operation(subject);

			if (error)
				fail(name, error);
		}
		took = now_ns() - start;
		if (took < best)
			best = took;
	}
	printf("%s %.0f\n", name, (double)best / batch);
	fflush(stdout);
}

static int write_buffer(const struct subject *s)
{
	return vaccel_buf_write(s->session.fd, s->buf, 0, s->memory, s->size);
}

static int read_buffer(const struct subject *s)
{
	return vaccel_buf_read(s->session.fd, s->buf, 0, s->memory, s->size);
}

static int copy_memory(const struct subject *s)
{
	memcpy(s->memory, s->other, s->size);
	/* The compiler must not find out that nobody reads it. */
	__asm__ volatile("" : : "r"(s->memory) : "memory");
	return 0;
}

static int run_job(const struct subject *s)
{
	__u32 event;
	int error = vaccel_session_submit(&s->session, &event);

	if (!error)
		error = vaccel_wait_complete(s->session.fd, event);
	if (!error)
		error = vaccel_event_destroy(s->session.fd, event, 0);
	return error;
}

/* READ_BUFFER of 4 bytes: one command, and nothing that can be slow. */
static void round_trip(struct subject *s)
{
	s->size = 4;
	s->buf = s->session.buf;
	report("round_trip", read_buffer, s, BATCHES, 50);
}

static void submit(struct subject *s)
{
	report("submit_wait_destroy", run_job, s, BATCHES, 10);
}

static void bandwidth_at(struct subject *s, size_t size)
{
	/* About as long at each size. */
	const unsigned int batches = size < 16 * MIB ? BATCHES : 2, batch = size < 32 * KIB ? 8 : 1;
	const struct {
		const char *name;
		int threshold;
	} ways[] = { { "staged", 0 }, { "pinned", 1 } };
	char name[64];
	int error;

	s->size = size;
	error = vaccel_buf_create(s->session.fd, s->session.ctx, size, &s->buf);
	if (error)
		fail("buffer", error);
	snprintf(name, sizeof(name), "memcpy_%zu", size);
	report(name, copy_memory, s, batches, batch);
	for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
		if (set_pin_threshold(ways[i].threshold))
			fail("pin_threshold", errno);
		snprintf(name, sizeof(name), "write_%s_%zu", ways[i].name, size);
		report(name, write_buffer, s, batches, batch);
		snprintf(name, sizeof(name), "read_%s_%zu", ways[i].name, size);
		report(name, read_buffer, s, batches, batch);
	}
	vaccel_buf_close(s->session.fd, s->buf);
}

/* Small pages that do not lie side by side, which is the hardest for the driver. */
static __u8 *map_scattered(size_t size)
{
	const size_t page = 4 * KIB, stride = 4099;	/* prime */
	__u8 *memory = map_memory(size);

	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size / page; i++)
		memory[i * stride % (size / page) * page] = 1;
	return memory;
}

static void bandwidth(struct subject *s)
{
	const size_t most = 64 * MIB;
	int threshold = pin_threshold();

	s->memory = map_scattered(most);
	s->other = map_scattered(most);
	for (size_t size = 4 * KIB; size <= 256 * KIB; size *= 2)
		bandwidth_at(s, size);
	bandwidth_at(s, MIB);
	bandwidth_at(s, 64 * MIB);
	set_pin_threshold(threshold);
}

/*
 * Time that all processors spent in tasks, those of the kernel included: exact, other
 * than what the timer tick samples for /proc/stat.
 */
static uint64_t busy_ns(void)
{
	FILE *file = fopen("/proc/schedstat", "r");
	unsigned long long busy, sum = 0;
	char line[1024];

	if (!file)
		fail("/proc/schedstat", errno);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu%*u %*u %*u %*u %*u %*u %*u %llu", &busy) == 1)
			sum += busy;
	fclose(file);
	return sum;
}

struct waiter {
	const struct subject *subject;
	__u32 event;
	int error;
};

static void *wait_for_it(void *arg)
{
	struct waiter *waiter = arg;
	struct drm_virtio_accel_event state = { .handle = waiter->event };

	waiter->error = vaccel_wait(waiter->subject->session.fd, &state, 1, 0, VACCEL_FOREVER);
	return NULL;
}

/* A job that takes a second, as the thread sees it that waits for it. */
static void waiting(struct subject *s)
{
	struct waiter waiter = { .subject = s };
	pthread_t thread;
	uint64_t start, busy;
	int error;

	sleep(1);
	start = now_ns();
	busy = busy_ns();
	sleep(1);
	printf("idle_busy %llu\n", (unsigned long long)(busy_ns() - busy));
	printf("idle_took %llu\n", (unsigned long long)(now_ns() - start));

	error = vaccel_session_hold(&s->session, &waiter.event);
	if (error)
		fail("hold", error);
	start = now_ns();
	busy = busy_ns();
	error = pthread_create(&thread, NULL, wait_for_it, &waiter);
	if (error)
		fail("thread", error);
	sleep(1);
	vaccel_cancel(s->session.fd, waiter.event);
	pthread_join(thread, NULL);
	printf("wait_busy %llu\n", (unsigned long long)(busy_ns() - busy));
	printf("wait_took %llu\n", (unsigned long long)(now_ns() - start));
	if (waiter.error)
		fail("wait", waiter.error);
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		void (*run)(struct subject *subject);
	} parts[] = {
		{ "round-trip", round_trip },
		{ "submit", submit },
		{ "bandwidth", bandwidth },
		{ "waiting", waiting },
	};
	struct subject subject = { .memory = map_memory(4 * KIB) };
	int fd = vaccel_open();
	int error;

	if (fd < 0)
		fail("no virtio-accel device", ENODEV);
	error = vaccel_session_create(fd, &subject.session);
	if (error)
		fail("session", error);
	for (size_t i = 0; argc == 2 && i < ARRAY_COUNT(parts); i++) {
		if (!strcmp(argv[1], parts[i].name)) {
			parts[i].run(&subject);
			return 0;
		}
	}
	fputs("usage: bench round-trip | submit | bandwidth | waiting\n", stderr);
	return 2;
}
