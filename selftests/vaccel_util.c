// SPDX-License-Identifier: MIT

#include "vaccel_util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>

#define MAX_NODES 64

static __u64 user_addr(const void *pointer)
{
	return (__u64)(uintptr_t)pointer;
}

static bool is_virtio_accel(int fd)
{
	char name[32] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	return !vaccel_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "virtio_accel");
}

int vaccel_times(void)
{
	const char *times = getenv("VACCEL_STRESS");

	return times && atoi(times) > 0 ? atoi(times) : 1;
}

int vaccel_open(void)
{
	for (int node = 0; node < MAX_NODES; node++) {
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/accel/accel%d", node);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (is_virtio_accel(fd))
			return fd;
		close(fd);
	}
	return -1;
}

int vaccel_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? errno : 0;
}

char vaccel_process_state(pid_t pid)
{
	char path[32], line[128] = "";
	const char *after_name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	after_name = strrchr(line, ')');
	return after_name ? after_name[2] : 0;
}

int vaccel_query(int fd, struct drm_virtio_accel_device_info *info)
{
	struct drm_virtio_accel_dev_query query = {
		.type = DRM_VIRTIO_ACCEL_QUERY_DEVICE_INFO,
		.size = sizeof(*info),
		.pointer = user_addr(info),
	};

	return vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_DEV_QUERY, &query);
}

int vaccel_longest_fence(int fd, __u64 *timeout_ns)
{
	struct drm_virtio_accel_device_info info = { 0 };
	int error = vaccel_query(fd, &info);

	*timeout_ns = info.max_fence_timeout_ns;
	return error;
}

bool vaccel_is_mock(int fd)
{
	struct drm_virtio_accel_device_info info = { 0 };

	return !vaccel_query(fd, &info) &&
	       !memcmp(info.uuid, "virtio-accelmock", sizeof(info.uuid));
}

int vaccel_ctx_create(int fd, __u32 *ctx)
{
	struct drm_virtio_accel_ctx_create args = { 0 };
	int error = vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_CTX_CREATE, &args);

	*ctx = args.handle;
	return error;
}

int vaccel_ctx_destroy(int fd, __u32 ctx)
{
	struct drm_virtio_accel_ctx_destroy args = { .handle = ctx };

	return vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_CTX_DESTROY, &args);
}

int vaccel_buf_create(int fd, __u32 ctx, __u64 size, __u32 *buf)
{
	return vaccel_buf_create_usage(fd, ctx, size, VACCEL_ANY_USAGE, buf);
}

int vaccel_buf_create_usage(int fd, __u32 ctx, __u64 size, __u32 usage, __u32 *buf)
{
	struct drm_virtio_accel_buf_create args = {
		.ctx = ctx,
		.domain = DRM_VIRTIO_ACCEL_DOMAIN_SHARED,
		.usage = usage,
		.size = size,
		.alignment = 16,
	};
	int error = vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_CREATE, &args);

	*buf = args.handle;
	return error;
}

int vaccel_buf_close(int fd, __u32 buf)
{
	struct drm_gem_close args = { .handle = buf };

	return vaccel_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static int transfer(int fd, unsigned long request, __u32 buf, __u64 offset, const void *data,
		    __u64 size)
{
	struct drm_virtio_accel_buf_transfer args = {
		.handle = buf,
		.offset = offset,
		.size = size,
		.addr = user_addr(data),
	};
	int error = vaccel_ioctl(fd, request, &args);

	if (!error && args.done != size)
		return EIO;
	return error;
}

int vaccel_buf_write(int fd, __u32 buf, __u64 offset, const void *data, __u64 size)
{
	return transfer(fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE, buf, offset, data, size);
}

int vaccel_buf_read(int fd, __u32 buf, __u64 offset, void *data, __u64 size)
{
	return transfer(fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_READ, buf, offset, data, size);
}

static void put_le32(__u8 *to, __u32 value)
{
	for (int byte = 0; byte < 4; byte++)
		to[byte] = (__u8)(value >> (8 * byte));
}

struct vaccel_artifact vaccel_artifact(enum vaccel_op op, __u32 first, __u32 second, __u8 operand)
{
	struct vaccel_artifact artifact = { "VAMK" };

	artifact.bytes[4] = 1; /* version */
	artifact.bytes[6] = (__u8)op;
	artifact.bytes[7] = 1; /* version of the binding ABI */
	put_le32(&artifact.bytes[8], first);
	put_le32(&artifact.bytes[12], second);
	artifact.bytes[16] = operand;
	return artifact;
}

struct drm_virtio_accel_prog_load vaccel_load_args(__u32 ctx,
						   const struct vaccel_artifact *artifact)
{
	return (struct drm_virtio_accel_prog_load){
		.ctx = ctx,
		.format = VACCEL_MOCK_FORMAT,
		.target = { VACCEL_MOCK_FORMAT, 0x00010000, 0x54455354, 0x4f4e4c59 },
		.artifact_addr = user_addr(artifact->bytes),
		.artifact_size = sizeof(artifact->bytes),
		.resident_bytes = VACCEL_MOCK_RESIDENT,
	};
}

int vaccel_prog_load(int fd, __u32 ctx, struct vaccel_artifact artifact, __u32 *prog)
{
	struct drm_virtio_accel_prog_load args = vaccel_load_args(ctx, &artifact);
	int error = vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD, &args);

	*prog = args.handle;
	return error;
}

int vaccel_prog_unload(int fd, __u32 prog)
{
	struct drm_virtio_accel_prog_unload args = { .handle = prog };

	return vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_PROG_UNLOAD, &args);
}

int vaccel_queue_create(int fd, __u32 ctx, __u32 *queue)
{
	struct drm_virtio_accel_queue_create args = { .ctx = ctx };
	int error = vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_QUEUE_CREATE, &args);

	*queue = args.handle;
	return error;
}

int vaccel_queue_destroy(int fd, __u32 queue)
{
	struct drm_virtio_accel_queue_destroy args = { .handle = queue };

	return vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_QUEUE_DESTROY, &args);
}

int vaccel_submit(int fd, __u32 queue, __u32 prog, const struct drm_virtio_accel_binding *bindings,
		  __u32 count, __u32 *event)
{
	struct drm_virtio_accel_submit args = {
		.queue = queue,
		.program = prog,
		.bindings = user_addr(bindings),
		.binding_count = count,
		.binding_stride = sizeof(*bindings),
	};
	int error = vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &args);

	*event = args.event;
	return error;
}

__s64 vaccel_deadline_ms(unsigned int ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec + ms * 1000000LL;
}

int vaccel_wait(int fd, struct drm_virtio_accel_event *events, __u32 count, __u32 flags,
		__s64 deadline_ns)
{
	struct drm_virtio_accel_event_wait args = {
		.events = user_addr(events),
		.count = count,
		.flags = flags,
		.deadline_ns = deadline_ns,
	};

	return vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_EVENT_WAIT, &args);
}

int vaccel_wait_complete(int fd, __u32 event)
{
	struct drm_virtio_accel_event state = { .handle = event };
	int error = vaccel_wait(fd, &state, 1, 0, VACCEL_FOREVER);

	if (!error && state.state != DRM_VIRTIO_ACCEL_EVENT_COMPLETE)
		return EIO;
	return error;
}

int vaccel_cancel(int fd, __u32 event)
{
	struct drm_virtio_accel_event_cancel args = { .handle = event };

	return vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_EVENT_CANCEL, &args);
}

int vaccel_event_destroy(int fd, __u32 event, __u32 flags)
{
	struct drm_virtio_accel_event_destroy args = { .handle = event, .flags = flags };

	return vaccel_ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_EVENT_DESTROY, &args);
}

int vaccel_free_contexts(int fd, __u32 *count)
{
	__u32 ctx[1024];
	int error = 0;

	for (*count = 0; *count < ARRAY_COUNT(ctx); ++*count) {
		error = vaccel_ctx_create(fd, &ctx[*count]);
		if (error)
			break;
	}
	for (__u32 i = 0; i < *count; i++)
		vaccel_ctx_destroy(fd, ctx[i]);
	return error == ENOSPC ? 0 : error;
}

int vaccel_wait_for_contexts(int fd, __u32 in_use)
{
	struct drm_virtio_accel_device_info info;
	int error = vaccel_query(fd, &info);
	__u32 count = 0;

	while (!error && count < info.max_contexts - in_use)
		error = vaccel_free_contexts(fd, &count);
	return error || count == info.max_contexts - in_use ? error : EIO;
}

int vaccel_session_create(int fd, struct vaccel_session *session)
{
	struct vaccel_artifact xor =
		vaccel_artifact(VACCEL_XOR, VACCEL_XOR_SLOT, VACCEL_NO_SLOT, VACCEL_XOR_OPERAND);
	int error;

	*session = (struct vaccel_session){ .fd = fd };
	error = vaccel_ctx_create(fd, &session->ctx);
	if (!error)
		error = vaccel_buf_create(fd, session->ctx, VACCEL_BUF_SIZE, &session->buf);
	if (!error)
		error = vaccel_prog_load(fd, session->ctx, xor, &session->prog);
	if (!error)
		error = vaccel_queue_create(fd, session->ctx, &session->queue);
	return error;
}

int vaccel_session_create_later(int fd, struct vaccel_session *session)
{
	int error = vaccel_session_create(fd, session);

	while (error == ENOSPC) {
		vaccel_ctx_destroy(fd, session->ctx);
		error = vaccel_session_create(fd, session);
	}
	return error;
}

struct drm_virtio_accel_binding vaccel_xor_binding(const struct vaccel_session *session)
{
	return (struct drm_virtio_accel_binding){
		.buffer = session->buf,
		.slot = VACCEL_XOR_SLOT,
		.access = DRM_VIRTIO_ACCEL_ACCESS_READ_WRITE,
		.size = VACCEL_BUF_SIZE,
	};
}

int vaccel_session_run(const struct vaccel_session *session, __u32 prog, __u32 *event)
{
	struct drm_virtio_accel_binding binding = vaccel_xor_binding(session);

	return vaccel_submit(session->fd, session->queue, prog, &binding, 1, event);
}

int vaccel_session_submit(const struct vaccel_session *session, __u32 *event)
{
	return vaccel_session_run(session, session->prog, event);
}

int vaccel_barrier_load(const struct vaccel_session *session, __u32 *prog)
{
	struct vaccel_artifact barrier =
		vaccel_artifact(VACCEL_BARRIER, VACCEL_XOR_SLOT, VACCEL_NO_SLOT, 0);

	return vaccel_prog_load(session->fd, session->ctx, barrier, prog);
}

int vaccel_session_hold(const struct vaccel_session *session, __u32 *event)
{
	__u32 prog;
	int error = vaccel_barrier_load(session, &prog);

	if (error)
		return error;
	error = vaccel_session_run(session, prog, event);
	vaccel_prog_unload(session->fd, prog); /* the event keeps it */
	return error;
}
