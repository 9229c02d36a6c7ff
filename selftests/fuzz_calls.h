/* SPDX-License-Identifier: MIT */
/*
 * The ioctls that fuzz_ioctl.c fires, and what their arguments consist of.
 */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "vaccel_util.h"

enum fuzz_kind {
	FUZZ_CONTEXT,
	FUZZ_BUFFER,
	FUZZ_PROGRAM,
	FUZZ_QUEUE,
	FUZZ_EVENT,
	FUZZ_SYNCOBJ,
	FUZZ_KINDS
};

/* What a field is, and so what it holds unless the call is a wild one. */
enum fuzz_how {
	IS, /* arg */
	BITS, /* any of arg */
	BELOW, /* 0 to arg - 1 */
	SIZE, /* bytes that fit a buffer, and sometimes do not */
	INDEX, /* place in its array */
	TIMEOUT, /* none, or some time */
	DEADLINE,
	HANDLE, /* of kind arg */
	LAST, /* the same, which the call ends */
	DATA, /* address of memory */
	ARTIFACT, /* address of a program of the mock provider */
	ARRAY, /* address of structures that @of describes */
	RESULT, /* a new handle of kind arg comes back here */
};

struct fuzz_shape;

struct fuzz_field {
	__u16 offset;
	__u8 size;
	bool seldom; /* zero, most of the time */
	enum fuzz_how how;
	__u64 arg;
	const struct fuzz_shape *of;
};

/* A structure. A field that is not named stays zero. */
struct fuzz_shape {
	size_t size;
	const struct fuzz_field *fields;
	size_t count;
};

struct fuzz_call {
	const char *name;
	unsigned long request;
	__u32 weight; /* how often, compared to others */
	struct fuzz_shape shape;
};

/* Ends with one without a name. */
extern const struct fuzz_call fuzz_calls[];

#endif /* FUZZ_CALLS_H */
