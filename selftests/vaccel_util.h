/* SPDX-License-Identifier: MIT */
/*
 * The ioctls of virtio-accel as functions, and the programs that its mock
 * provider runs, for the tests beside this file.
 *
 * Every function that returns int returns 0 or a positive errno, unless it says
 * otherwise. None retries.
 */
#ifndef VACCEL_UTIL_H
#define VACCEL_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <drm/virtio_accel.h>

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* All that a buffer can be used for. */
#define VACCEL_ANY_USAGE 0x1f

/* An address that is never mapped, and a handle that is never given out. */
#define VACCEL_BAD_ADDR 0xdead000000000000ULL
#define VACCEL_BAD_HANDLE 0x7ffffff0U

/* How many times as long a test shall take: VACCEL_STRESS, or 1. */
int vaccel_times(void);

/* The device file of the first virtio-accel device, or -1 if there is none. */
int vaccel_open(void);

int vaccel_ioctl(int fd, unsigned long request, void *arg);
/* As /proc shows it: 'S' asleep, 'D' so that only a fatal signal wakes it; 0 if unknown. */
char vaccel_process_state(pid_t pid);
int vaccel_query(int fd, struct drm_virtio_accel_device_info *info);
/* The longest timeout of a submission with a fence. */
int vaccel_longest_fence(int fd, __u64 *timeout_ns);
/* Whether the host runs the mock provider, which the programs below are for. */
bool vaccel_is_mock(int fd);

int vaccel_ctx_create(int fd, __u32 *ctx);
int vaccel_ctx_destroy(int fd, __u32 ctx);
int vaccel_buf_create(int fd, __u32 ctx, __u64 size, __u32 *buf);
int vaccel_buf_create_usage(int fd, __u32 ctx, __u64 size, __u32 usage, __u32 *buf);
int vaccel_buf_close(int fd, __u32 buf);
/* Both fail with EIO when the transfer ends early. */
int vaccel_buf_write(int fd, __u32 buf, __u64 offset, const void *data, __u64 size);
int vaccel_buf_read(int fd, __u32 buf, __u64 offset, void *data, __u64 size);

/* The mock provider's artifacts (protocol.md 6.1). */
enum vaccel_op { VACCEL_BARRIER, VACCEL_COPY, VACCEL_FILL, VACCEL_XOR };
#define VACCEL_MOCK_FORMAT 0x56414d4bU
#define VACCEL_MOCK_RESIDENT 64
#define VACCEL_NO_SLOT 0xffffffffU

struct vaccel_artifact {
	__u8 bytes[24];
};

struct vaccel_artifact vaccel_artifact(enum vaccel_op op, __u32 first, __u32 second, __u8 operand);
/* A valid request to load @artifact, which must outlive it. */
struct drm_virtio_accel_prog_load vaccel_load_args(__u32 ctx,
						   const struct vaccel_artifact *artifact);
int vaccel_prog_load(int fd, __u32 ctx, struct vaccel_artifact artifact, __u32 *prog);
int vaccel_prog_unload(int fd, __u32 prog);

int vaccel_queue_create(int fd, __u32 ctx, __u32 *queue);
int vaccel_queue_destroy(int fd, __u32 queue);
int vaccel_submit(int fd, __u32 queue, __u32 prog, const struct drm_virtio_accel_binding *bindings,
		  __u32 count, __u32 *event);

/* Absolute deadlines for vaccel_wait(). */
#define VACCEL_POLL 0
#define VACCEL_FOREVER INT64_MAX
__s64 vaccel_deadline_ms(unsigned int ms);

int vaccel_wait(int fd, struct drm_virtio_accel_event *events, __u32 count, __u32 flags,
		__s64 deadline_ns);
/* Waits for one event, without limit, and fails with EIO unless it is complete. */
int vaccel_wait_complete(int fd, __u32 event);
int vaccel_cancel(int fd, __u32 event);
int vaccel_event_destroy(int fd, __u32 event, __u32 flags);

/* Contexts that can be made in @fd, found by making and destroying them. */
int vaccel_free_contexts(int fd, __u32 *count);
/*
 * Waits until the device has only @in_use contexts. It frees objects in the background;
 * the harness's timeout is what fails a test if it never does. No other process may use
 * the device.
 */
int vaccel_wait_for_contexts(int fd, __u32 in_use);

/* One context with what a submission needs: 64 bytes xor @VACCEL_XOR_OPERAND. */
#define VACCEL_XOR_OPERAND 0x5a
#define VACCEL_XOR_SLOT 7
#define VACCEL_BUF_SIZE 64

struct vaccel_session {
	int fd;
	__u32 ctx;
	__u32 buf;
	__u32 prog;
	__u32 queue;
};

int vaccel_session_create(int fd, struct vaccel_session *session);
/* The same, but waits while the device is full of what it still has to free. */
int vaccel_session_create_later(int fd, struct vaccel_session *session);
struct drm_virtio_accel_binding vaccel_xor_binding(const struct vaccel_session *session);
int vaccel_session_run(const struct vaccel_session *session, __u32 prog, __u32 *event);
int vaccel_session_submit(const struct vaccel_session *session, __u32 *event);
/* A program whose jobs the mock provider keeps pending until they are cancelled. */
int vaccel_barrier_load(const struct vaccel_session *session, __u32 *prog);
/* One such job. */
int vaccel_session_hold(const struct vaccel_session *session, __u32 *event);

#endif /* VACCEL_UTIL_H */
