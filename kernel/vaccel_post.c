// SPDX-License-Identifier: GPL-2.0-only
/*
 * Publication: who gets the descriptors of the command virtqueue, and when.
 *
 * Commands are of three classes, each with a share of the ring that the others
 * cannot take from it for long: commands that release something or stop work
 * get through although transfers fill the ring, and so does one poll. Within a
 * class requests are published in order of arrival, so that a long chain is not
 * starved by short ones.
 *
 * Whoever finds no room queues up and sleeps. Who takes answers off the ring, and
 * so makes room, publishes for the sleepers: only who was served wakes up.
 */
#include "vaccel_trace.h"

/* A place in a queue for descriptors, on the stack of who sleeps. */
struct vaccel_turn {
	struct list_head node;		/* vq lock; empty once served */
	struct vaccel_request *req;
	struct completion served;
	int error;			/* vq lock until served */
};

static enum vaccel_class vaccel_class(u16 opcode)
{
	switch (opcode) {
	case VIRTIO_ACCEL_OP_DESTROY_CONTEXT:
	case VIRTIO_ACCEL_OP_FREE_BUFFER:
	case VIRTIO_ACCEL_OP_UNLOAD_PROGRAM:
	case VIRTIO_ACCEL_OP_DESTROY_QUEUE:
	case VIRTIO_ACCEL_OP_CANCEL_EVENT:
	case VIRTIO_ACCEL_OP_DESTROY_EVENT:
		return VACCEL_CONTROL;
	case VIRTIO_ACCEL_OP_POLL_EVENT:
		return VACCEL_POLL;
	default:
		return VACCEL_BULK;
	}
}

/**
 * vaccel_vq_divide() - divide the ring among the classes
 * @vq: command virtqueue
 * @size: descriptors of the ring
 * @indirect: whether a chain takes one descriptor, however long it is
 *
 * In a ring of less than three chains the shares overlap, down to a ring that
 * holds one chain at a time.
 *
 * Context: any, before the first request.
 */
void vaccel_vq_divide(struct vaccel_vq *vq, unsigned int size, bool indirect)
{
	unsigned int chain = indirect ? 1 : VIRTIO_ACCEL_MIN_CHAIN_DESCRIPTORS;
	unsigned int control = clamp(size / 32, 1, 8) * chain;
	unsigned int reserve = control + chain;

	vq->size = size;
	vq->indirect = indirect;
	vq->share[VACCEL_CONTROL] = control;
	vq->share[VACCEL_POLL] = chain;
	vq->share[VACCEL_BULK] = size < reserve + chain ? chain : size - reserve;

	/* What bulk would borrow it could keep for long. */
	vq->limit[VACCEL_CONTROL] = size;
	vq->limit[VACCEL_POLL] = max(size / 4, chain);
	vq->limit[VACCEL_BULK] = vq->share[VACCEL_BULK];
	vq->max_orphans = max(size / 8, 2);
}

static bool vaccel_vq_contended_locked(const struct vaccel_vq *vq, enum vaccel_class class)
{
	enum vaccel_class other;

	for (other = 0; other < VACCEL_CLASSES; other++)
		if (other != class && !list_empty(&vq->turns[other]))
			return true;
	return class != VACCEL_POLL && vq->poller_waits;
}

/* More than its share is for a class only while no other one is waiting. */
static bool vaccel_vq_room_locked(const struct vaccel_vq *vq, const struct vaccel_request *req)
{
	enum vaccel_class class = vaccel_class(req->opcode);
	unsigned int slots = vq->indirect ? 1 : req->out.nsegs + req->in.nsegs;
	unsigned int used = vq->used[class] + slots;

	lockdep_assert_held(&vq->lock);
	if (vq->vq->num_free < slots)
		return false;
	return used <= vq->share[class] ||
	       (used <= vq->limit[class] && !vaccel_vq_contended_locked(vq, class));
}

static int vaccel_vq_add_locked(struct vaccel_vq *vq, struct vaccel_request *req)
{
	struct scatterlist *sgs[] = { req->sg, req->sg + req->out.nsegs };
	struct virtio_accel_request_header *header = req->out.segs[0];
	unsigned int free = vq->vq->num_free;
	int ret;

	lockdep_assert_held(&vq->lock);
	req->id = ++vq->next_id;
	header->request_id = cpu_to_le64(req->id);
	ret = virtqueue_add_sgs(vq->vq, sgs, 1, 1, req, GFP_ATOMIC);
	if (ret)
		/* There was room: the indirect table could not be allocated. */
		return ret == -ENOSPC ? -ENOMEM : ret;

	vaccel_request_get(req);
	req->state = VACCEL_REQUEST_WAITING;
	req->slots = free - vq->vq->num_free;
	req->posted = ktime_get();
	req->deadline = jiffies + vaccel_vq_timeout(req->opcode);
	vq->used[vaccel_class(req->opcode)] += req->slots;
	vq->unkicked = true;
	list_add_tail(&req->node, &vq->inflight);
	vq->commands++;
	trace_vaccel_command(req);
	queue_delayed_work(req->dev->vq_wq, &vq->watchdog, HZ);
	return 0;
}

/* The ring gives a request back. */
void vaccel_vq_remove_locked(struct vaccel_vq *vq, struct vaccel_request *req)
{
	lockdep_assert_held(&vq->lock);
	list_del_init(&req->node);
	vq->used[vaccel_class(req->opcode)] -= req->slots;
	if (req->state == VACCEL_REQUEST_ORPHANED)
		vq->orphans--;
}

/* Publish a request now, if it is its turn. */
static int vaccel_vq_publish_locked(struct vaccel_vq *vq, struct vaccel_request *req)
{
	enum vaccel_class class = vaccel_class(req->opcode);

	lockdep_assert_held(&vq->lock);
	if (vq->lost || req->epoch != vq->epoch)
		return -ENODEV;
	if (class == VACCEL_BULK && vq->orphans >= vq->max_orphans)
		return -EBUSY;
	if (!list_empty(&vq->turns[class]) || !vaccel_vq_room_locked(vq, req))
		return -EAGAIN;
	return vaccel_vq_add_locked(vq, req);
}

static void vaccel_turn_end_locked(struct vaccel_turn *turn, int error)
{
	list_del_init(&turn->node);
	turn->error = error;
	complete(&turn->served);
}

static struct vaccel_turn *vaccel_turn_first_locked(struct vaccel_vq *vq, enum vaccel_class class)
{
	return list_first_entry_or_null(&vq->turns[class], struct vaccel_turn, node);
}

/* Nobody waits for descriptors of a lost device. */
void vaccel_vq_dismiss_locked(struct vaccel_vq *vq)
{
	struct vaccel_turn *turn;
	enum vaccel_class class;

	lockdep_assert_held(&vq->lock);
	for (class = 0; class < VACCEL_CLASSES; class++)
		while ((turn = vaccel_turn_first_locked(vq, class)))
			vaccel_turn_end_locked(turn, -ENODEV);
}

static void vaccel_vq_serve_locked(struct vaccel_vq *vq)
{
	struct vaccel_turn *turn;
	enum vaccel_class class;

	for (class = 0; class < VACCEL_CLASSES; class++)
		while ((turn = vaccel_turn_first_locked(vq, class)) &&
		       vaccel_vq_room_locked(vq, turn->req))
			vaccel_turn_end_locked(turn, vaccel_vq_add_locked(vq, turn->req));
	/* Who polls comes again by itself. */
	vq->poller_waits = false;
}

/* The lock keeps the virtqueue from being deleted. False if it is broken. */
static bool vaccel_vq_kick_locked(struct vaccel_vq *vq)
{
	if (vq->lost || !vq->unkicked)
		return true;
	vq->unkicked = false;
	return virtqueue_kick(vq->vq);
}

/**
 * vaccel_vq_serve() - publish for who waits, as far as there is room
 * @dev: device
 *
 * Context: process context, with no driver lock held.
 */
void vaccel_vq_serve(struct vaccel_device *dev)
{
	struct vaccel_vq *vq = &dev->vq;
	bool kicked;

	spin_lock(&vq->lock);
	vaccel_vq_serve_locked(vq);
	kicked = vaccel_vq_kick_locked(vq);
	spin_unlock(&vq->lock);
	if (!kicked)
		vaccel_vq_lose(dev, "the virtqueue is broken");
}

static int vaccel_turn_wait(struct vaccel_device *dev, struct vaccel_turn *turn)
{
	struct vaccel_vq *vq = &dev->vq;
	bool gone;

	if (!wait_for_completion_interruptible(&turn->served))
		return turn->error;

	spin_lock(&vq->lock);
	gone = list_empty(&turn->node);
	list_del_init(&turn->node);
	spin_unlock(&vq->lock);
	if (gone)
		return turn->error;
	/* What is behind it in the queue can be shorter. */
	vaccel_vq_serve(dev);
	return -ERESTARTSYS;
}

/**
 * vaccel_vq_post() - publish a request
 * @req: a new request
 *
 * Waits for descriptors.
 *
 * Context: process context, may sleep.
 * Return: 0, or a negative errno if nothing was published; -ERESTARTSYS after a
 * signal, -EBUSY if too many orphans are with the device, -ENODEV if the device
 * or the epoch of the request is gone.
 */
int vaccel_vq_post(struct vaccel_request *req)
{
	struct vaccel_device *dev = req->dev;
	struct vaccel_vq *vq = &dev->vq;
	struct vaccel_turn turn = { .req = req };
	bool kicked = true;
	int ret;

	init_completion(&turn.served);
	spin_lock(&vq->lock);
	ret = vaccel_vq_publish_locked(vq, req);
	if (ret == -EAGAIN)
		list_add_tail(&turn.node, &vq->turns[vaccel_class(req->opcode)]);
	else if (!ret)
		kicked = vaccel_vq_kick_locked(vq);
	spin_unlock(&vq->lock);

	if (ret == -EAGAIN)
		ret = vaccel_turn_wait(dev, &turn);
	if (!kicked || ret == -EIO)
		vaccel_vq_lose(dev, "the virtqueue is broken");
	return ret == -EIO ? -ENODEV : ret;
}

/**
 * vaccel_vq_try_post() - publish a request if there are descriptors for it
 * @req: a new request, or one that vaccel_request_again() made new
 *
 * The device may not notice before vaccel_vq_kick(), which the caller owes it.
 *
 * Context: process context; does not sleep.
 * Return: 0, -EAGAIN if there is no room now, or another negative errno.
 */
int vaccel_vq_try_post(struct vaccel_request *req)
{
	struct vaccel_vq *vq = &req->dev->vq;
	int ret;

	spin_lock(&vq->lock);
	ret = vaccel_vq_publish_locked(vq, req);
	if (ret == -EAGAIN)
		vq->poller_waits = true;
	spin_unlock(&vq->lock);
	if (ret == -EIO)
		vaccel_vq_lose(req->dev, "the virtqueue is broken");
	/* Memory of the DMA mapping comes back as descriptors do. */
	return ret == -ENOMEM ? -EAGAIN : ret;
}

/**
 * vaccel_vq_kick() - tell the device of all that was published
 * @dev: device
 *
 * Context: process context; does not sleep.
 */
void vaccel_vq_kick(struct vaccel_device *dev)
{
	struct vaccel_vq *vq = &dev->vq;
	bool kicked;

	spin_lock(&vq->lock);
	kicked = vaccel_vq_kick_locked(vq);
	spin_unlock(&vq->lock);
	if (!kicked)
		vaccel_vq_lose(dev, "the virtqueue is broken");
}

static bool vaccel_request_done(struct vaccel_request *req)
{
	/* Pairs with vaccel_vq_complete_locked(): then error and reply are there. */
	return smp_load_acquire(&req->state) == VACCEL_REQUEST_DONE;
}

static void vaccel_sleeper_add(struct vaccel_vq *vq, struct vaccel_request *req)
{
	unsigned long flags;

	spin_lock_irqsave(&vq->sleepers_lock, flags);
	list_add_tail(&req->sleeper, &vq->sleepers);
	spin_unlock_irqrestore(&vq->sleepers_lock, flags);
}

/* Who was told of answers and goes without looking leaves them to the work. */
static void vaccel_sleeper_del(struct vaccel_vq *vq, struct vaccel_request *req)
{
	unsigned long flags;

	spin_lock_irqsave(&vq->sleepers_lock, flags);
	list_del(&req->sleeper);
	spin_unlock_irqrestore(&vq->sleepers_lock, flags);
	if (READ_ONCE(vq->fresh))
		mod_delayed_work(req->dev->vq_wq, &vq->drain, 0);
}

/**
 * vaccel_vq_wait() - wait for the response to a published request
 * @req: request
 *
 * The watchdog bounds the wait. A request whose caller is killed is an orphan
 * until it comes back.
 *
 * Context: process context, may sleep.
 * Return: 0 with a valid req->reply, -EINTR after a fatal signal, -EIO if the
 * response is invalid, -ENODEV if the device was lost meanwhile.
 */
int vaccel_vq_wait(struct vaccel_request *req)
{
	struct vaccel_device *dev = req->dev;
	struct vaccel_vq *vq = &dev->vq;
	int ret;

	vaccel_sleeper_add(vq, req);
	do {
		ret = wait_event_killable(req->wq, vaccel_request_done(req) ||
					  READ_ONCE(vq->fresh));
		if (!ret && !vaccel_request_done(req))
			vaccel_vq_answers(dev);
	} while (!ret && !vaccel_request_done(req));
	vaccel_sleeper_del(vq, req);

	spin_lock(&vq->lock);
	if (req->state == VACCEL_REQUEST_DONE) {
		ret = req->error;
	} else if (!list_empty(&req->node)) {
		req->state = VACCEL_REQUEST_ORPHANED;
		vq->orphans++;
	}
	spin_unlock(&vq->lock);
	return ret == -ERESTARTSYS ? -EINTR : ret;
}
