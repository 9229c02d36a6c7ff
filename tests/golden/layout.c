/* SPDX-License-Identifier: MIT */
/* The wire header as a C11 compiler sees it. That this file compiles is the test. */
#include <stddef.h>

#include <linux/virtio_accel.h>

#define VALUE(path, expression, expected) \
	_Static_assert((expression) == (expected), path);
#define STRUCT(path, structure, bytes) \
	_Static_assert(sizeof(struct structure) == (bytes), path); \
	_Static_assert(_Alignof(struct structure) == 1, path);
#define FIELD(path, structure, member, offset) \
	_Static_assert(offsetof(struct structure, member) == (offset), path);

#include "data/layout.inc"
