/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Submissions, from acceptance to end, and how userspace learns of it.
 */
#ifndef _VACCEL_EVENT_H
#define _VACCEL_EVENT_H

#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/virtio_accel.h>

#include "vaccel_object.h"

struct vaccel_request;

/*
 * struct vaccel_poller - asks the device for the state of pending events
 */
struct vaccel_poller {
	spinlock_t lock;		/* guards what names it, here and elsewhere */
	struct list_head events;	/* lock: struct vaccel_event, until they end */
	struct list_head clients;	/* lock: struct vaccel_client, whose turn is next */
	struct hrtimer timer;		/* lock: the first event that is due */
	struct work_struct work;
	struct workqueue_struct *wq;
};

enum vaccel_phase {
	VACCEL_EVENT_NEW,		/* nothing asked of the device yet */
	VACCEL_EVENT_SUBMITTED,		/* SUBMIT is with the device */
	VACCEL_EVENT_PENDING,		/* accepted */
	VACCEL_EVENT_RELEASING,		/* ended, being destroyed on the device */
	VACCEL_EVENT_ENDED,		/* and everybody was told */
};

/*
 * struct vaccel_event - a submission
 *
 * The poller holds a reference while the event is in vaccel_poller.events. All
 * that it takes to end the event is allocated before it begins.
 */
struct vaccel_event {
	struct vaccel_object obj;
	u64 timeout_ns;			/* 0 is no limit */
	unsigned int nheld;
	struct vaccel_object **held;	/* queue, program and buffers, referenced */

	/* poller.lock guards all of this. */
	enum vaccel_phase phase;
	u16 state;			/* VIRTIO_ACCEL_EVENT_*, from RELEASING on */
	u16 status;			/* why it FAILED */
	int gone;			/* why the state will never be known */
	int poll_error;			/* why the last POLL_EVENT failed */
	bool asked;			/* @request is with the device */
	bool doomed;			/* CANCEL_EVENT is to be sent */
	bool cancelled;			/* CANCEL_EVENT was sent */
	bool overdue;			/* and nobody but the driver wanted it */
	bool refused;			/* CANCEL_EVENT, once */
	unsigned int watchers;		/* who wants to know soon */
	u64 answers;			/* to POLL_EVENT */
	ktime_t accepted;
	ktime_t answered;		/* the last time */
	u64 ran_ns;			/* at least: it was pending when last asked for */
	ktime_t due;
	bool due_watched;		/* which vaccel_client.due it is in */
	struct rb_node due_node;	/* in there unless asked */
	struct list_head node;		/* in vaccel_poller.events */
	struct list_head waiters;	/* struct vaccel_waiter */
	struct vaccel_request *request;	/* POLL_EVENT, then DESTROY_EVENT */
	struct vaccel_request *cancel;	/* CANCEL_EVENT */
	struct vaccel_fence *fence;	/* reference, or NULL */
	struct vaccel_notice *notice;	/* or NULL */

	/* In-syncs, and the command that waits for them: vaccel_sync.c. */
	struct vaccel_request *submit;
	struct vaccel_dep *deps;
	unsigned int ndeps;
	atomic_t deps_left;
	struct work_struct ready;
};

#define to_event(obj_)		container_of(obj_, struct vaccel_event, obj)

/* vaccel_event.c */
struct vaccel_event *vaccel_event_new(struct vaccel_context *ctx, unsigned int nheld);
int vaccel_event_prepare(struct vaccel_event *event);
void vaccel_event_discard(struct vaccel_event *event);
enum vaccel_phase vaccel_event_phase(struct vaccel_event *event);
bool vaccel_event_begin(struct vaccel_event *event);
void vaccel_event_submitted(struct vaccel_request *req, int error);
void vaccel_event_track(struct vaccel_event *event);
void vaccel_event_end(struct vaccel_event *event, u16 state, u16 status, int gone);
void vaccel_event_drop(struct vaccel_event *event);
bool vaccel_event_cancellable(const struct vaccel_event *event);
void vaccel_event_abandon(struct vaccel_event *event);

/* vaccel_poll.c */
int vaccel_poll_init(struct vaccel_device *dev);
void vaccel_poll_fini(struct vaccel_device *dev);
void vaccel_poll_lose(struct vaccel_device *dev, u32 epoch);
void vaccel_poll_close(struct vaccel_context *ctx);
void vaccel_poll_begin_locked(struct vaccel_event *event);
void vaccel_poll_end_locked(struct vaccel_event *event);
void vaccel_poll_watch_locked(struct vaccel_event *event);
void vaccel_poll_now_locked(struct vaccel_event *event);
void vaccel_poll_again_locked(struct vaccel_event *event);
void vaccel_poll_done_locked(struct vaccel_event *event);

/* vaccel_ask.c */
bool vaccel_ask_cancels_locked(const struct vaccel_event *event);
void vaccel_ask(struct vaccel_event *event);
void vaccel_ask_returned(struct vaccel_request *req, int error);
void vaccel_ask_cancelled(struct vaccel_request *req, int error);

/* vaccel_fence.c */
u64 vaccel_fence_max_timeout(void);
struct vaccel_fence *vaccel_fence_new(struct vaccel_event *event);
struct dma_fence *vaccel_fence_base(struct vaccel_fence *fence);
void vaccel_fence_end_locked(struct vaccel_fence *fence);
void vaccel_fence_signal(struct vaccel_fence *fence, int error);

/* vaccel_notice.c */
int vaccel_notice_reserve(struct vaccel_event *event, struct drm_file *filp, u64 user_data);
void vaccel_notice_name(struct vaccel_notice *notice, u32 handle);
void vaccel_notice_cancel(struct vaccel_device *dev, struct vaccel_notice *notice);
void vaccel_notice_send(struct vaccel_device *dev, struct vaccel_notice *notice,
			u16 state, u16 status);

/* vaccel_sync.c */
struct vaccel_outs {
	unsigned int count;
	struct vaccel_out *outs;
};

int vaccel_outs_prepare(struct vaccel_outs *outs, struct drm_file *filp,
			const struct drm_virtio_accel_submit *args);
void vaccel_outs_publish(struct vaccel_outs *outs, struct dma_fence *fence);
void vaccel_outs_fini(struct vaccel_outs *outs);
int vaccel_deps_prepare(struct vaccel_event *event, struct drm_file *filp,
			const struct drm_virtio_accel_submit *args);
void vaccel_deps_arm(struct vaccel_event *event, struct vaccel_request *submit);
void vaccel_deps_forget(struct vaccel_event *event);
void vaccel_deps_fini(struct vaccel_event *event);

/* vaccel_wait.c */
void vaccel_wait_wake_locked(struct vaccel_event *event, bool answer);

#endif /* _VACCEL_EVENT_H */
