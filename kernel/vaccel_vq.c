// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command virtqueue: publication, completion, and the loss of the device.
 *
 * A request is published by vaccel_vq_post() and comes back through the drain
 * work, or when the device is reset. Losing the device completes whoever waits
 * but leaves the requests to the ring: only a reset takes memory from a device.
 */
#include <linux/moduleparam.h>
#include <linux/virtio_config.h>

#include "vaccel_drv.h"

static unsigned int command_timeout = 30;
module_param(command_timeout, uint, 0644);
MODULE_PARM_DESC(command_timeout, "Seconds after which a device that does not answer is given up");

static unsigned int load_timeout = 300;
module_param(load_timeout, uint, 0644);
MODULE_PARM_DESC(load_timeout, "The same for loading a program, which can compile it");

#define VACCEL_MAX_TIMEOUT	(24 * 60 * 60)

static unsigned long vaccel_vq_timeout(u16 opcode)
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
	req->state = VACCEL_REQUEST_DONE;
	req->error = error;
	complete(&req->completion);
}

/**
 * vaccel_vq_lose() - give the device up and wake everybody
 * @dev: device
 * @why: for the log; NULL if this is no fault of the device
 *
 * It stays lost until the next vaccel_vq_start().
 *
 * Context: process context, with no driver lock held but vaccel_vq.publish.
 */
void vaccel_vq_lose(struct vaccel_device *dev, const char *why)
{
	struct vaccel_vq *vq = &dev->vq;
	struct vaccel_request *req;

	spin_lock(&vq->lock);
	if (!vq->lost && why)
		drm_err_ratelimited(&dev->drm, "device lost: %s\n", why);
	WRITE_ONCE(vq->lost, true);
	list_for_each_entry(req, &vq->inflight, node)
		vaccel_vq_complete_locked(vq, req, -ENODEV);
	spin_unlock(&vq->lock);

	wake_up_all(&vq->space);
	vaccel_poll_lose(dev);
	vaccel_reap_kick(dev);
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

	if (req->done)
		req->done(req, error);

	spin_lock(&vq->lock);
	vaccel_vq_complete_locked(vq, req, error);
	spin_unlock(&vq->lock);

	if (error)
		vaccel_vq_lose(dev, "it broke the protocol");
	else if (vaccel_lost_by(&req->reply))
		vaccel_vq_lose(dev, "it reports its own loss");
	if (req->returned)
		req->returned(req, error);
	vaccel_request_put(req);
}

/* Take one answered request off the ring. */
static struct vaccel_request *vaccel_vq_take(struct vaccel_vq *vq, u32 *used)
{
	struct vaccel_request *req;

	spin_lock(&vq->lock);
	req = virtqueue_get_buf(vq->vq, used);
	if (req)
		list_del_init(&req->node);
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

/* False if answers arrived meanwhile. */
static bool vaccel_vq_rest(struct vaccel_vq *vq)
{
	bool idle;

	spin_lock(&vq->lock);
	idle = virtqueue_enable_cb(vq->vq);
	spin_unlock(&vq->lock);
	return idle;
}

static void vaccel_vq_drain(struct work_struct *work)
{
	struct vaccel_vq *vq = container_of(work, struct vaccel_vq, drain);
	struct vaccel_device *dev = container_of(vq, struct vaccel_device, vq);
	struct vaccel_request *req;
	unsigned int budget;
	u32 used;

	if (!vaccel_vq_awake(vq))
		return;
	/* A device that floods the ring does not own the processor. */
	for (budget = virtqueue_get_vring_size(vq->vq); budget; budget--) {
		req = vaccel_vq_take(vq, &used);
		if (!req)
			break;
		wake_up(&vq->space);
		vaccel_vq_finish(req, used);
	}
	vaccel_vq_kick(dev);
	if (virtqueue_is_broken(vq->vq))
		vaccel_vq_lose(dev, "the virtqueue is broken");
	else if (!budget || !vaccel_vq_rest(vq))
		queue_work(dev->vq_wq, &vq->drain);
}

/* Context: interrupt, also spurious ones at any time. */
static void vaccel_vq_callback(struct virtqueue *virtqueue)
{
	struct vaccel_device *dev = virtqueue->vdev->priv;

	queue_work(dev->vq_wq, &dev->vq.drain);
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

/* Ticks while the device owes an answer. */
static void vaccel_vq_watchdog(struct work_struct *work)
{
	struct vaccel_vq *vq = container_of(to_delayed_work(work), struct vaccel_vq, watchdog);
	struct vaccel_device *dev = container_of(vq, struct vaccel_device, vq);
	bool expired;

	spin_lock(&vq->lock);
	expired = vaccel_vq_expired(vq);
	if (!expired && !vq->lost && !list_empty(&vq->inflight))
		queue_delayed_work(dev->vq_wq, &vq->watchdog, HZ);
	spin_unlock(&vq->lock);

	if (expired)
		vaccel_vq_lose(dev, "it does not answer");
}

static bool vaccel_vq_fits(struct vaccel_vq *vq, const struct vaccel_request *req)
{
	unsigned int slots = req->out.nsegs + req->in.nsegs;
	bool fits;

	spin_lock(&vq->lock);
	fits = vq->lost || vq->vq->num_free >= slots;
	spin_unlock(&vq->lock);
	return fits;
}

static int vaccel_vq_add_locked(struct vaccel_vq *vq, struct vaccel_request *req)
{
	struct scatterlist *sgs[] = { req->sg, req->sg + req->out.nsegs };
	struct virtio_accel_request_header *header = req->out.segs[0];
	int ret;

	lockdep_assert_held(&vq->lock);
	if (vq->lost || req->epoch != vq->epoch)
		return -ENODEV;

	req->id = ++vq->next_id;
	header->request_id = cpu_to_le64(req->id);
	ret = virtqueue_add_sgs(vq->vq, sgs, 1, 1, req, GFP_ATOMIC);
	if (ret)
		return ret;

	vaccel_request_get(req);
	req->state = VACCEL_REQUEST_WAITING;
	req->deadline = jiffies + vaccel_vq_timeout(req->opcode);
	list_add_tail(&req->node, &vq->inflight);
	queue_delayed_work(req->dev->vq_wq, &vq->watchdog, HZ);
	return 0;
}

/**
 * vaccel_vq_post() - publish a request
 * @req: a new request
 *
 * Waits for descriptors: publishers come in order of arrival, so that a long
 * chain is not starved by short ones.
 *
 * Context: process context, may sleep.
 * Return: 0, or a negative errno if nothing was published; -ERESTARTSYS after a
 * signal, -ENODEV if the device or the epoch of the request is gone.
 */
int vaccel_vq_post(struct vaccel_request *req)
{
	struct vaccel_device *dev = req->dev;
	struct vaccel_vq *vq = &dev->vq;
	bool kick = false;
	int ret;

	ret = mutex_lock_interruptible(&vq->publish);
	if (ret)
		return -ERESTARTSYS;
	ret = wait_event_interruptible(vq->space, vaccel_vq_fits(vq, req));
	if (!ret) {
		spin_lock(&vq->lock);
		ret = vaccel_vq_add_locked(vq, req);
		if (!ret)
			kick = virtqueue_kick_prepare(vq->vq);
		spin_unlock(&vq->lock);
	}
	if (ret == -EIO || (kick && !virtqueue_notify(vq->vq)))
		vaccel_vq_lose(dev, "the virtqueue is broken");
	mutex_unlock(&vq->publish);
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
	int ret = -EAGAIN;

	if (vaccel_vq_fits(vq, req)) {
		spin_lock(&vq->lock);
		ret = vaccel_vq_add_locked(vq, req);
		spin_unlock(&vq->lock);
	}
	if (ret == -EIO)
		vaccel_vq_lose(req->dev, "the virtqueue is broken");
	/* Nobody else takes descriptors away for long, nor memory of the DMA mapping. */
	return ret == -ENOSPC || ret == -ENOMEM ? -EAGAIN : ret;
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
	bool broken;

	/* The lock keeps the virtqueue from being deleted. */
	spin_lock(&vq->lock);
	broken = !vq->lost && !virtqueue_kick(vq->vq);
	spin_unlock(&vq->lock);
	if (broken)
		vaccel_vq_lose(dev, "the virtqueue is broken");
}

/**
 * vaccel_vq_wait() - wait for the response to a published request
 * @req: request
 *
 * The watchdog bounds the wait.
 *
 * Context: process context, may sleep.
 * Return: 0 with a valid req->reply, -EINTR after a fatal signal, -EIO if the
 * response is invalid, -ENODEV if the device was lost meanwhile.
 */
int vaccel_vq_wait(struct vaccel_request *req)
{
	struct vaccel_vq *vq = &req->dev->vq;
	int ret = -EINTR;

	if (!wait_for_completion_killable(&req->completion))
		return req->error;

	spin_lock(&vq->lock);
	if (req->state == VACCEL_REQUEST_DONE)
		ret = req->error;
	spin_unlock(&vq->lock);
	return ret;
}

/* Once, before the first vaccel_vq_start(). */
void vaccel_vq_init(struct vaccel_device *dev)
{
	struct vaccel_vq *vq = &dev->vq;

	init_waitqueue_head(&vq->space);
	spin_lock_init(&vq->lock);
	INIT_LIST_HEAD(&vq->inflight);
	INIT_WORK(&vq->drain, vaccel_vq_drain);
	INIT_DELAYED_WORK(&vq->watchdog, vaccel_vq_watchdog);
	vq->lost = true;
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

	virtqueue = virtio_find_single_vq(dev->vdev, vaccel_vq_callback, "command");
	if (IS_ERR(virtqueue))
		return PTR_ERR(virtqueue);
	if (virtqueue_get_vring_size(virtqueue) < le16_to_cpu(dev->config.max_chain_descriptors)) {
		drm_err(&dev->drm, "chains do not fit the virtqueue\n");
		dev->vdev->config->del_vqs(dev->vdev);
		return -ENODEV;
	}

	mutex_lock(&vq->publish);
	spin_lock(&vq->lock);
	vq->vq = virtqueue;
	vq->next_id = 0;
	WRITE_ONCE(vq->epoch, vq->epoch + 1);
	WRITE_ONCE(vq->lost, false);
	spin_unlock(&vq->lock);
	mutex_unlock(&vq->publish);

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
	cancel_work_sync(&vq->drain);
	cancel_delayed_work_sync(&vq->watchdog);

	mutex_lock(&vq->publish);
	while ((req = virtqueue_detach_unused_buf(vq->vq))) {
		spin_lock(&vq->lock);
		list_del_init(&req->node);
		spin_unlock(&vq->lock);
		if (req->returned)
			req->returned(req, -ENODEV);
		vaccel_request_put(req);
	}
	dev->vdev->config->del_vqs(dev->vdev);
	spin_lock(&vq->lock);
	vq->vq = NULL;
	spin_unlock(&vq->lock);
	mutex_unlock(&vq->publish);
}
