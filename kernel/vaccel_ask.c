// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the device is asked about an event when it is due, and what it means by
 * the answer.
 *
 * Work with a time limit ends in finite time: long after the limit it is
 * cancelled, and long after that its event ends without the device.
 */
#include <linux/ktime.h>

#include "vaccel_drv.h"
#include "vaccel_trace.h"

/* How long after the time limit until CANCEL_EVENT, and from there until the end. */
#define VACCEL_ASK_GRACE	(1 * NSEC_PER_SEC)

static bool vaccel_ask_overdue(const struct vaccel_event *event, s64 grace)
{
	s64 age = ktime_sub(ktime_get(), event->accepted);

	return event->timeout_ns && age > grace && age - grace > event->timeout_ns;
}

static bool vaccel_ask_wanted(const struct vaccel_event *event)
{
	return event->doomed || vaccel_object_orphaned(&event->obj);
}

/* Whether to send CANCEL_EVENT: somebody wants it, nobody can see the end, or it is overdue. */
bool vaccel_ask_cancels_locked(const struct vaccel_event *event)
{
	if (event->phase != VACCEL_EVENT_PENDING || event->cancelled ||
	    !vaccel_event_cancellable(event))
		return false;
	return vaccel_ask_wanted(event) || vaccel_ask_overdue(event, VACCEL_ASK_GRACE);
}

/* The requests to post next for an event, referenced. */
struct vaccel_ask_next {
	struct vaccel_request *request;
	struct vaccel_request *cancel;
};

static struct vaccel_ask_next vaccel_ask_next(struct vaccel_event *event)
{
	struct vaccel_poller *poller = &event->obj.dev->poller;
	struct vaccel_ask_next next = {};
	unsigned long flags;

	spin_lock_irqsave(&poller->lock, flags);
	if (event->phase == VACCEL_EVENT_PENDING || event->phase == VACCEL_EVENT_RELEASING) {
		bool release = event->phase == VACCEL_EVENT_RELEASING;

		next.request = event->request;
		vaccel_request_get(next.request);
		if (vaccel_ask_cancels_locked(event)) {
			event->cancelled = true;
			event->overdue = !vaccel_ask_wanted(event);
			next.cancel = event->cancel;
			vaccel_request_get(next.cancel);
			vaccel_request_again(next.cancel, VIRTIO_ACCEL_OP_CANCEL_EVENT, 0);
		}
		vaccel_request_again(next.request, release ? VIRTIO_ACCEL_OP_DESTROY_EVENT :
							     VIRTIO_ACCEL_OP_POLL_EVENT,
				     release ? 0 : sizeof(struct virtio_accel_event_state));
	}
	spin_unlock_irqrestore(&poller->lock, flags);
	return next;
}

static int vaccel_ask_post(struct vaccel_request *req)
{
	int ret = vaccel_vq_try_post(req);

	vaccel_request_put(req);
	return ret;
}

/**
 * vaccel_ask() - post what an event needs next
 * @event: event that is marked as asked; the caller has a reference
 *
 * What cannot be posted now is tried again later, unless the device is lost.
 *
 * Context: process context; the caller owes a kick.
 */
void vaccel_ask(struct vaccel_event *event)
{
	struct vaccel_poller *poller = &event->obj.dev->poller;
	struct vaccel_ask_next next = vaccel_ask_next(event);
	bool uncancelled = next.cancel && vaccel_ask_post(next.cancel);
	int ret = next.request ? vaccel_ask_post(next.request) : -ENODEV;
	unsigned long flags;

	spin_lock_irqsave(&poller->lock, flags);
	if (uncancelled)
		event->cancelled = false;
	/* The device can have answered by now: then the event is not ours any more. */
	if (ret == -EAGAIN && event->phase != VACCEL_EVENT_ENDED)
		vaccel_poll_again_locked(event);
	else if (ret)
		vaccel_poll_done_locked(event);
	spin_unlock_irqrestore(&poller->lock, flags);
}

/* What an answer to POLL_EVENT or DESTROY_EVENT means. */
enum vaccel_verdict {
	VACCEL_ASK_LATER,
	VACCEL_ASK_NOW,			/* the event stays marked as asked */
	VACCEL_END,			/* as event->state and event->status say */
	VACCEL_IGNORE,			/* it has ended meanwhile */
};

static enum vaccel_verdict vaccel_ask_conclude(struct vaccel_event *event, u16 state, u16 status,
					       enum vaccel_verdict verdict)
{
	event->state = state;
	event->status = status;
	trace_vaccel_event(READ_ONCE(event->obj.id), state, status,
			   ktime_sub(event->answered, event->accepted));
	return verdict;
}

static enum vaccel_verdict vaccel_ask_judge(struct vaccel_event *event,
					    const struct vaccel_request *req)
{
	const struct vaccel_reply *reply = &req->reply;

	lockdep_assert_held(&event->obj.dev->poller.lock);
	if (event->phase == VACCEL_EVENT_ENDED)
		return VACCEL_IGNORE;
	/* If the device did not destroy it, the reaper will try again. */
	if (event->phase == VACCEL_EVENT_RELEASING)
		return VACCEL_END;

	event->answers++;
	event->answered = ktime_get();
	event->poll_error = vaccel_status_errno(reply->status);
	if (!event->poll_error && reply->state != VIRTIO_ACCEL_EVENT_PENDING) {
		event->phase = VACCEL_EVENT_RELEASING;
		if (event->overdue && reply->state == VIRTIO_ACCEL_EVENT_CANCELLED)
			return vaccel_ask_conclude(event, VIRTIO_ACCEL_EVENT_FAILED,
						   VIRTIO_ACCEL_S_DEADLINE_EXPIRED, VACCEL_ASK_NOW);
		return vaccel_ask_conclude(event, reply->state, reply->error, VACCEL_ASK_NOW);
	}
	if (!event->poll_error)
		event->ran_ns = ktime_sub(req->posted, event->accepted);
	if (reply->status == VIRTIO_ACCEL_S_STALE_OBJECT)
		return vaccel_ask_conclude(event, VIRTIO_ACCEL_EVENT_FAILED, reply->status,
					   VACCEL_END);
	if (vaccel_ask_overdue(event, 2 * VACCEL_ASK_GRACE)) {
		/* The device still has it. Nobody knows what else of the context is stuck. */
		WRITE_ONCE(event->obj.ctx->banned, true);
		return vaccel_ask_conclude(event, VIRTIO_ACCEL_EVENT_FAILED,
					   VIRTIO_ACCEL_S_DEADLINE_EXPIRED, VACCEL_END);
	}
	vaccel_wait_wake_locked(event, !event->poll_error);
	return VACCEL_ASK_LATER;
}

/**
 * vaccel_ask_returned() - the device has answered: the hook of vaccel_event.request
 * @req: request
 * @error: -EIO or -ENODEV if there is no answer; then the device is lost
 *
 * Context: process context, from vaccel_vq_answers(), which kicks.
 */
void vaccel_ask_returned(struct vaccel_request *req, int error)
{
	struct vaccel_event *event = to_event(req->object);
	struct vaccel_poller *poller = &event->obj.dev->poller;
	bool signalling = dma_fence_begin_signalling();
	enum vaccel_verdict verdict = VACCEL_IGNORE;
	unsigned long flags;

	if (!error && req->reply.status == VIRTIO_ACCEL_S_STALE_OBJECT)
		vaccel_object_forget(&event->obj);
	spin_lock_irqsave(&poller->lock, flags);
	if (!error)
		verdict = vaccel_ask_judge(event, req);
	if (verdict == VACCEL_ASK_LATER)
		vaccel_poll_again_locked(event);
	else if (verdict != VACCEL_ASK_NOW)
		vaccel_poll_done_locked(event);
	spin_unlock_irqrestore(&poller->lock, flags);

	if (verdict == VACCEL_ASK_NOW)
		vaccel_ask(event);
	else if (verdict == VACCEL_END)
		vaccel_event_end(event, event->state, event->status, 0);
	dma_fence_end_signalling(signalling);
}

/* CANCEL_EVENT has been answered: what was refused is tried again with a later poll. */
void vaccel_ask_cancelled(struct vaccel_request *req, int error)
{
	struct vaccel_event *event = to_event(req->object);
	struct vaccel_poller *poller = &event->obj.dev->poller;
	unsigned long flags;

	if (error || req->reply.status == VIRTIO_ACCEL_S_OK)
		return;
	spin_lock_irqsave(&poller->lock, flags);
	event->cancelled = false;
	event->refused = true;
	spin_unlock_irqrestore(&poller->lock, flags);
}
