// SPDX-License-Identifier: GPL-2.0-only
/*
 * The poller: the device tells nothing by itself, so it is asked.
 *
 * Each pending event is due at some time. One timer runs for the first of all,
 * and one work asks for all that are due, a client after the other, with a single
 * notification. The pauses grow with the age of an event, so that a long job costs
 * few polls and its end is seen late by a small part of its length. Who watches an
 * event makes the pauses short.
 *
 * Fences depend on all of this: nothing here allocates or waits for userspace.
 */
#include <linux/ktime.h>

#include "vaccel_compat.h"
#include "vaccel_drv.h"
#include "vaccel_trace.h"

/* A pause is this part of the age of the event, within limits. */
#define VACCEL_POLL_PART	8
#define VACCEL_POLL_MIN		(50 * NSEC_PER_USEC)
#define VACCEL_POLL_MAX		(50 * NSEC_PER_MSEC)
/* Nobody watches, but what the event holds becomes free. */
#define VACCEL_POLL_IDLE	(1 * NSEC_PER_SEC)
/* The timer can be late by this part of a pause. */
#define VACCEL_POLL_SLACK	10
/* Events of one client that the device is asked about at the same time. */
#define VACCEL_POLL_SHARE	4
/* How fast the guess of a program's usual time follows runs that take longer. */
#define VACCEL_RUN_PART		8

static struct vaccel_client *vaccel_poll_client(const struct vaccel_event *event)
{
	return event->obj.ctx->client;
}

static struct vaccel_poller *vaccel_event_poller(const struct vaccel_event *event)
{
	return &event->obj.dev->poller;
}

static struct vaccel_event *vaccel_poll_first(const struct vaccel_client *client, bool watched)
{
	struct rb_node *node = rb_first_cached(&client->due[watched]);

	return rb_entry_safe(node, struct vaccel_event, due_node);
}

/* When a client is to be asked about an event. */
static ktime_t vaccel_poll_first_due(const struct vaccel_client *client)
{
	const struct vaccel_event *watched = vaccel_poll_first(client, true);
	const struct vaccel_event *other = vaccel_poll_first(client, false);

	if (client->asked >= VACCEL_POLL_SHARE)
		return KTIME_MAX;
	return min(watched ? watched->due : KTIME_MAX, other ? other->due : KTIME_MAX);
}

/* The event that is due, those first that somebody watches; or NULL. */
static struct vaccel_event *vaccel_poll_first_at(const struct vaccel_client *client, ktime_t now)
{
	struct vaccel_event *watched = vaccel_poll_first(client, true);

	if (vaccel_poll_first_due(client) > now)
		return NULL;
	return watched && watched->due <= now ? watched : vaccel_poll_first(client, false);
}

static bool vaccel_poll_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct vaccel_event, due_node)->due <
	       rb_entry(b, struct vaccel_event, due_node)->due;
}

static ktime_t vaccel_poll_pause(const struct vaccel_event *event, ktime_t now)
{
	s64 part = ktime_sub(now, event->accepted) / VACCEL_POLL_PART;

	if (!event->watchers)
		return clamp(part, VACCEL_POLL_MAX, VACCEL_POLL_IDLE);
	return clamp(part, VACCEL_POLL_MIN, VACCEL_POLL_MAX);
}

/* The first poll comes when half of the usual time of the program is over. */
static ktime_t vaccel_poll_due(const struct vaccel_event *event)
{
	u64 half = to_program(event->held[1])->run_ns / 2;

	if (vaccel_ask_cancels_locked(event) && !event->refused)
		return ktime_get();
	if (event->answers)
		return ktime_add(event->answered, vaccel_poll_pause(event, event->answered));
	if (!event->watchers)
		return ktime_add(event->accepted, VACCEL_POLL_MAX);
	return ktime_add(event->accepted, clamp(half, VACCEL_POLL_MIN, VACCEL_POLL_MAX));
}

static void vaccel_poll_unqueue_locked(struct vaccel_event *event)
{
	struct vaccel_client *client = vaccel_poll_client(event);

	if (RB_EMPTY_NODE(&event->due_node))
		return;
	rb_erase_cached(&event->due_node, &client->due[event->due_watched]);
	RB_CLEAR_NODE(&event->due_node);
	if (RB_EMPTY_ROOT(&client->due[false].rb_root) &&
	    RB_EMPTY_ROOT(&client->due[true].rb_root))
		list_del_init(&client->turn);
}

/* See to it that the work runs when the first event is due. */
static void vaccel_poll_arm_locked(struct vaccel_poller *poller)
{
	ktime_t now = ktime_get();
	ktime_t first = KTIME_MAX;
	struct vaccel_client *client;

	list_for_each_entry(client, &poller->clients, turn)
		first = min(first, vaccel_poll_first_due(client));

	if (first <= now)
		queue_work(poller->wq, &poller->work);
	else if (first < KTIME_MAX)
		hrtimer_start_range_ns(&poller->timer, first,
				       (first - now) / VACCEL_POLL_SLACK, HRTIMER_MODE_ABS);
}

static void vaccel_poll_queue_locked(struct vaccel_event *event, ktime_t due)
{
	struct vaccel_poller *poller = vaccel_event_poller(event);
	struct vaccel_client *client = vaccel_poll_client(event);

	lockdep_assert_held(&poller->lock);
	event->due = due;
	event->due_watched = event->watchers;
	rb_add_cached(&event->due_node, &client->due[event->due_watched], vaccel_poll_before);
	if (list_empty(&client->turn))
		list_add_tail(&client->turn, &poller->clients);
	vaccel_poll_arm_locked(poller);
}

/* Never later than it is due already. */
static void vaccel_poll_pull_locked(struct vaccel_event *event, ktime_t due)
{
	if (RB_EMPTY_NODE(&event->due_node))
		return;
	vaccel_poll_unqueue_locked(event);
	vaccel_poll_queue_locked(event, min(event->due, due));
}

/**
 * vaccel_poll_begin_locked() - begin to ask for the state of an event
 * @event: event that the device has just accepted
 *
 * Context: any, with poller.lock held.
 */
void vaccel_poll_begin_locked(struct vaccel_event *event)
{
	event->phase = VACCEL_EVENT_PENDING;
	event->accepted = ktime_get();
	atomic64_inc(&vaccel_poll_client(event)->submissions);
	vaccel_poll_queue_locked(event, vaccel_poll_due(event));
}

/*
 * A guess that is too long makes the polls late, and would confirm itself if it were taken
 * from when they find the end: it is taken from when they last did not. If the first one
 * has found the end, that is the most that the event can have run.
 */
static void vaccel_poll_measure_locked(struct vaccel_event *event)
{
	struct vaccel_program *program = to_program(event->held[1]);
	u64 most = ktime_sub(event->answered, event->accepted);
	u64 ran = event->ran_ns ?: min(program->run_ns, most);

	if (!event->watchers)
		return;
	if (!program->run_ns || ran < program->run_ns)
		program->run_ns = ran;
	else
		program->run_ns += (ran - program->run_ns) / VACCEL_RUN_PART;
}

/**
 * vaccel_poll_end_locked() - ask no more
 * @event: event that ends, whether the device had accepted it or not
 *
 * Context: any, with poller.lock held.
 */
void vaccel_poll_end_locked(struct vaccel_event *event)
{
	s64 ran = ktime_sub(ktime_get(), event->accepted);

	vaccel_poll_unqueue_locked(event);
	if (event->phase < VACCEL_EVENT_PENDING)
		return;
	atomic64_add(ran, &vaccel_poll_client(event)->engine_ns);
	if (event->state == VIRTIO_ACCEL_EVENT_COMPLETE)
		vaccel_poll_measure_locked(event);
}

/* From now on somebody watches the event: event->watchers. */
void vaccel_poll_watch_locked(struct vaccel_event *event)
{
	lockdep_assert_held(&vaccel_event_poller(event)->lock);
	if (!event->watchers++ && event->phase == VACCEL_EVENT_PENDING)
		vaccel_poll_pull_locked(event, vaccel_poll_due(event));
}

void vaccel_poll_now_locked(struct vaccel_event *event)
{
	vaccel_poll_pull_locked(event, ktime_get());
}

/**
 * vaccel_poll_done_locked() - the event is not asked for any more
 * @event: event that vaccel_ask() was called for
 *
 * Context: any, with poller.lock held.
 */
void vaccel_poll_done_locked(struct vaccel_event *event)
{
	event->asked = false;
	vaccel_poll_client(event)->asked--;
	vaccel_poll_arm_locked(vaccel_event_poller(event));
}

/* The same, and ask again when it is due, but never at once: the virtqueue can be full. */
void vaccel_poll_again_locked(struct vaccel_event *event)
{
	ktime_t soon = ktime_add_ns(ktime_get(), VACCEL_POLL_MIN);

	event->asked = false;
	vaccel_poll_client(event)->asked--;
	vaccel_poll_queue_locked(event, max(vaccel_poll_due(event), soon));
	trace_vaccel_poll(READ_ONCE(event->obj.id), ktime_sub(soon, event->accepted),
			  ktime_sub(event->due, soon) + VACCEL_POLL_MIN);
}

/* An event that is due, marked as asked and referenced; or NULL. */
static struct vaccel_event *vaccel_poll_take(struct vaccel_poller *poller, ktime_t now)
{
	struct vaccel_event *event = NULL;
	struct vaccel_client *client;
	unsigned long flags;

	spin_lock_irqsave(&poller->lock, flags);
	list_for_each_entry(client, &poller->clients, turn) {
		event = vaccel_poll_first_at(client, now);
		if (!event)
			continue;
		vaccel_object_get(&event->obj);
		event->asked = true;
		client->asked++;
		/* The next turn is another client's. */
		list_move_tail(&client->turn, &poller->clients);
		vaccel_poll_unqueue_locked(event);
		break;
	}
	spin_unlock_irqrestore(&poller->lock, flags);
	return event;
}

static void vaccel_poll_work(struct work_struct *work)
{
	struct vaccel_poller *poller = container_of(work, struct vaccel_poller, work);
	struct vaccel_device *dev = container_of(poller, struct vaccel_device, poller);
	bool signalling = dma_fence_begin_signalling();
	ktime_t now = ktime_get();
	struct vaccel_event *event;
	unsigned long flags;

	while ((event = vaccel_poll_take(poller, now))) {
		vaccel_ask(event);
		vaccel_object_put(&event->obj);
	}
	vaccel_vq_kick(dev);

	spin_lock_irqsave(&poller->lock, flags);
	vaccel_poll_arm_locked(poller);
	spin_unlock_irqrestore(&poller->lock, flags);
	dma_fence_end_signalling(signalling);
}

/* Context: interrupt. */
static enum hrtimer_restart vaccel_poll_timer(struct hrtimer *timer)
{
	struct vaccel_poller *poller = container_of(timer, struct vaccel_poller, timer);

	queue_work(poller->wq, &poller->work);
	return HRTIMER_NORESTART;
}

/* An event of a life, of a context or of any, in a phase before @phase; referenced. Or NULL. */
static struct vaccel_event *vaccel_poll_find(struct vaccel_poller *poller, u32 epoch,
					     const struct vaccel_context *ctx,
					     enum vaccel_phase phase)
{
	struct vaccel_event *event, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&poller->lock, flags);
	list_for_each_entry(event, &poller->events, node) {
		if (event->obj.epoch != epoch || (ctx && event->obj.ctx != ctx) ||
		    event->phase >= phase)
			continue;
		vaccel_object_get(&event->obj);
		found = event;
		break;
	}
	spin_unlock_irqrestore(&poller->lock, flags);
	return found;
}

/**
 * vaccel_poll_lose() - end all events of a life because the device was lost
 * @dev: device
 * @epoch: the life, which is over; another one can have begun
 *
 * Context: process context.
 */
void vaccel_poll_lose(struct vaccel_device *dev, u32 epoch)
{
	struct vaccel_event *event;

	while ((event = vaccel_poll_find(&dev->poller, epoch, NULL, VACCEL_EVENT_ENDED))) {
		vaccel_event_end(event, VIRTIO_ACCEL_EVENT_FAILED, VIRTIO_ACCEL_S_DEVICE_LOST,
				 -ENODEV);
		vaccel_object_put(&event->obj);
	}
}

/**
 * vaccel_poll_close() - cancel all events of a context that was closed
 * @ctx: context
 *
 * Context: process context.
 */
void vaccel_poll_close(struct vaccel_context *ctx)
{
	struct vaccel_poller *poller = &ctx->obj.dev->poller;
	struct vaccel_event *event;
	unsigned long flags;

	while ((event = vaccel_poll_find(poller, ctx->obj.epoch, ctx, VACCEL_EVENT_SUBMITTED))) {
		vaccel_event_end(event, VIRTIO_ACCEL_EVENT_CANCELLED, 0, 0);
		vaccel_object_put(&event->obj);
	}

	spin_lock_irqsave(&poller->lock, flags);
	list_for_each_entry(event, &poller->events, node) {
		if (event->obj.ctx != ctx)
			continue;
		vaccel_poll_now_locked(event);
		vaccel_wait_wake_locked(event, false);
	}
	spin_unlock_irqrestore(&poller->lock, flags);
}

/**
 * vaccel_poll_init() - make the poller
 * @dev: device
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM; only after success vaccel_poll_fini() must follow.
 */
int vaccel_poll_init(struct vaccel_device *dev)
{
	struct vaccel_poller *poller = &dev->poller;

	spin_lock_init(&poller->lock);
	INIT_LIST_HEAD(&poller->events);
	INIT_LIST_HEAD(&poller->clients);
	INIT_WORK(&poller->work, vaccel_poll_work);
	hrtimer_setup(&poller->timer, vaccel_poll_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	poller->wq = alloc_workqueue("virtio_accel_poll",
				     WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return poller->wq ? 0 : -ENOMEM;
}

/* There are no events any more. */
void vaccel_poll_fini(struct vaccel_device *dev)
{
	hrtimer_cancel(&dev->poller.timer);
	destroy_workqueue(dev->poller.wq);
}
