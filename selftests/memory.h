/* SPDX-License-Identifier: MIT */
/*
 * Memory to transfer, patterns to fill it with, and what the kernel says about
 * pages that are pinned. Functions that return int return 0 or a positive errno,
 * unless they say otherwise.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define KIB 1024UL
#define MIB (1024UL * KIB)

/* Or the end of the test. It is freed with the process, which every test has for itself. */
__u8 *map_memory(size_t size);
__u8 *map_file(int fd, size_t size, int protection, int flags);

/* A pattern without a period of a page; different for each @seed. */
void fill_pattern(__u8 *data, size_t size, unsigned int seed);
bool all_equal(const __u8 *data, size_t size, __u8 value);

/*
 * BUF_WRITE or BUF_READ of a whole buffer that goes on where a signal has ended it;
 * @early counts how often one did. EPROTO and ENODATA are lies about what was done.
 */
int transfer_all(int fd, unsigned long request, __u32 buf, __u8 *data, size_t size, int *early);

/* The driver's parameter, in bytes, 0 for never. -1 if it cannot be had. */
int pin_threshold(void);
int set_pin_threshold(int bytes);

/* Pages that were ever pinned in this machine, and those that are now; -1 if unknown. */
long pins_made(void);
long pins_held(void);

/* A number of kB in /proc/self/status, or -1. */
long status_kib(const char *name);

#endif /* MEMORY_H */
