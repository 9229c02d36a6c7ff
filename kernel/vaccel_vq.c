// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command virtqueue: its lives, completion, and the loss of the device.
 *
 * A request is published by vaccel_vq_post() and comes back through the drain
 * work, or when the device is reset. Losing the device completes whoever waits
 * but leaves the requests to the ring: only a reset takes memory from a device.
 */
#include <linux/moduleparam.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>

#include "vaccel_trace.h"

static unsigned int command_timeout = 30;
module_param(command_timeout, uint, 0644);
MODULE_PARM_DESC(command_timeout, "Seconds after which a device that does not answer is given up");

static unsigned int load_timeout = 300;
module_param(load_timeout, uint, 0644);
MODULE_PARM_DESC(load_timeout, "The same for loading a program, which can compile it");

#define VACCEL_MAX_TIMEOUT	(24 * 60 * 60)

/* How long, in jiffies, the device may take for a command. */
unsigned long vaccel_vq_timeout(u16 opcode)
{
	unsigned int seconds = READ_ONCE(command_timeout);

	if (opcode == VIRTIO_ACCEL_OP_LOAD_PROGRAM)
		seconds = READ_ONCE(load_timeout);
	return clamp(seconds, 1, VACCEL_MAX_TIMEOUT) * HZ;
}

/* Complete a request unless that has happened already. */
static void vaccel_vq_complete_locked(struct vaccel_vq *vq, struct vaccel_request *req, int error)
{
	lockdep_assert_held(&vq->lock);
	if (req->state != VACCEL_REQUEST_WAITING)
		return;
	req->error = error;
	/* Pairs with vaccel_request_done(). */
	smp_store_release(&req->state, VACCEL_REQUEST_DONE);
	wake_up(&req->wq);
}

/* The end of one life, unless another one has begun. */
static void vaccel_vq_lose_life(struct vaccel_device *dev, u32 epoch, const char *why)
{
	struct vaccel_vq *vq = &dev->vq;
	struct vaccel_request *req;
	bool fault = false;

	spin_lock(&vq->lock);
	if (epoch != vq->epoch) {
		spin_unlock(&vq->lock);
		return;
	}
	if (!vq->lost) {
		vq->why_lost = why;
		WRITE_ONCE(vq->lost, true);
		fault = why;
		vq->losses += fault;
	}
	list_for_each_entry(req, &vq->inflight, node)
		vaccel_vq_complete_locked(vq, req, -ENODEV);
	vaccel_vq_dismiss_locked(vq);
	spin_unlock(&vq->lock);

	vaccel_poll_lose(dev, epoch);
	wake_up_all(&dev->bulk_wait);
	vaccel_reap_kick(dev);
	if (fault) {
		drm_err_ratelimited(&dev->drm, "device lost: %s\n", why);
		vaccel_life_lost(dev);
	}
}

/**
 * vaccel_vq_lose() - give the device up and wake everybody
 * @dev: device
 * @why: constant, for the log; NULL if this is no fault of the device
 *
 * It stays lost until the next vaccel_vq_start().
 *
 * Context: process context, with no driver lock held but vaccel_device.life.
 */
void vaccel_vq_lose(struct vaccel_device *dev, const char *why)
{
	vaccel_vq_lose_life(dev, READ_ONCE(dev->vq.epoch), why);
}

/* Whether a life of the device is over: whatever belongs to it has been given up. */
bool vaccel_vq_over(struct vaccel_vq *vq, u32 epoch)
{
	bool over;

	spin_lock(&vq->lock);
	over = vq->lost || epoch != vq->epoch;
	spin_unlock(&vq->lock);
	return over;
}

static bool vaccel_lost_by(const struct vaccel_reply *reply)
{
	return reply->status == VIRTIO_ACCEL_S_DEVICE_LOST ||
	       reply->error == VIRTIO_ACCEL_S_DEVICE_LOST;
}

/* The device has answered: consumes the reference of the ring. */
static void vaccel_vq_finish(struct vaccel_request *req, u32 used)
{
	struct vaccel_device *dev = req->dev;
	struct vaccel_vq *vq = &dev->vq;
	int error = vaccel_request_decode(req, used);

	if (!error && req->object)
		error = vaccel_object_answered(req->object, req);
	trace_vaccel_response(req, error, ktime_to_ns(ktime_sub(ktime_get(), req->posted)));
	if (req->done)
		req->done(req, error);

	spin_lock(&vq->lock);
	vq->answers++;
	vq->refusals += !error && req->reply.status;
	vaccel_vq_complete_locked(vq, req, error);
	spin_unlock(&vq->lock);

	if (error)
		vaccel_vq_lose_life(dev, req->epoch, "it broke the protocol");
	else if (vaccel_lost_by(&req->reply))
		vaccel_vq_lose_life(dev, req->epoch, "it reports its own loss");
	if (req->returned)
		req->returned(req, error);
	vaccel_request_put(req);
}

/* Take one answered request off the ring. What a lost device has is left to the reset. */
static struct vaccel_request *vaccel_vq_take(struct vaccel_vq *vq, u32 *used)
{
	struct vaccel_request *req = NULL;

	spin_lock(&vq->lock);
	if (!vq->lost)
		req = virtqueue_get_buf(vq->vq, used);
	if (req)
		vaccel_vq_remove_locked(vq, req);
	spin_unlock(&vq->lock);
	return req;
}

/* False before the first start, and from the loss to the next one. */
static bool vaccel_vq_awake(struct vaccel_vq *vq)
{
	bool awake;

	spin_lock(&vq->lock);
	awake = !vq->lost;
	if (awake)
		virtqueue_disable_cb(vq->vq);
	spin_unlock(&vq->lock);
	return awake;
}

enum vaccel_rest {
	VACCEL_IDLE,
	VACCEL_BUSY,			/* answers arrived meanwhile */
	VACCEL_BROKEN,
};

static enum vaccel_rest vaccel_vq_rest(struct vaccel_vq *vq)
{
	enum vaccel_rest rest = VACCEL_IDLE;

	spin_lock(&vq->lock);
	if (!vq->lost && virtqueue_is_broken(vq->vq))
		rest = VACCEL_BROKEN;
	else if (!vq->lost && !virtqueue_enable_cb(vq->vq))
		rest = VACCEL_BUSY;
	spin_unlock(&vq->lock);
	return rest;
}

/**
 * vaccel_vq_answers() - take the answers off the ring
 * @dev: device
 *
 * Any number of tasks may be here at a time: each answer is one's.
 *
 * Context: process context, may sleep, with no driver lock held but vaccel_device.life.
 */
void vaccel_vq_answers(struct vaccel_device *dev)
{
	struct vaccel_vq *vq = &dev->vq;
	struct vaccel_request *req;
	unsigned int budget;
	u32 used;

	WRITE_ONCE(vq->fresh, false);
	if (!vaccel_vq_awake(vq))
		return;
	/* A device that floods the ring does not own the processor. */
	for (budget = vq->size; budget; budget--) {
		req = vaccel_vq_take(vq, &used);
		if (!req)
			break;
		vaccel_vq_finish(req, used);
	}
	/* Also tells the device of what the answers made the driver ask. */
	if (budget < vq->size)
		vaccel_vq_serve(dev);
	switch (vaccel_vq_rest(vq)) {
	case VACCEL_BROKEN:
		vaccel_vq_lose(dev, "the virtqueue is broken");
		break;
	case VACCEL_BUSY:
		mod_delayed_work(dev->vq_wq, &vq->drain, 0);
		break;
	case VACCEL_IDLE:
		break;
	}
}

static void vaccel_vq_drain(struct work_struct *work)
{
	struct vaccel_vq *vq = container_of(to_delayed_work(work), struct vaccel_vq, drain);

	vaccel_vq_answers(container_of(vq, struct vaccel_device, vq));
}

/* Tell one of those who wait that there are answers. False if nobody waits. */
static bool vaccel_vq_tell(struct vaccel_vq *vq)
{
	struct vaccel_request *req;
	unsigned long flags;

	spin_lock_irqsave(&vq->sleepers_lock, flags);
	req = list_first_entry_or_null(&vq->sleepers, struct vaccel_request, sleeper);
	if (req) {
		WRITE_ONCE(vq->fresh, true);
		wake_up(&req->wq);
	}
	spin_unlock_irqrestore(&vq->sleepers_lock, flags);
	return req;
}

/*
 * Whoever waits takes the answers, which saves a wake-up. But nothing may depend on
 * when that task gets to run: a tick later the work does it.
 *
 * Context: interrupt, also spurious ones at any time.
 */
static void vaccel_vq_callback(struct virtqueue *virtqueue)
{
	struct vaccel_device *dev = virtqueue->vdev->priv;

	if (vaccel_vq_tell(&dev->vq))
		queue_delayed_work(dev->vq_wq, &dev->vq.drain, 1);
	else
		mod_delayed_work(dev->vq_wq, &dev->vq.drain, 0);
}

static bool vaccel_vq_expired(struct vaccel_vq *vq)
{
	struct vaccel_request *req;

	lockdep_assert_held(&vq->lock);
	list_for_each_entry(req, &vq->inflight, node)
		if (time_after(jiffies, req->deadline))
			return true;
	return false;
}

/*
 * Ticks while the device owes an answer. The status tells of a reset of the function
 * where virtio drivers have no hook for it.
 */
static void vaccel_vq_watchdog(struct work_struct *work)
{
	struct vaccel_vq *vq = container_of(to_delayed_work(work), struct vaccel_vq, watchdog);
	struct vaccel_device *dev = container_of(vq, struct vaccel_device, vq);
	u8 status = dev->vdev->config->get_status(dev->vdev);
	bool expired;

	spin_lock(&vq->lock);
	expired = vaccel_vq_expired(vq);
	if (!expired && !vq->lost && !list_empty(&vq->inflight))
		queue_delayed_work(dev->vq_wq, &vq->watchdog, HZ);
	spin_unlock(&vq->lock);

	if (!(status & VIRTIO_CONFIG_S_DRIVER_OK))
		vaccel_vq_lose(dev, "it was reset behind the driver's back");
	else if (expired)
		vaccel_vq_lose(dev, "it does not answer");
}

/* Once, before the first vaccel_vq_start(). */
void vaccel_vq_init(struct vaccel_device *dev)
{
	struct vaccel_vq *vq = &dev->vq;
	enum vaccel_class class;

	spin_lock_init(&vq->lock);
	INIT_LIST_HEAD(&vq->inflight);
	for (class = 0; class < VACCEL_CLASSES; class++)
		INIT_LIST_HEAD(&vq->turns[class]);
	spin_lock_init(&vq->sleepers_lock);
	INIT_LIST_HEAD(&vq->sleepers);
	INIT_DELAYED_WORK(&vq->drain, vaccel_vq_drain);
	INIT_DELAYED_WORK(&vq->watchdog, vaccel_vq_watchdog);
	vq->lost = true;
}

/* Divide the ring of the first life; those of later ones must be like it. */
static int vaccel_vq_adopt(struct vaccel_device *dev, struct virtqueue *virtqueue)
{
	bool indirect = virtio_has_feature(dev->vdev, VIRTIO_RING_F_INDIRECT_DESC);
	unsigned int size = virtqueue_get_vring_size(virtqueue);
	struct vaccel_vq *vq = &dev->vq;

	if (size < le16_to_cpu(dev->config.max_chain_descriptors)) {
		drm_err(&dev->drm, "chains do not fit the virtqueue\n");
		return -ENODEV;
	}
	if (!vq->size)
		vaccel_vq_divide(vq, size, indirect);
	return size == vq->size && indirect == vq->indirect ? 0 : -ENODEV;
}

/**
 * vaccel_vq_start() - begin a life of the device
 * @dev: device, reset and with features negotiated, dev->config read
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_vq_start(struct vaccel_device *dev)
{
	struct vaccel_vq *vq = &dev->vq;
	struct virtqueue *virtqueue;
	int ret;

	virtqueue = virtio_find_single_vq(dev->vdev, vaccel_vq_callback, "command");
	if (IS_ERR(virtqueue))
		return PTR_ERR(virtqueue);
	ret = vaccel_vq_adopt(dev, virtqueue);
	if (ret) {
		dev->vdev->config->del_vqs(dev->vdev);
		return ret;
	}

	spin_lock(&vq->lock);
	vq->vq = virtqueue;
	vq->next_id = 0;
	WRITE_ONCE(vq->epoch, vq->epoch + 1);
	WRITE_ONCE(vq->lost, false);
	spin_unlock(&vq->lock);

	virtio_device_ready(dev->vdev);
	return 0;
}

/**
 * vaccel_vq_stop() - end the life of the device
 * @dev: device, started or not
 *
 * On return the device owns no memory of the guest and nobody waits for it.
 *
 * Context: process context, may sleep.
 */
void vaccel_vq_stop(struct vaccel_device *dev)
{
	struct vaccel_vq *vq = &dev->vq;
	struct vaccel_request *req;

	vaccel_vq_lose(dev, NULL);
	if (!vq->vq)
		return;

	virtio_reset_device(dev->vdev);
	/* Only now can no callback queue them again. */
	cancel_delayed_work_sync(&vq->drain);
	cancel_delayed_work_sync(&vq->watchdog);

	while ((req = virtqueue_detach_unused_buf(vq->vq))) {
		spin_lock(&vq->lock);
		vaccel_vq_remove_locked(vq, req);
		spin_unlock(&vq->lock);
		if (req->returned)
			req->returned(req, -ENODEV);
		vaccel_request_put(req);
	}
	spin_lock(&vq->lock);
	vq->vq = NULL;
	spin_unlock(&vq->lock);
	dev->vdev->config->del_vqs(dev->vdev);
}
