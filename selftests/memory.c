// SPDX-License-Identifier: MIT

#include "memory.h"
#include "vaccel_util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#define THRESHOLD "/sys/module/virtio_accel/parameters/pin_threshold"

__u8 *map_file(int fd, size_t size, int protection, int flags)
{
	void *memory = mmap(NULL, size, protection, flags, fd, 0);

	if (memory == MAP_FAILED) {
		perror("# mmap");
		_exit(1);
	}
	return memory;
}

__u8 *map_memory(size_t size)
{
	return map_file(-1, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
}

void fill_pattern(__u8 *data, size_t size, unsigned int seed)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (__u8)(i * 7 + (i >> 8) * 13 + (i >> 16) * 29 + seed + 1);
}

bool all_equal(const __u8 *data, size_t size, __u8 value)
{
	return !size || (data[0] == value && !memcmp(data, data + 1, size - 1));
}

int transfer_all(int fd, unsigned long request, __u32 buf, __u8 *data, size_t size, int *early)
{
	__u64 at = 0;

	while (at < size) {
		struct drm_virtio_accel_buf_transfer args = {
			.handle = buf,
			.offset = at,
			.size = size - at,
			.addr = (__u64)(uintptr_t)(data + at),
		};
		int error = vaccel_ioctl(fd, request, &args);

		if (args.done > args.size || (error && args.done))
			return EPROTO;
		/* Before anything was done. */
		if (error && error != EINTR)
			return error;
		if (!error && !args.done)
			return ENODATA;
		at += args.done;
		*early += at < size;
	}
	return 0;
}

int pin_threshold(void)
{
	FILE *file = fopen(THRESHOLD, "r");
	int bytes = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &bytes) != 1)
		bytes = -1;
	fclose(file);
	return bytes;
}

int set_pin_threshold(int bytes)
{
	FILE *file = fopen(THRESHOLD, "w");

	if (!file)
		return -1;
	fprintf(file, "%d\n", bytes);
	return fclose(file) ? -1 : 0;
}

/* A number after @name in a file of "name number" lines. */
static long number_in(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	size_t length = strlen(name);
	char line[256];
	long number = -1;

	if (!file)
		return -1;
	while (number < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && strchr(" \t:", line[length]))
			number = strtol(line + length + 1, NULL, 10);
	fclose(file);
	return number;
}

/* Counters of the processors are added up when this file is read. */
static void refresh_vmstat(void)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_RDONLY);
	char byte;

	if (fd >= 0) {
		if (read(fd, &byte, 1) < 0)
			perror("# stat_refresh");
		close(fd);
	}
}

long pins_made(void)
{
	refresh_vmstat();
	return number_in("/proc/vmstat", "nr_foll_pin_acquired");
}

long pins_held(void)
{
	long made = pins_made();

	return made < 0 ? -1 : made - number_in("/proc/vmstat", "nr_foll_pin_released");
}

long status_kib(const char *name)
{
	return number_in("/proc/self/status", name);
}
