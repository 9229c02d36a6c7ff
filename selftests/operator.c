// SPDX-License-Identifier: MIT
/* What an operator sees of the driver, and the limits that he sets. */
#include "kselftest_harness.h"
#include "vaccel_util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <linux/capability.h>

#define PARAMETERS "/sys/module/virtio_accel/parameters/"

FIXTURE(operator)
{
	int fd;
	__u32 ctx;
	char device[64]; /* of the virtio device in sysfs */
};

FIXTURE_SETUP(operator)
{
	struct stat node;

	self->fd = vaccel_open();
	if (self->fd < 0)
		SKIP(return, "no virtio-accel device");
	ASSERT_EQ(0, vaccel_ctx_create(self->fd, &self->ctx));
	ASSERT_EQ(0, fstat(self->fd, &node));
	snprintf(self->device, sizeof(self->device), "/sys/dev/char/%u:%u/device",
		 major(node.st_rdev), minor(node.st_rdev));
}

FIXTURE_TEARDOWN(operator)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* The first line of a file behind @key, without white space around it. */
static bool read_value(const char *path, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);
	bool found = false;
	char line[256];
	FILE *file = fopen(path, "r");

	while (file && !found && fgets(line, sizeof(line), file)) {
		found = !strncmp(line, key, length);
		if (found)
			snprintf(value, size, "%s", line + length + strspn(line + length, " \t"));
	}
	if (file)
		fclose(file);
	if (found)
		value[strcspn(value, "\n")] = '\0';
	return found;
}

/* The number behind @key in the fdinfo of @fd, or -1. */
static long long fdinfo(int fd, const char *key)
{
	char path[64], value[256];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return read_value(path, key, value, sizeof(value)) ? atoll(value) : -1;
}

static bool write_value(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");
	bool written = file && fputs(value, file) >= 0;

	return file && !fclose(file) && written;
}

TEST_F(operator, fdinfo_tells_what_a_file_has)
{
	char path[64], value[256];
	__u32 small, large;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	ASSERT_TRUE(read_value(path, "drm-driver:", value, sizeof(value)));
	EXPECT_STREQ("virtio_accel", value);
	EXPECT_LT(0, fdinfo(self->fd, "drm-client-id:"));
	EXPECT_EQ(0, fdinfo(self->fd, "drm-engine-accel:"));
	EXPECT_EQ(0, fdinfo(self->fd, "virtio_accel-submissions:"));
	EXPECT_GE(0, fdinfo(self->fd, "drm-resident-memory:")); /* kernels can leave out a 0 */
	EXPECT_EQ(1, fdinfo(self->fd, "virtio_accel-objects:"));

	/* In KiB from here on: buffers count by the page. */
	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, 64, &small));
	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, 12288, &large));
	EXPECT_EQ(16, fdinfo(self->fd, "drm-total-memory:"));
	EXPECT_EQ(16, fdinfo(self->fd, "drm-resident-memory:"));
	EXPECT_EQ(3, fdinfo(self->fd, "virtio_accel-objects:"));
	ASSERT_EQ(0, vaccel_buf_close(self->fd, small));
	EXPECT_EQ(12, fdinfo(self->fd, "drm-resident-memory:"));

	/* What is left after this is a handle of nothing. */
	ASSERT_EQ(0, vaccel_ctx_destroy(self->fd, self->ctx));
	EXPECT_EQ(12, fdinfo(self->fd, "drm-total-memory:"));
	EXPECT_GE(0, fdinfo(self->fd, "drm-resident-memory:"));
}

TEST_F(operator, sysfs_tells_what_the_device_is)
{
	struct drm_virtio_accel_device_info info;
	char path[128], value[256], expected[64] = "";

	ASSERT_EQ(0, vaccel_query(self->fd, &info));
	for (size_t i = 0; i < sizeof(info.uuid); i++)
		sprintf(expected + strlen(expected), "%s%02x",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", info.uuid[i]);
	snprintf(path, sizeof(path), "%s/accelerator/uuid", self->device);
	ASSERT_TRUE(read_value(path, "", value, sizeof(value)));
	EXPECT_STREQ(expected, value);

#define EXPECT_ATTRIBUTE(name_, ...)							\
	do {										\
		snprintf(path, sizeof(path), "%s/accelerator/" name_, self->device);	\
		ASSERT_TRUE(read_value(path, "", value, sizeof(value)));		\
		snprintf(expected, sizeof(expected), __VA_ARGS__);			\
		EXPECT_STREQ(expected, value);						\
	} while (0)

	EXPECT_ATTRIBUTE("protocol", "%u.%u", info.protocol_major, info.protocol_minor);
	EXPECT_ATTRIBUTE("class", "%u", info.device_class);
	EXPECT_ATTRIBUTE("vendor_id", "0x%08x", info.vendor_id);
	EXPECT_ATTRIBUTE("device_id", "0x%08x", info.device_id);
	EXPECT_ATTRIBUTE("capabilities", "0x%016llx", info.capabilities);
}

TEST_F(operator, debugfs_shows_the_ring)
{
	char link[256] = "", path[128], value[256];
	__u32 buf;

	mount("none", "/sys/kernel/debug", "debugfs", 0, NULL);
	ASSERT_LT(0, readlink(self->device, link, sizeof(link) - 1));
	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/state", strrchr(link, '/') + 1);
	if (access(path, R_OK))
		SKIP(return, "no debugfs");

	ASSERT_EQ(0, vaccel_buf_create(self->fd, self->ctx, 64, &buf));
	ASSERT_TRUE(read_value(path, "lost", value, sizeof(value)));
	EXPECT_STREQ("no", value);
	ASSERT_TRUE(read_value(path, "buffers", value, sizeof(value)));
	EXPECT_LE(1, atoi(value));
	ASSERT_TRUE(read_value(path, "ring", value, sizeof(value)));
	EXPECT_LE(4, atoi(value));
	ASSERT_TRUE(read_value(path, "orphans", value, sizeof(value)));
	EXPECT_EQ('0', value[0]);
}

/* Quotas do not bind who has CAP_SYS_RESOURCE. */
static int drop_sys_resource(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return errno;
	data[0].effective &= ~(1U << CAP_SYS_RESOURCE);
	return syscall(SYS_capset, &header, data) ? errno : 0;
}

/* Buffers that can be made in @fd, up to @most; closes them again. */
static __u32 buffers_allowed(int fd, __u32 ctx, __u32 most, int *error)
{
	__u32 buf[16], count;

	for (count = 0; count < most; count++) {
		*error = vaccel_buf_create(fd, ctx, 64, &buf[count]);
		if (*error)
			break;
	}
	for (__u32 i = 0; i < count; i++)
		vaccel_buf_close(fd, buf[i]);
	return count;
}

TEST_F(operator, a_file_has_a_quota)
{
	char before[32];
	int error = 0;

	if (!read_value(PARAMETERS "max_file_objects", "", before, sizeof(before)) ||
	    !write_value(PARAMETERS "max_file_objects", "3"))
		SKIP(return, "the quota cannot be set");
	EXPECT_EQ(8, buffers_allowed(self->fd, self->ctx, 8, &error));
	/* They are counted until the device has released them. */
	while (fdinfo(self->fd, "virtio_accel-objects:") > 1)
		usleep(1000);
	EXPECT_EQ(0, drop_sys_resource());
	EXPECT_EQ(2, buffers_allowed(self->fd, self->ctx, 8, &error));
	EXPECT_EQ(EDQUOT, error);
	EXPECT_TRUE(write_value(PARAMETERS "max_file_objects", before));
}

TEST_F(operator, a_user_has_a_quota_across_files)
{
	int fd[4], made = 0, error = 0;
	char before[32];
	__u32 ctx;

	if (!read_value(PARAMETERS "max_user_objects", "", before, sizeof(before)) ||
	    !write_value(PARAMETERS "max_user_objects", "3"))
		SKIP(return, "the quota cannot be set");
	EXPECT_EQ(0, drop_sys_resource());
	for (size_t i = 0; i < ARRAY_COUNT(fd); i++) {
		fd[i] = vaccel_open();
		ASSERT_LE(0, fd[i]);
		error = vaccel_ctx_create(fd[i], &ctx);
		made += !error;
	}
	/* One more may still be that of a test before, until the device has released it. */
	EXPECT_GE(2, made);
	EXPECT_EQ(EDQUOT, error);
	for (size_t i = 0; i < ARRAY_COUNT(fd); i++)
		close(fd[i]);
	EXPECT_TRUE(write_value(PARAMETERS "max_user_objects", before));
}

TEST_HARNESS_MAIN
