// SPDX-License-Identifier: MIT
/* BUF_WRITE and BUF_READ move exactly the bytes they are asked to. */
#include "kselftest_harness.h"
#include "memory.h"
#include "vaccel_util.h"

#include <pthread.h>
#include <sys/time.h>

/*
 * Either side of a page, of a segment, of the descriptors that a pin takes, of the
 * threshold, of a piece, and of what is in flight at a time.
 */
static const size_t sizes[] = {
	1, 3, 2048, 4055, 4056, 4057, 4095, 4096, 4097, 32 * KIB - 1, 32 * KIB + 1,
	62 * 4096 - 1, 62 * 4096, 62 * 4096 + 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, MIB - 40,
	MIB - 1, MIB, MIB + 1, 4 * MIB, 4 * MIB + 1, 5 * MIB + 3
};

FIXTURE(transfer)
{
	int fd;
	__u32 ctx;
	size_t page;
	int threshold;
};

/* All that is true of one way to move data is true of the other. */
FIXTURE_VARIANT(transfer)
{
	int threshold;
};

FIXTURE_VARIANT_ADD(transfer, staged)
{
	.threshold = 0,
};

FIXTURE_VARIANT_ADD(transfer, pinned)
{
	.threshold = 1,
};

FIXTURE_SETUP(transfer)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	self->page = (size_t)sysconf(_SC_PAGESIZE);
	self->threshold = pin_threshold();
	if (set_pin_threshold(variant->threshold))
		SKIP(return, "the driver's parameters cannot be changed");
	ASSERT_EQ(0, vaccel_ctx_create(self->fd, &self->ctx));
}

FIXTURE_TEARDOWN(transfer)
{
	if (self->fd < 0)
		return;
	close(self->fd);
	set_pin_threshold(self->threshold);
	/* No page is left pinned, nor counted. */
	EXPECT_EQ(0, pins_held());
	EXPECT_EQ(0, status_kib("VmPin"));
}

TEST_F(transfer, new_buffers_are_zero)
{
	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		__u8 *data = map_memory(sizes[i]);
		__u32 buf;

		/* The first leaves its bytes to the second, if the device lets it. */
		ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, sizes[i], &buf));
		memset(data, 0xff, sizes[i]);
		ASSERT_EQ(0, vaccel_buf_write(self->fd, buf, 0, data, sizes[i]));
		ASSERT_EQ(0, vaccel_buf_close(self->fd, buf));

		ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, sizes[i], &buf));
		ASSERT_EQ(0, vaccel_buf_read(self->fd, buf, 0, data, sizes[i]));
		EXPECT_TRUE(all_equal(data, sizes[i], 0));
		ASSERT_EQ(0, vaccel_buf_close(self->fd, buf));
	}
}

TEST_F(transfer, round_trip_at_odd_offsets_and_addresses)
{
	enum { BEFORE = 13, AFTER = 11, GUARD = 0xcc };

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		size_t size = sizes[i], whole = BEFORE + size + AFTER;
		__u8 *sent = map_memory(size + 1) + 1;
		__u8 *got = map_memory(whole);
		__u32 buf;

		fill_pattern(sent, size, 0);
		ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, whole, &buf));
		ASSERT_EQ(0, vaccel_buf_write(self->fd, buf, BEFORE, sent, size));

		ASSERT_EQ(0, vaccel_buf_read(self->fd, buf, 0, got, whole));
		EXPECT_TRUE(all_equal(got, BEFORE, 0));
		EXPECT_EQ(0, memcmp(got + BEFORE, sent, size));
		EXPECT_TRUE(all_equal(got + BEFORE + size, AFTER, 0));

		memset(got, GUARD, whole);
		ASSERT_EQ(0, vaccel_buf_read(self->fd, buf, BEFORE, got + 3, size));
		EXPECT_TRUE(all_equal(got, 3, GUARD));
		EXPECT_EQ(0, memcmp(got + 3, sent, size));
		EXPECT_TRUE(all_equal(got + 3 + size, whole - 3 - size, GUARD));
		ASSERT_EQ(0, vaccel_buf_close(self->fd, buf));
	}
}

TEST_F(transfer, a_write_changes_only_its_range)
{
	__u8 all[256], part[3] = { 1, 2, 3 };
	__u32 buf;

	memset(all, 0xaa, sizeof(all));
	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, sizeof(all), &buf));
	ASSERT_EQ(0, vaccel_buf_write(self->fd, buf, 0, all, sizeof(all)));
	ASSERT_EQ(0, vaccel_buf_write(self->fd, buf, 101, part, sizeof(part)));
	ASSERT_EQ(0, vaccel_buf_read(self->fd, buf, 0, all, sizeof(all)));
	EXPECT_TRUE(all_equal(all, 101, 0xaa));
	EXPECT_EQ(0, memcmp(&all[101], part, sizeof(part)));
	EXPECT_TRUE(all_equal(&all[104], sizeof(all) - 104, 0xaa));
}

TEST_F(transfer, out_of_range)
{
	const struct {
		__u64 offset, size;
		int error;
	} wrong[] = {
		{ 64, 1, ERANGE },
		{ 63, 2, ERANGE },
		{ 0, 65, ERANGE },
		{ 65, 1, ERANGE },
		{ 0, UINT64_MAX, ERANGE },
		{ UINT64_MAX - 1, 1, ERANGE },
		/* The end of the range is not a number. */
		{ UINT64_MAX, 1, EINVAL },
		{ 1, UINT64_MAX, EINVAL },
		{ UINT64_MAX, UINT64_MAX, EINVAL },
	};
	__u8 data[128] = { 0 };
	__u32 buf;

	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, 64, &buf));
	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		EXPECT_EQ(wrong[i].error,
			  vaccel_buf_write(self->fd, buf, wrong[i].offset, data, wrong[i].size));
		EXPECT_EQ(wrong[i].error,
			  vaccel_buf_read(self->fd, buf, wrong[i].offset, data, wrong[i].size));
	}
	EXPECT_EQ(0, vaccel_buf_write(self->fd, buf, 63, data, 1));
	EXPECT_EQ(0, vaccel_buf_read(self->fd, buf, 0, data, 64));
}

TEST_F(transfer, usage_limits_the_direction)
{
	__u8 data[16] = { 0 };
	__u32 buf;

	ASSERT_EQ(0, vaccel_buf_create_usage(self->fd, self->ctx, sizeof(data),
					     DRM_VIRTIO_ACCEL_USAGE_TRANSFER_SRC, &buf));
	EXPECT_EQ(EPERM, vaccel_buf_write(self->fd, buf, 0, data, sizeof(data)));
	EXPECT_EQ(0, vaccel_buf_read(self->fd, buf, 0, data, sizeof(data)));

	ASSERT_EQ(0, vaccel_buf_create_usage(self->fd, self->ctx, sizeof(data),
					     DRM_VIRTIO_ACCEL_USAGE_TRANSFER_DST, &buf));
	EXPECT_EQ(EPERM, vaccel_buf_read(self->fd, buf, 0, data, sizeof(data)));
	EXPECT_EQ(0, vaccel_buf_write(self->fd, buf, 0, data, sizeof(data)));
}

TEST_F(transfer, pages_are_pinned_if_they_shall_be)
{
	const size_t size = 256 * KIB;
	__u8 *memory = map_memory(size);
	long before = pins_made();
	__u32 buf;

	if (getenv("VACCEL_LIMITED"))
		SKIP(return, "the chains of this device are too short to tell");
	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, size, &buf));
	ASSERT_EQ(0, vaccel_buf_write(self->fd, buf, 0, memory, size));
	ASSERT_EQ(0, vaccel_buf_read(self->fd, buf, 0, memory, size));
	EXPECT_EQ(variant->threshold ? 2 * (long)(size / self->page) : 0, pins_made() - before);
}

static void on_alarm(int signal)
{
	(void)signal;
}

TEST_F(transfer, signals_end_it_early_and_tell_the_truth)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_alarm };
	const size_t size = 32 * MIB;
	__u8 *sent = map_memory(size), *got = map_memory(size);
	int early = 0;
	__u32 buf;

	fill_pattern(sent, size, 0);
	memset(got, 0, size);
	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, size, &buf));
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	EXPECT_EQ(0, transfer_all(self->fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE, buf, sent, size,
				  &early));
	EXPECT_NE(0, early);
	early = 0;
	EXPECT_EQ(0, transfer_all(self->fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_READ, buf, got, size,
				  &early));
	EXPECT_NE(0, early);
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	EXPECT_EQ(0, memcmp(sent, got, size));
}

/* The pages of who was killed stay pinned until the device is through, and not longer. */
TEST_F(transfer, a_killed_process_leaves_nothing)
{
	const size_t size = 4 * MIB;
	__u8 *memory = map_memory(size);
	__u32 buf;

	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, size, &buf));
	for (int i = 0; i < 10; i++) {
		int ready[2], status;
		pid_t child;
		char byte;

		ASSERT_EQ(0, pipe(ready));
		child = fork();
		ASSERT_GE(child, 0);
		while (!child) {
			vaccel_buf_read(self->fd, buf, 0, memory, size);
			vaccel_buf_write(self->fd, buf, 0, memory, size);
			if (write(ready[1], "", 1) != 1)
				_exit(1);
		}
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		usleep(i * 300);
		ASSERT_EQ(0, kill(child, SIGKILL));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		close(ready[0]);
		close(ready[1]);
	}
	while (pins_held() > 0)
		usleep(1000);
	EXPECT_EQ(0, vaccel_buf_read(self->fd, buf, 0, memory, size));
}

/* It is read to its end, and the device refuses it for what it is, not for its size. */
TEST_F(transfer, the_largest_program)
{
	struct drm_virtio_accel_device_info info;
	struct vaccel_artifact nothing = { { 0 } };
	struct drm_virtio_accel_prog_load args = vaccel_load_args(self->ctx, &nothing);
	size_t mapped;
	__u8 *memory;
	int error;

	ASSERT_EQ(0, vaccel_query(self->fd, &info));
	args.artifact_size = info.max_artifact_bytes;
	mapped = ((size_t)args.artifact_size + self->page - 1) / self->page * self->page;
	memory = map_memory(mapped);
	args.artifact_addr = (__u64)(uintptr_t)memory;
	error = vaccel_ioctl(self->fd, DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD, &args);
	EXPECT_TRUE(error == EINVAL || error == ENOEXEC || error == ENOSPC);

	ASSERT_EQ(0, munmap(memory + mapped - self->page, self->page));
	EXPECT_EQ(EFAULT, vaccel_ioctl(self->fd, DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD, &args));
}

struct worker {
	pthread_t thread;
	int fd;
	__u32 ctx;
	unsigned int seed;
	int error;
};

static void *round_trip(void *arg)
{
	const size_t size = 6 * MIB + 5;
	struct worker *worker = arg;
	__u8 *sent = map_memory(size), *got = map_memory(size);
	__u32 buf;

	fill_pattern(sent, size, worker->seed);
	worker->error = vaccel_buf_create(worker->fd, worker->ctx, size, &buf);
	for (int i = 0; !worker->error && i < 3; i++) {
		memset(got, 0, size);
		worker->error = vaccel_buf_write(worker->fd, buf, 0, sent, size);
		if (!worker->error)
			worker->error = vaccel_buf_read(worker->fd, buf, 0, got, size);
		if (!worker->error && memcmp(sent, got, size))
			worker->error = EBADMSG;
	}
	return NULL;
}

/* Together they have more to move than may be in flight. */
TEST_F(transfer, many_at_a_time)
{
	struct worker workers[8];

	for (size_t i = 0; i < ARRAY_COUNT(workers); i++) {
		workers[i] = (struct worker){ .fd = self->fd, .ctx = self->ctx, .seed = (unsigned int)i };
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, round_trip, &workers[i]));
	}
	for (size_t i = 0; i < ARRAY_COUNT(workers); i++) {
		ASSERT_EQ(0, pthread_join(workers[i].thread, NULL));
		EXPECT_EQ(0, workers[i].error);
	}
}

TEST_HARNESS_MAIN
