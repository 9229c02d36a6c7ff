// SPDX-License-Identifier: MIT
/* What a transfer does to each kind of user memory, in place or through copies. */
#include "kselftest_harness.h"
#include "memory.h"
#include "vaccel_util.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define SIZE (3 * MIB)
#define GUARD 0xcc

FIXTURE(user_memory)
{
	int fd;
	__u32 ctx;
	__u32 buf;	/* of SIZE bytes: the pattern of seed 1 */
	__u8 *pattern;	/* the same */
	size_t page;
	int threshold;
};

FIXTURE_VARIANT(user_memory)
{
	int threshold;
};

FIXTURE_VARIANT_ADD(user_memory, staged)
{
	.threshold = 0,
};

FIXTURE_VARIANT_ADD(user_memory, pinned)
{
	.threshold = 1,
};

FIXTURE_SETUP(user_memory)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	self->page = (size_t)sysconf(_SC_PAGESIZE);
	self->threshold = pin_threshold();
	if (set_pin_threshold(variant->threshold))
		SKIP(return, "the driver's parameters cannot be changed");
	self->pattern = map_memory(SIZE);
	fill_pattern(self->pattern, SIZE, 1);
	ASSERT_EQ(0, vaccel_ctx_create(self->fd, &self->ctx));
	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, SIZE, &self->buf));
	ASSERT_EQ(0, vaccel_buf_write(self->fd, self->buf, 0, self->pattern, SIZE));
}

FIXTURE_TEARDOWN(user_memory)
{
	if (self->fd < 0)
		return;
	close(self->fd);
	set_pin_threshold(self->threshold);
	/* No page is left pinned, nor counted. */
	EXPECT_EQ(0, pins_held());
	EXPECT_EQ(0, status_kib("VmPin"));
}

/* Whether the buffer holds what it held at first. */
static bool buffer_unchanged(FIXTURE_DATA(user_memory) *self)
{
	__u8 *now = map_memory(SIZE);

	return !vaccel_buf_read(self->fd, self->buf, 0, now, SIZE) &&
	       !memcmp(now, self->pattern, SIZE);
}

/* Whether the buffer can be read into memory, and written from it. */
static bool both_ways(FIXTURE_DATA(user_memory) *self, __u8 *memory)
{
	__u8 *back = map_memory(SIZE);

	if (vaccel_buf_read(self->fd, self->buf, 0, memory, SIZE) ||
	    memcmp(memory, self->pattern, SIZE))
		return false;
	fill_pattern(memory, SIZE, 2);
	if (vaccel_buf_write(self->fd, self->buf, 0, memory, SIZE) ||
	    vaccel_buf_read(self->fd, self->buf, 0, back, SIZE))
		return false;
	return !memcmp(memory, back, SIZE);
}

TEST_F(user_memory, never_touched)
{
	__u8 *zero = map_memory(SIZE), *back = map_memory(SIZE);

	EXPECT_EQ(0, vaccel_buf_read(self->fd, self->buf, 0, back, SIZE));
	EXPECT_EQ(0, memcmp(back, self->pattern, SIZE));
	EXPECT_EQ(0, vaccel_buf_write(self->fd, self->buf, 0, zero, SIZE));
	EXPECT_EQ(0, vaccel_buf_read(self->fd, self->buf, 0, back, SIZE));
	EXPECT_TRUE(all_equal(back, SIZE, 0));
}

TEST_F(user_memory, huge_pages)
{
	const size_t huge = 2 * MIB;
	__u8 *memory = map_memory(SIZE + 3 * huge);

	memory += huge - (uintptr_t)memory % huge;
	if (madvise(memory, SIZE + 2 * huge, MADV_HUGEPAGE))
		SKIP(return, "no transparent huge pages");
	memset(memory, GUARD, SIZE + 2 * huge);
	/* From within one huge page to within another. */
	EXPECT_TRUE(both_ways(self, memory + 4093));
	EXPECT_TRUE(all_equal(memory, 4093, GUARD));
	EXPECT_TRUE(all_equal(memory + 4093 + SIZE, 2 * huge - 4093, GUARD));
}

TEST_F(user_memory, shared_memory)
{
	int fd = memfd_create("shared", 0);
	__u8 *memory, *other;

	ASSERT_EQ(0, ftruncate(fd, SIZE));
	memory = map_file(fd, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED);
	other = map_file(fd, SIZE, PROT_READ, MAP_SHARED);
	EXPECT_TRUE(both_ways(self, memory));
	EXPECT_EQ(0, memcmp(memory, other, SIZE));
}

/* Memory that the kernel itself has no mapping of can still be copied. */
TEST_F(user_memory, secret_memory)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (fd < 0)
		SKIP(return, "no secret memory");
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, ftruncate(fd, SIZE));
	EXPECT_TRUE(both_ways(self, map_file(fd, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED)));
}

/* A file whose pages are written back must not be changed behind its back. */
TEST_F(user_memory, file_with_writeback)
{
	int fd = open("/dev/ram0", O_RDWR);
	__u8 *memory, *stored = map_memory(SIZE);

	if (fd < 0)
		SKIP(return, "no RAM disk");
	memory = map_file(fd, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED);
	EXPECT_TRUE(both_ways(self, memory));
	ASSERT_EQ(0, msync(memory, SIZE, MS_SYNC));
	ASSERT_EQ((ssize_t)SIZE, pread(fd, stored, SIZE, 0));
	EXPECT_EQ(0, memcmp(memory, stored, SIZE));
}

/* The file stays as it is, and writing from it takes no memory. */
TEST_F(user_memory, private_mapping_of_a_file)
{
	int fd = memfd_create("private", 0);
	__u8 *source, *target, *back = map_memory(SIZE);
	long before;

	fill_pattern(back, SIZE, 3);
	ASSERT_EQ((ssize_t)SIZE, write(fd, back, SIZE));
	source = map_file(fd, SIZE, PROT_READ, MAP_PRIVATE);
	target = map_file(fd, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE);

	before = status_kib("RssAnon");
	ASSERT_EQ(0, vaccel_buf_write(self->fd, self->buf, 0, source, SIZE));
	EXPECT_LT(status_kib("RssAnon") - before, (long)(SIZE / KIB / 2));
	ASSERT_EQ(0, vaccel_buf_read(self->fd, self->buf, 0, back, SIZE));
	EXPECT_EQ(0, memcmp(back, source, SIZE));

	ASSERT_EQ(0, vaccel_buf_write(self->fd, self->buf, 0, self->pattern, SIZE));
	ASSERT_EQ(0, vaccel_buf_read(self->fd, self->buf, 0, target, SIZE));
	EXPECT_EQ(0, memcmp(target, self->pattern, SIZE));
	EXPECT_EQ(0, memcmp(back, source, SIZE));
}

/* Nothing is read into it, neither its bytes nor the buffer's change. */
TEST_F(user_memory, read_only)
{
	__u8 *memory = map_memory(SIZE);

	memset(memory, GUARD, SIZE);
	ASSERT_EQ(0, mprotect(memory, SIZE, PROT_READ));
	EXPECT_EQ(EFAULT, vaccel_buf_read(self->fd, self->buf, 0, memory, SIZE));
	EXPECT_EQ(EFAULT, vaccel_buf_read(self->fd, self->buf, 5, memory + 3, 100));
	EXPECT_TRUE(all_equal(memory, SIZE, GUARD));
	EXPECT_TRUE(buffer_unchanged(self));
	EXPECT_EQ(0, vaccel_buf_write(self->fd, self->buf, 0, memory, SIZE));
}

TEST_F(user_memory, no_access)
{
	__u8 *memory = map_memory(SIZE);

	ASSERT_EQ(0, mprotect(memory, SIZE, PROT_NONE));
	EXPECT_EQ(EFAULT, vaccel_buf_write(self->fd, self->buf, 0, memory, SIZE));
	EXPECT_EQ(EFAULT, vaccel_buf_read(self->fd, self->buf, 0, memory, SIZE));
	EXPECT_EQ(EFAULT, vaccel_buf_write(self->fd, self->buf, 0, memory, 1));
	EXPECT_EQ(EFAULT, vaccel_buf_read(self->fd, self->buf, 0, memory, 1));
	EXPECT_EQ(EFAULT, vaccel_buf_write(self->fd, self->buf, 0, (void *)UINTPTR_MAX, 2));
	EXPECT_EQ(EFAULT, vaccel_buf_read(self->fd, self->buf, 0, (void *)(UINTPTR_MAX - SIZE / 2),
					  SIZE));
	EXPECT_TRUE(buffer_unchanged(self));
}

/* A hole in mid-transfer: it fails, and @done bytes from the start were moved. */
TEST_F(user_memory, part_of_it_is_missing)
{
	const struct {
		size_t at, size;
	} holes[] = {
		{ self->page, SIZE - self->page },
		{ SIZE / 2, SIZE / 2 },
		{ SIZE - self->page, self->page },
		/* What follows is there, and must not count. */
		{ 0, self->page },
		{ MIB + 64 * KIB, self->page },
	};

	for (size_t i = 0; i < ARRAY_COUNT(holes); i++) {
		struct drm_virtio_accel_buf_transfer args = { .handle = self->buf, .size = SIZE - 7 };
		__u8 *memory = map_memory(SIZE), *back = map_memory(SIZE);
		size_t at = holes[i].at;

		memset(memory, GUARD, SIZE);
		ASSERT_EQ(0, munmap(memory + at, holes[i].size));
		args.addr = (__u64)(uintptr_t)memory;

		EXPECT_EQ(EFAULT, vaccel_ioctl(self->fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_READ, &args));
		EXPECT_LE(args.done, at);
		EXPECT_EQ(0, memcmp(memory, self->pattern, args.done));
		EXPECT_TRUE(at < 2 * MIB || args.done);

		memset(memory, GUARD, at);
		EXPECT_EQ(EFAULT, vaccel_ioctl(self->fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE, &args));
		EXPECT_LE(args.done, at);
		ASSERT_EQ(0, vaccel_buf_read(self->fd, self->buf, 0, back, SIZE));
		EXPECT_TRUE(all_equal(back, args.done, GUARD));
		EXPECT_EQ(0, memcmp(back + at, self->pattern + at, SIZE - at));
		ASSERT_EQ(0, vaccel_buf_write(self->fd, self->buf, 0, self->pattern, SIZE));
	}
}

/* Who may lock no memory is served all the same, through copies. */
TEST_F(user_memory, no_memory_may_be_locked)
{
	const struct rlimit none = { 0, 0 };
	long before = pins_made();
	int status;
	pid_t child = fork();

	ASSERT_GE(child, 0);
	if (!child)
		_exit(setrlimit(RLIMIT_MEMLOCK, &none) || setresuid(1000, 1000, 1000) ||
		      !both_ways(self, map_memory(SIZE)));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(before, pins_made());
}

/* A read into memory that is shared copy-on-write after fork() is for one side. */
TEST_F(user_memory, read_after_fork_stays_private)
{
	__u8 *memory = map_memory(SIZE);
	int status;
	pid_t child;

	memset(memory, GUARD, SIZE);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(vaccel_buf_read(self->fd, self->buf, 0, memory, SIZE) ||
		      memcmp(memory, self->pattern, SIZE));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(all_equal(memory, SIZE, GUARD));
}

struct reader {
	int fd;
	__u32 buf;
	__u8 *memory;
	const __u8 *expected;
	atomic_bool stop;
	int reads;
	int wrong;
};

static void *read_until_told(void *arg)
{
	struct reader *reader = arg;

	do {
		int early = 0;

		memset(reader->memory, GUARD, SIZE);
		/* A signal that the other thread takes in the end can interrupt it. */
		if (transfer_all(reader->fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_READ, reader->buf,
				 reader->memory, SIZE, &early) ||
		    memcmp(reader->memory, reader->expected, SIZE))
			reader->wrong++;
		reader->reads++;
	} while (!reader->stop);
	return NULL;
}

/* What is read while a child is made goes to the parent, whatever the child writes. */
TEST_F(user_memory, fork_while_it_is_read_into)
{
	struct reader reader = { .fd = self->fd, .buf = self->buf, .memory = map_memory(SIZE),
				 .expected = self->pattern };
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, read_until_told, &reader));
	for (int i = 0; i < 30; i++) {
		int status;
		pid_t child = fork();

		ASSERT_GE(child, 0);
		if (!child) {
			memset(reader.memory, i, SIZE);
			_exit(!all_equal(reader.memory, SIZE, (__u8)i));
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(0, status);
	}
	reader.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_NE(0, reader.reads);
	EXPECT_EQ(0, reader.wrong);
}

TEST_HARNESS_MAIN
