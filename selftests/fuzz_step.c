// SPDX-License-Identifier: MIT

#include "fuzz_step.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

/* The memory: writable pages, one that changes, one that is read-only, and a hole. */
#define PAGE 4096U
#define WRITABLE (192 * PAGE)
#define CHANGING WRITABLE
#define READ_ONLY (CHANGING + PAGE)
#define HOLE (READ_ONLY + PAGE)
#define MAPPED (HOLE + PAGE)

/* Larger than what a transfer moves in one piece. */
#define LARGE (128 * PAGE)

/* Room for an argument that is longer than the kernel knows it. */
union fuzz_args {
	__u8 bytes[256];
	__u64 alignment;
};

/* splitmix64 */
static __u64 any(struct fuzz_thread *thread)
{
	__u64 z = thread->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

__u32 fuzz_below(struct fuzz_thread *thread, __u32 bound)
{
	return (__u32)(any(thread) % bound);
}

static bool one_in(struct fuzz_thread *thread, __u32 n)
{
	return !fuzz_below(thread, n);
}

static __u64 wild_value(struct fuzz_thread *thread)
{
	__u64 bit = 1ULL << fuzz_below(thread, 64);

	switch (fuzz_below(thread, 6)) {
	case 0:
		return 0;
	case 1:
		return bit;
	case 2:
		return bit - 1;
	case 3:
		return -bit;
	case 4:
		return fuzz_below(thread, 32);
	default:
		return any(thread);
	}
}

static __u64 address(struct fuzz_thread *thread)
{
	__u64 memory = (__u64)(uintptr_t)thread->target->memory;

	switch (fuzz_below(thread, 24)) {
	case 0:
		return memory + CHANGING - fuzz_below(thread, 64);
	case 1:
		return memory + READ_ONLY + fuzz_below(thread, PAGE);
	case 2:
		return memory + HOLE - fuzz_below(thread, 64);
	case 3:
		return VACCEL_BAD_ADDR;
	case 4:
		return -(__u64)PAGE; /* the kernel's */
	default:
		/* Few places, so that threads disturb each other. */
		return memory + PAGE / 2 * fuzz_below(thread, 32);
	}
}

/* The memory at an address if a page there can be written, or else NULL. */
static __u8 *writable(const struct fuzz_thread *thread, __u64 address)
{
	__u64 offset = address - (__u64)(uintptr_t)thread->target->memory;

	return offset < WRITABLE - PAGE ? thread->target->memory + offset : NULL;
}

static __u64 size(struct fuzz_thread *thread)
{
	static const __u32 sizes[] = { 1, 64, 64, 64, 100, PAGE, LARGE };

	return sizes[fuzz_below(thread, ARRAY_COUNT(sizes))];
}

static __u64 deadline(struct fuzz_thread *thread)
{
	if (one_in(thread, 32))
		return (__u64)VACCEL_FOREVER;
	return (__u64)vaccel_deadline_ms(fuzz_below(thread, 4));
}

static __u64 artifact(struct fuzz_thread *thread)
{
	enum vaccel_op op = one_in(thread, 2) ? VACCEL_XOR : fuzz_below(thread, 4);
	const struct vaccel_artifact artifact = vaccel_artifact(op, 0, VACCEL_NO_SLOT, 1);
	__u64 at = address(thread);

	if (writable(thread, at))
		memcpy(writable(thread, at), &artifact, sizeof(artifact));
	return at;
}

static void fill(struct fuzz_thread *thread, void *to, const struct fuzz_shape *shape,
		 unsigned int index);

/* Not always as many as the call will say. */
static __u64 array(struct fuzz_thread *thread, const struct fuzz_shape *shape)
{
	const struct fuzz_thread before = *thread;
	__u64 at = address(thread);

	for (unsigned int i = 0; writable(thread, at) && i < 8; i++)
		fill(thread, writable(thread, at) + i * shape->size, shape, i);
	thread->lacks = before.lacks;
	thread->picked = before.picked;
	return at;
}

/* Mostly one context, and the first objects more often, so that what belongs together meets. */
static _Atomic __u32 *any_slot(struct fuzz_thread *thread, enum fuzz_kind kind)
{
	__u32 slots = kind == FUZZ_CONTEXT && !one_in(thread, 16) ? 1 : FUZZ_POOL;

	return &thread->target->handles[kind][fuzz_below(thread, 1 + fuzz_below(thread, slots))];
}

/* A slot with or without a handle, if one is found soon. */
static _Atomic __u32 *find_slot(struct fuzz_thread *thread, enum fuzz_kind kind, bool used)
{
	_Atomic __u32 *slot = any_slot(thread, kind);

	for (int tries = 0; !!*slot != used && tries < FUZZ_POOL; tries++)
		slot = any_slot(thread, kind);
	return slot;
}

static void forget_all(struct fuzz_target *target)
{
	memset(target->handles, 0, sizeof(target->handles));
}

static __u32 handle(struct fuzz_thread *thread, enum fuzz_kind kind, bool last)
{
	_Atomic __u32 *slot = find_slot(thread, kind, true);
	__u32 handle = *slot;

	if (!thread->picked || one_in(thread, 2))
		thread->picked = slot;
	thread->lacks |= !handle;
	/* Seldom is used again what is dead, or in a dead context. */
	if (last && !one_in(thread, 8)) {
		*slot = 0;
		if (kind == FUZZ_CONTEXT)
			forget_all(thread->target);
	}
	return handle;
}

static __u64 tame_value(struct fuzz_thread *thread, const struct fuzz_field *field,
			unsigned int index)
{
	switch (field->how) {
	case IS:
		return field->arg;
	case BITS:
		return any(thread) & field->arg;
	case BELOW:
		return fuzz_below(thread, (__u32)field->arg);
	case SIZE:
		return size(thread);
	case INDEX:
		return index;
	case TIMEOUT:
		return fuzz_below(thread, 3) * 100000000ULL;
	case DEADLINE:
		return deadline(thread);
	case HANDLE:
	case LAST:
		return handle(thread, field->arg, field->how == LAST);
	case DATA:
		return address(thread);
	case ARTIFACT:
		return artifact(thread);
	case ARRAY:
		return array(thread, field->of);
	case RESULT:
		break;
	}
	return 0;
}

static void fill(struct fuzz_thread *thread, void *to, const struct fuzz_shape *shape,
		 unsigned int index)
{
	memset(to, 0, shape->size);
	for (size_t i = 0; i < shape->count; i++) {
		const struct fuzz_field *field = &shape->fields[i];
		__u64 value = 0;

		if (thread->wild && one_in(thread, 8))
			value = wild_value(thread);
		else if (!field->seldom || one_in(thread, 8))
			value = tame_value(thread, field, index);
		/* Little-endian, like all machines that this runs on. */
		memcpy((__u8 *)to + field->offset, &value, field->size);
	}
}

/* Where the handle of a call that makes one is to be remembered, or NULL. */
static _Atomic __u32 *result_slot(struct fuzz_thread *thread, const struct fuzz_shape *shape,
				  const struct fuzz_field **result)
{
	for (size_t i = 0; i < shape->count; i++) {
		*result = &shape->fields[i];
		if ((*result)->how == RESULT)
			return find_slot(thread, (*result)->arg, false);
	}
	return NULL;
}

static const struct fuzz_call *choose(struct fuzz_thread *thread)
{
	const struct fuzz_call *call;
	__u32 total = 0, at;

	for (call = fuzz_calls; call->name; call++)
		total += call->weight;
	at = fuzz_below(thread, total);
	for (call = fuzz_calls; at >= call->weight; call++)
		at -= call->weight;
	return call;
}

/* What no call expects: other pages, or another file under the same descriptor. */
static void disturb(struct fuzz_thread *thread)
{
	static const int protections[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	struct fuzz_target *target = thread->target;
	int fd;

	switch (fuzz_below(thread, 64)) {
	case 0:
		fd = vaccel_open();
		dup2(fd, target->fd);
		close(fd);
		if (!one_in(thread, 8))
			forget_all(target);
		break;
	case 1:
		fcntl(target->fd, F_SETFL, O_NONBLOCK);
		read(target->fd, (void *)(uintptr_t)address(thread), size(thread));
		break;
	case 2:
		madvise(target->memory + PAGE * fuzz_below(thread, WRITABLE / PAGE), PAGE,
			MADV_DONTNEED);
		break;
	default:
		mprotect(target->memory + CHANGING, PAGE,
			 protections[fuzz_below(thread, ARRAY_COUNT(protections))]);
	}
}

bool fuzz_target_init(struct fuzz_target *target)
{
	target->fd = vaccel_open();
	target->memory = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
	return target->fd >= 0 && target->memory != MAP_FAILED &&
	       !mprotect(target->memory + READ_ONLY, PAGE, PROT_READ) &&
	       !munmap(target->memory + HOLE, PAGE);
}

/* Another size than the kernel knows is not an error. */
static unsigned long request_of(struct fuzz_thread *thread, const struct fuzz_call *call)
{
	unsigned long request = call->request;

	if (!thread->wild || !one_in(thread, 16))
		return request;
	return _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request),
		    fuzz_below(thread, sizeof(union fuzz_args) + 1));
}

int fuzz_step(struct fuzz_thread *thread, unsigned int *number)
{
	const struct fuzz_call *call = choose(thread);
	const struct fuzz_field *result;
	_Atomic __u32 *slot = result_slot(thread, &call->shape, &result);
	union fuzz_args args = { 0 };
	int error;

	if (one_in(thread, 64)) {
		disturb(thread);
		return -1;
	}
	/* Enough objects of that kind: what is forgotten lives until the file is closed. */
	if (slot && *slot && !one_in(thread, 32))
		return -1;

	thread->wild = one_in(thread, 4);
	thread->lacks = false;
	thread->picked = NULL;
	fill(thread, &args, &call->shape, 0);
	if (thread->lacks && !one_in(thread, 16)) {
		usleep(100); /* the driver needs the processor, too */
		return -1;
	}

	error = vaccel_ioctl(thread->target->fd, request_of(thread, call), &args);
	if (!error && slot)
		memcpy(slot, &args.bytes[result->offset], sizeof(*slot));
	if (error == ENOENT && !thread->wild && thread->picked)
		*thread->picked = 0;
	*number = (unsigned int)(call - fuzz_calls);
	return error;
}
