// SPDX-License-Identifier: MIT
/* BUF_WRITE and BUF_READ move exactly the bytes they are asked to. */
#include "kselftest_harness.h"
#include "vaccel_util.h"

#define KIB 1024UL
#define MIB (1024UL * KIB)

/* Either side of a page, of the driver's staging and of one request to the device. */
static const size_t sizes[] = {
	1, 3, 4095, 4096, 4097, 64 * KIB + 1, 256 * KIB, 256 * KIB + 1, MIB + 5, 5 * MIB + 3
};

FIXTURE(transfer)
{
	int fd;
	__u32 ctx;
	size_t page;
};

FIXTURE_SETUP(transfer)
{
	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	self->page = (size_t)sysconf(_SC_PAGESIZE);
	ASSERT_EQ(0, vaccel_ctx_create(self->fd, &self->ctx));
}

FIXTURE_TEARDOWN(transfer)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* Anonymous memory; freed with the process, which every test has for itself. */
static __u8 *map(struct __test_metadata *_metadata, size_t size, int protection)
{
	void *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, memory);
	return memory;
}

static void fill_pattern(__u8 *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (__u8)(i * 7 + (i >> 8) * 13 + 1);
}

static bool all_equal(const __u8 *data, size_t size, __u8 value)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] != value)
			return false;
	return true;
}

TEST_F(transfer, new_buffers_are_zero)
{
	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		__u8 *data = map(_metadata, sizes[i], PROT_READ | PROT_WRITE);
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
		__u8 *sent = map(_metadata, size + 1, PROT_READ | PROT_WRITE) + 1;
		__u8 *got = map(_metadata, whole, PROT_READ | PROT_WRITE);
		__u32 buf;

		fill_pattern(sent, size);
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

/* Small transfers are staged, large ones pinned: both meet each kind of memory. */
TEST_F(transfer, user_memory_is_respected)
{
	const size_t transfers[] = { self->page, 2 * MIB };

	for (size_t i = 0; i < ARRAY_COUNT(transfers); i++) {
		size_t size = transfers[i];
		__u8 *memory = map(_metadata, size + self->page, PROT_READ | PROT_WRITE);
		__u8 *back = map(_metadata, size, PROT_READ | PROT_WRITE);
		__u32 buf;

		fill_pattern(memory, size);
		ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, size, &buf));

		ASSERT_EQ(0, mprotect(memory, size, PROT_READ));
		EXPECT_EQ(0, vaccel_buf_write(self->fd, buf, 0, memory, size));
		EXPECT_EQ(EFAULT, vaccel_buf_read(self->fd, buf, 0, memory, size));

		ASSERT_EQ(0, mprotect(memory, size, PROT_NONE));
		EXPECT_EQ(EFAULT, vaccel_buf_write(self->fd, buf, 0, memory, size));
		EXPECT_EQ(EFAULT, vaccel_buf_read(self->fd, buf, 0, memory, size));

		/* Only the last byte is missing. */
		ASSERT_EQ(0, mprotect(memory, size, PROT_READ | PROT_WRITE));
		ASSERT_EQ(0, munmap(memory + size, self->page));
		EXPECT_EQ(EFAULT, vaccel_buf_write(self->fd, buf, 0, memory + 1, size));
		EXPECT_EQ(EFAULT, vaccel_buf_read(self->fd, buf, 0, memory + 1, size));

		/* Memory that was never touched is there to read into. */
		ASSERT_EQ(0, vaccel_buf_read(self->fd, buf, 0, back, size));
		ASSERT_EQ(0, vaccel_buf_close(self->fd, buf));
	}
}

/* A read into memory that is shared copy-on-write after fork() is for one side. */
TEST_F(transfer, read_after_fork_stays_private)
{
	const size_t size = 2 * MIB;
	__u8 *memory = map(_metadata, size, PROT_READ | PROT_WRITE);
	int status;
	pid_t child;
	__u32 buf;

	memset(memory, 0xaa, size);
	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, size, &buf));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(vaccel_buf_read(self->fd, buf, 0, memory, size) ||
		      !all_equal(memory, size, 0));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(all_equal(memory, size, 0xaa));
}

TEST_HARNESS_MAIN
