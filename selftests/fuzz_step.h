/* SPDX-License-Identifier: MIT */
/*
 * One step of fuzz_ioctl.c: a random call, mostly a well-formed one.
 */
#ifndef FUZZ_STEP_H
#define FUZZ_STEP_H

#include <stdatomic.h>

#include "fuzz_calls.h"

/* Handles of each kind that are remembered. */
#define FUZZ_POOL 8

/* A file and memory, used by all threads of a process at once and without any lock. */
struct fuzz_target {
	int fd;
	__u8 *memory;
	_Atomic __u32 handles[FUZZ_KINDS][FUZZ_POOL]; /* 0 where there is none */
};

/* What one thread has for itself. */
struct fuzz_thread {
	struct fuzz_target *target;
	__u64 random;
	bool wild; /* fields may get any value */
	bool lacks; /* an object that the call needs */
	_Atomic __u32 *picked; /* where a handle of the call came from, or NULL */
};

/* A random number below @bound. */
__u32 fuzz_below(struct fuzz_thread *thread, __u32 bound);

/* Opens the device and maps the memory; false on failure. */
bool fuzz_target_init(struct fuzz_target *target);

/*
 * Makes one random call, or does something to the file or the memory behind the back
 * of the calls of the other threads. Returns the errno of the call, whose place in
 * fuzz_calls is stored in @number, or -1 if there was none.
 */
int fuzz_step(struct fuzz_thread *thread, unsigned int *number);

#endif /* FUZZ_STEP_H */
