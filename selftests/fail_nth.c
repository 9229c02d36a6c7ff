// SPDX-License-Identifier: MIT
/*
 * Every ioctl with each of its allocations and copies of user memory failing, one after
 * the other: it fails cleanly or succeeds, works the next time, and leaks nothing.
 *
 * Needs a kernel with CONFIG_FAULT_INJECTION, its debugfs, FAILSLAB, FAIL_PAGE_ALLOC and
 * FAULT_INJECTION_USERCOPY.
 */
#include "kselftest_harness.h"
#include "vaccel_util.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>

/* No ioctl has so many things that can fail: a sweep that gets there would not end. */
#define MAX_FAULTS 2000

/* Transferred in more than one piece. */
#define LARGE_BYTES (320 * 1024)

static __u8 large[LARGE_BYTES];

/* A file with all that a call needs. */
struct target {
	struct vaccel_session session;
	__u32 large_buf;
	__u32 event;
	__u32 syncobj;
};

/* Faults everywhere, and without a word in the kernel's log. */
static bool faults_enable(void)
{
	static const char *const settings[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_usercopy/verbose", "0" },
	};

	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	for (size_t i = 0; i < ARRAY_COUNT(settings); i++) {
		char path[64];
		ssize_t written;
		int fd;

		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", settings[i][0]);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		written = write(fd, settings[i][1], 1);
		close(fd);
		if (written != 1)
			return false;
	}
	return true;
}

/* Makes the fault number @n that this thread could meet happen. */
static bool arm(int fail_nth, unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	return pwrite(fail_nth, text, length, 0) == length;
}

/*
 * Whether the fault has happened; if not, it will not any more. Both system calls copy
 * user memory and so can meet it themselves.
 */
static bool disarm(int fail_nth)
{
	char left[16] = "";
	bool happened = pread(fail_nth, left, sizeof(left) - 1, 0) > 0 && !atoi(left);

	while (pwrite(fail_nth, "0", 1, 0) < 0)
		;
	return happened;
}

static int with_large_buf(struct target *target)
{
	return vaccel_buf_create(target->session.fd, target->session.ctx, sizeof(large),
				 &target->large_buf);
}

static int submitted(struct target *target)
{
	return vaccel_session_submit(&target->session, &target->event);
}

static int ended(struct target *target)
{
	int error = submitted(target);

	return error ?: vaccel_wait_complete(target->session.fd, target->event);
}

static int with_fence(struct target *target)
{
	struct drm_syncobj_create args = { .flags = DRM_SYNCOBJ_CREATE_SIGNALED };
	int error = vaccel_ioctl(target->session.fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);

	target->syncobj = args.handle;
	return error;
}

static int pending(struct target *target)
{
	return vaccel_session_hold(&target->session, &target->event);
}

static int call_submit_synced(struct target *target);

static int notified(struct target *target)
{
	int error = with_fence(target);

	return error ?: call_submit_synced(target);
}

static int call_open(struct target *target)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->session.fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int call_dev_query(struct target *target)
{
	struct drm_virtio_accel_device_info info;

	return vaccel_query(target->session.fd, &info);
}

static int call_ctx_create(struct target *target)
{
	__u32 ctx;

	return vaccel_ctx_create(target->session.fd, &ctx);
}

static int call_ctx_destroy(struct target *target)
{
	return vaccel_ctx_destroy(target->session.fd, target->session.ctx);
}

static int call_buf_create(struct target *target)
{
	__u32 buf;

	return vaccel_buf_create(target->session.fd, target->session.ctx, 1, &buf);
}

static int call_buf_close(struct target *target)
{
	return vaccel_buf_close(target->session.fd, target->session.buf);
}

static int call_buf_write(struct target *target)
{
	return vaccel_buf_write(target->session.fd, target->session.buf, 0, large, VACCEL_BUF_SIZE);
}

static int call_buf_read(struct target *target)
{
	return vaccel_buf_read(target->session.fd, target->session.buf, 0, large, VACCEL_BUF_SIZE);
}

static int call_buf_write_large(struct target *target)
{
	return vaccel_buf_write(target->session.fd, target->large_buf, 0, large, sizeof(large));
}

static int call_buf_read_large(struct target *target)
{
	return vaccel_buf_read(target->session.fd, target->large_buf, 0, large, sizeof(large));
}

static int call_prog_load(struct target *target)
{
	__u32 prog;

	return vaccel_prog_load(target->session.fd, target->session.ctx,
				vaccel_artifact(VACCEL_BARRIER, 0, VACCEL_NO_SLOT, 0), &prog);
}

static int call_prog_unload(struct target *target)
{
	return vaccel_prog_unload(target->session.fd, target->session.prog);
}

static int call_queue_create(struct target *target)
{
	__u32 queue;

	return vaccel_queue_create(target->session.fd, target->session.ctx, &queue);
}

static int call_queue_destroy(struct target *target)
{
	return vaccel_queue_destroy(target->session.fd, target->session.queue);
}

static int call_submit(struct target *target)
{
	return vaccel_session_submit(&target->session, &target->event);
}

/* The fence of the syncobj is waited for and replaced. */
static int call_submit_synced(struct target *target)
{
	const struct drm_virtio_accel_binding binding = vaccel_xor_binding(&target->session);
	const struct drm_virtio_accel_sync sync = { .handle = target->syncobj };
	struct drm_virtio_accel_submit args = {
		.queue = target->session.queue,
		.program = target->session.prog,
		.bindings = (__u64)(uintptr_t)&binding,
		.binding_count = 1,
		.binding_stride = sizeof(binding),
		.timeout_ns = 1000000000,
		.flags = DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY,
		.sync_stride = sizeof(sync),
		.in_syncs = (__u64)(uintptr_t)&sync,
		.out_syncs = (__u64)(uintptr_t)&sync,
		.in_sync_count = 1,
		.out_sync_count = 1,
	};

	return vaccel_ioctl(target->session.fd, DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &args);
}

static int call_notice_read(struct target *target)
{
	struct drm_virtio_accel_event_done done;
	ssize_t got = read(target->session.fd, &done, sizeof(done));

	return got < 0 ? errno : got == sizeof(done) ? 0 : EIO;
}

static int call_event_wait(struct target *target)
{
	return vaccel_wait_complete(target->session.fd, target->event);
}

static int call_event_cancel(struct target *target)
{
	return vaccel_cancel(target->session.fd, target->event);
}

static int call_event_destroy(struct target *target)
{
	return vaccel_event_destroy(target->session.fd, target->event, 0);
}

static int call_event_detach(struct target *target)
{
	return vaccel_event_destroy(target->session.fd, target->event,
				    DRM_VIRTIO_ACCEL_DESTROY_DETACH);
}

FIXTURE(fail_nth)
{
	int fd;
	int fail_nth;
};

FIXTURE_VARIANT(fail_nth)
{
	int (*prepare)(struct target *target); /* what the call needs besides, or NULL */
	int (*call)(struct target *target);
};

#define SWEEP(name, state) \
	FIXTURE_VARIANT_ADD(fail_nth, name) { .prepare = (state), .call = call_##name }

SWEEP(open, NULL);
SWEEP(dev_query, NULL);
SWEEP(ctx_create, NULL);
SWEEP(ctx_destroy, NULL);
SWEEP(buf_create, NULL);
SWEEP(buf_close, NULL);
SWEEP(buf_write, NULL);
SWEEP(buf_read, NULL);
SWEEP(buf_write_large, with_large_buf);
SWEEP(buf_read_large, with_large_buf);
SWEEP(prog_load, NULL);
SWEEP(prog_unload, NULL);
SWEEP(queue_create, NULL);
SWEEP(queue_destroy, NULL);
SWEEP(submit, NULL);
SWEEP(submit_synced, with_fence);
SWEEP(notice_read, notified);
SWEEP(event_wait, submitted);
SWEEP(event_cancel, pending);
SWEEP(event_destroy, ended);
SWEEP(event_detach, pending);

FIXTURE_SETUP(fail_nth)
{
	self->fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->fail_nth, 0);
	self->fd = vaccel_open();
	ASSERT_GE(self->fd, 0);
	/* A page fault that fails says nothing about the driver. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
}

FIXTURE_TEARDOWN(fail_nth)
{
	close(self->fd);
	close(self->fail_nth);
}

TEST_F_TIMEOUT(fail_nth, sweep, 300)
{
	bool happened = true;
	unsigned int n = 0;

	while (happened && n < MAX_FAULTS) {
		struct target target;
		int error;

		/* Each of the first ones, then some of those that are all alike. */
		n += 1 + n / 32;

		ASSERT_EQ(0, vaccel_session_create_later(vaccel_open(), &target.session));
		ASSERT_EQ(0, variant->prepare ? variant->prepare(&target) : 0);
		ASSERT_TRUE(arm(self->fail_nth, n));
		error = variant->call(&target);
		happened = disarm(self->fail_nth);
		if (happened && error) {
			EXPECT_TRUE(error == ENOMEM || error == EFAULT)
			{
				TH_LOG("fault %u: %s", n, strerror(error));
			}
			error = variant->call(&target);
		}
		EXPECT_EQ(0, error)
		{
			TH_LOG("%s fault %u", happened ? "after" : "without", n);
		}
		close(target.session.fd);
	}
	EXPECT_FALSE(happened);
	EXPECT_LT(1, n);
	TH_LOG("no fault %u", n);
	EXPECT_EQ(0, vaccel_wait_for_contexts(self->fd, 0));
}

/* Nothing can be tested, or all. */
int main(int argc, char **argv)
{
	int fd = vaccel_open();

	if (fd < 0)
		ksft_exit_skip("no virtio-accel device\n");
	if (!vaccel_is_mock(fd))
		ksft_exit_skip("the host does not run the mock provider\n");
	close(fd);
	if (access("/proc/thread-self/fail-nth", W_OK) || !faults_enable())
		ksft_exit_skip("the kernel does not inject faults\n");
	return test_harness_run(argc, argv);
}
