/* SPDX-License-Identifier: MIT */
/*
 * Submissions with all their options, and syncobjs and sync_files, for the tests
 * beside this file. Functions that return int return 0 or a positive errno, as in
 * vaccel_util.h.
 */
#ifndef VACCEL_SYNC_H
#define VACCEL_SYNC_H

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include <linux/sync_file.h>

#include "vaccel_util.h"

static inline __u64 vaccel_addr(const void *pointer)
{
	return (__u64)(uintptr_t)pointer;
}

/* One submission of one binding, to be changed at will before vaccel_job_submit(). */
struct vaccel_job {
	const struct vaccel_session *session;
	struct drm_virtio_accel_binding binding;
	struct drm_virtio_accel_sync in[1];
	struct drm_virtio_accel_sync out[1];
	struct drm_virtio_accel_submit args;
};

/* A submission of the session's xor program, without syncs. */
static inline struct vaccel_job vaccel_job(const struct vaccel_session *session)
{
	return (struct vaccel_job){
		.session = session,
		.binding = vaccel_xor_binding(session),
		.args = { .queue = session->queue,
			  .program = session->prog,
			  .binding_count = 1,
			  .binding_stride = sizeof(struct drm_virtio_accel_binding) },
	};
}

/* Its addresses are those of @job, unless the caller has set others. */
static inline int vaccel_job_submit(struct vaccel_job *job)
{
	struct drm_virtio_accel_submit *args = &job->args;

	if (!args->bindings)
		args->bindings = vaccel_addr(&job->binding);
	if (!args->in_syncs && args->in_sync_count)
		args->in_syncs = vaccel_addr(job->in);
	if (!args->out_syncs && args->out_sync_count)
		args->out_syncs = vaccel_addr(job->out);
	return vaccel_ioctl(job->session->fd, DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, args);
}

static inline void vaccel_job_in(struct vaccel_job *job, __u32 syncobj, __u64 point)
{
	job->in[0] = (struct drm_virtio_accel_sync){ .handle = syncobj, .point = point };
	job->args.in_sync_count = 1;
	job->args.sync_stride = sizeof(job->in[0]);
}

static inline void vaccel_job_out(struct vaccel_job *job, __u32 syncobj, __u64 point,
				  __u64 timeout_ns)
{
	job->out[0] = (struct drm_virtio_accel_sync){ .handle = syncobj, .point = point };
	job->args.out_sync_count = 1;
	job->args.sync_stride = sizeof(job->out[0]);
	job->args.timeout_ns = timeout_ns;
}

/* A job that ends by cancellation or by its timeout, and then signals @syncobj. */
static inline int vaccel_hold(const struct vaccel_session *session, __u32 syncobj, __u64 point,
			      __u64 timeout_ns, __u32 *event)
{
	struct vaccel_job job = vaccel_job(session);
	int error = vaccel_barrier_load(session, &job.args.program);

	if (error)
		return error;
	vaccel_job_out(&job, syncobj, point, timeout_ns);
	error = vaccel_job_submit(&job);
	*event = job.args.event;
	vaccel_prog_unload(session->fd, job.args.program); /* the event keeps it */
	return error;
}

/* The state of an event, without waiting for it to change, or a negative errno. */
static inline int vaccel_state(int fd, __u32 handle)
{
	struct drm_virtio_accel_event event = { .handle = handle };
	int error = vaccel_wait(fd, &event, 1, 0, VACCEL_POLL);

	return error && error != ETIME ? -error : (int)event.state;
}

static inline int syncobj_create(int fd, __u32 *handle)
{
	struct drm_syncobj_create args = { 0 };
	int error = vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);

	*handle = args.handle;
	return error;
}

static inline int syncobj_destroy(int fd, __u32 handle)
{
	struct drm_syncobj_destroy args = { .handle = handle };

	return vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
}

static inline int syncobj_wait(int fd, __u32 handle, __s64 deadline_ns)
{
	struct drm_syncobj_wait args = {
		.handles = vaccel_addr(&handle),
		.count_handles = 1,
		.timeout_nsec = deadline_ns,
	};

	return vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

static inline int syncobj_timeline_wait(int fd, __u32 handle, __u64 point, __s64 deadline_ns)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = vaccel_addr(&handle),
		.points = vaccel_addr(&point),
		.count_handles = 1,
		.timeout_nsec = deadline_ns,
	};

	return vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

/* The last point of a timeline that has signalled. */
static inline int syncobj_query(int fd, __u32 handle, __u64 *point)
{
	struct drm_syncobj_timeline_array args = {
		.handles = vaccel_addr(&handle),
		.points = vaccel_addr(point),
		.count_handles = 1,
	};

	return vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_QUERY, &args);
}

static inline int syncobj_eventfd(int fd, __u32 handle, __u64 point, int eventfd)
{
	struct drm_syncobj_eventfd args = { .handle = handle, .point = point, .fd = eventfd };

	return vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_EVENTFD, &args);
}

/* Makes @point of a timeline one that signals as soon as those before it have. */
static inline int syncobj_timeline_signal(int fd, __u32 handle, __u64 point)
{
	struct drm_syncobj_timeline_array args = {
		.handles = vaccel_addr(&handle),
		.points = vaccel_addr(&point),
		.count_handles = 1,
	};

	return vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &args);
}

/* A point of a timeline that signals, without an error, when @syncobj does. */
#define GATE_POINT 2

static inline int syncobj_gate(int fd, __u32 syncobj, __u32 *gate)
{
	struct drm_syncobj_transfer args = { .src_handle = syncobj, .dst_point = GATE_POINT - 1 };
	int error = syncobj_create(fd, gate);

	args.dst_handle = *gate;
	if (!error)
		error = vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &args);
	return error ?: syncobj_timeline_signal(fd, *gate, GATE_POINT);
}

/* A sync_file of the fence that is in a syncobj now, or -1. */
static inline int syncobj_export(int fd, __u32 handle)
{
	struct drm_syncobj_handle args = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
		.fd = -1,
	};

	return vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args) ? -1 : args.fd;
}

static inline int syncobj_import(int fd, __u32 handle, int sync_file)
{
	struct drm_syncobj_handle args = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
		.fd = sync_file,
	};

	return vaccel_ioctl(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);
}

/* 0: not signalled, 1: signalled, or the negative errno that it signalled with. */
static inline int sync_file_status(int sync_file)
{
	struct sync_file_info info = { 0 };

	return ioctl(sync_file, SYNC_IOC_FILE_INFO, &info) ? -EBADF : info.status;
}

/* The same, after it has signalled: the harness's timeout is what ends a wait for ever. */
static inline int sync_file_wait(int sync_file)
{
	struct pollfd ready = { .fd = sync_file, .events = POLLIN };

	while (poll(&ready, 1, -1) < 0 && errno == EINTR)
		;
	return sync_file_status(sync_file);
}

#endif /* VACCEL_SYNC_H */
