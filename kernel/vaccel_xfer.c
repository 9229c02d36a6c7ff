// SPDX-License-Identifier: GPL-2.0-only
/*
 * BUF_WRITE and BUF_READ: data between user memory and a buffer.
 *
 * A transfer goes in pieces, each of them one command, and a few are in flight
 * at a time: the device serves one while the next is prepared. The data of a
 * piece are staged in kernel memory, or stay in pages of the user.
 */
#include <linux/moduleparam.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "vaccel_drv.h"

static unsigned int pin_threshold = SZ_64K;
module_param(pin_threshold, uint, 0644);
MODULE_PARM_DESC(pin_threshold, "Bytes from which a transfer uses the user's own pages, 0 for never");

/* More in one piece would gain little, and holds up other commands. */
#define VACCEL_PIECE_BYTES	SZ_1M
#define VACCEL_PIECES		4

/*
 * What all transfers have in flight. A device that cannot reach all memory has
 * 64 MiB of bounce buffers, which it may share with others.
 */
#define VACCEL_BULK_BYTES	SZ_16M

struct vaccel_piece {
	struct vaccel_request *req;
	u64 at;			/* bytes from the start of the transfer */
	size_t bytes;
};

struct vaccel_transfer {
	struct vaccel_buffer *buf;
	bool read;
	bool pin;		/* use the user's pages */
	u64 offset;
	u64 addr;
	u64 size;
	u64 posted;
	u64 done;
	unsigned int first;	/* oldest piece in flight */
	unsigned int npieces;	/* in flight, from @first on, around the end */
	struct vaccel_piece pieces[VACCEL_PIECES];
};

/* Once, before the first transfer. */
void vaccel_bulk_init(struct vaccel_device *dev)
{
	init_waitqueue_head(&dev->bulk_wait);
}

static bool vaccel_bulk_try(struct vaccel_request *req, size_t bytes)
{
	atomic_long_t *bulk_bytes = &req->dev->bulk_bytes;
	long now = atomic_long_read(bulk_bytes);

	do {
		if (now + bytes > VACCEL_BULK_BYTES)
			return false;
	} while (!atomic_long_try_cmpxchg(bulk_bytes, &now, now + bytes));
	req->bulk_bytes = bytes;
	return true;
}

/*
 * Wait for a share of what may be in flight. Only requests that were published, or
 * are about to be, have one: the device gives it back, not somebody who may wait.
 */
static int vaccel_bulk_begin(struct vaccel_request *req, size_t bytes)
{
	struct vaccel_device *dev = req->dev;

	if (wait_event_interruptible(dev->bulk_wait, vaccel_bulk_try(req, bytes) ||
				     READ_ONCE(dev->vq.lost)))
		return -ERESTARTSYS;
	return req->bulk_bytes ? 0 : -ENODEV;
}

/**
 * vaccel_bulk_end() - give back a request's share of what may be in flight
 * @req: request that the device is through with, of whatever kind
 *
 * Context: any; one caller at a time.
 */
void vaccel_bulk_end(struct vaccel_request *req)
{
	if (!req->bulk_bytes)
		return;
	atomic_long_sub(req->bulk_bytes, &req->dev->bulk_bytes);
	req->bulk_bytes = 0;
	wake_up_all(&req->dev->bulk_wait);
}

static void vaccel_piece_answered(struct vaccel_request *req, int error)
{
	vaccel_bulk_end(req);
}

/* @pin: the user's pages, or NULL to stage @bytes */
static struct vaccel_request *vaccel_piece_request(const struct vaccel_transfer *xfer, u64 at,
						   size_t bytes, struct vaccel_pin *pin)
{
	u16 opcode = xfer->read ? VIRTIO_ACCEL_OP_READ_BUFFER : VIRTIO_ACCEL_OP_WRITE_BUFFER;
	struct vaccel_object *obj = &xfer->buf->obj;
	struct virtio_accel_transfer *payload;
	size_t staged = pin ? 0 : bytes;
	struct vaccel_request *req;

	req = vaccel_request_new_pinned(obj->dev, obj->epoch, opcode,
					sizeof(*payload) + (xfer->read ? 0 : staged),
					xfer->read ? staged : 0, pin);
	if (IS_ERR(req))
		return req;
	payload = vaccel_request_payload(req);
	*payload = (struct virtio_accel_transfer) {
		.buffer_id = cpu_to_le64(obj->id),
		.offset = cpu_to_le64(xfer->offset + at),
		.bytes = cpu_to_le64(bytes),
	};
	req->object = vaccel_object_get(obj);
	req->done = vaccel_piece_answered;
	return req;
}

static int vaccel_piece_pin(const struct vaccel_transfer *xfer, struct vaccel_piece *piece)
{
	struct vaccel_device *dev = xfer->buf->obj.dev;
	struct vaccel_request *req;
	struct vaccel_pin *pin;

	pin = vaccel_pin_new(dev, xfer->addr + piece->at, piece->bytes, xfer->read);
	if (IS_ERR(pin))
		return PTR_ERR(pin);
	/* Few descriptors, and pages here and there: staging makes larger pieces. */
	if (pin->bytes < min_t(size_t, piece->bytes, READ_ONCE(pin_threshold)))
		req = ERR_PTR(-ENOSPC);
	else
		req = vaccel_piece_request(xfer, piece->at, pin->bytes, pin);
	if (IS_ERR(req)) {
		vaccel_pin_free(pin);
		return PTR_ERR(req);
	}
	piece->bytes = pin->bytes;
	piece->req = req;
	return 0;
}

static int vaccel_piece_stage(const struct vaccel_transfer *xfer, struct vaccel_piece *piece)
{
	struct vaccel_request *req;
	int ret = 0;

	for (;;) {
		req = vaccel_piece_request(xfer, piece->at, piece->bytes, NULL);
		if (PTR_ERR_OR_ZERO(req) != -ENOMEM || piece->bytes < PAGE_SIZE)
			break;
		piece->bytes /= 2;
	}
	if (IS_ERR(req))
		return PTR_ERR(req);
	if (!xfer->read)
		ret = vaccel_frame_from_user(&req->out, req->out.bytes - piece->bytes,
					     xfer->addr + piece->at, piece->bytes);
	if (ret)
		vaccel_request_put(req);
	piece->req = req;
	return ret;
}

static size_t vaccel_transfer_piece_bytes(const struct vaccel_transfer *xfer)
{
	const struct vaccel_device *dev = xfer->buf->obj.dev;
	size_t limit = dev->max_response - sizeof(struct virtio_accel_response_header);

	if (!xfer->read)
		limit = dev->max_request - sizeof(struct virtio_accel_request_header) -
			sizeof(struct virtio_accel_transfer);
	/* Where segments are bounded they are bounced, with the ring locked: not for long. */
	limit = min3(limit, dev->max_seg_bytes, (size_t)VACCEL_PIECE_BYTES);
	return min(xfer->size - xfer->posted, limit);
}

/* Publish the next piece. */
static int vaccel_transfer_post(struct vaccel_transfer *xfer)
{
	unsigned int last = (xfer->first + xfer->npieces) % VACCEL_PIECES;
	struct vaccel_piece *piece = &xfer->pieces[last];
	int ret;

	piece->at = xfer->posted;
	piece->bytes = vaccel_transfer_piece_bytes(xfer);
	/* Memory that cannot be pinned can be copied, or copying fails as it should. */
	if (xfer->pin && vaccel_piece_pin(xfer, piece))
		xfer->pin = false;
	if (!xfer->pin) {
		ret = vaccel_piece_stage(xfer, piece);
		if (ret)
			return ret;
	}
	ret = vaccel_bulk_begin(piece->req, piece->bytes);
	if (!ret)
		ret = vaccel_vq_post(piece->req);
	if (ret) {
		vaccel_request_put(piece->req);
		return ret;
	}
	xfer->posted += piece->bytes;
	xfer->npieces++;
	return 0;
}

/* Wait for the oldest piece. What comes after one that failed does not count. */
static int vaccel_transfer_finish(struct vaccel_transfer *xfer)
{
	struct vaccel_piece *piece = &xfer->pieces[xfer->first];
	struct vaccel_request *req = piece->req;
	int ret = vaccel_vq_wait(req);

	xfer->first = (xfer->first + 1) % VACCEL_PIECES;
	xfer->npieces--;
	if (piece->at != xfer->done) {
		ret = 0;
		goto out;
	}
	if (!ret)
		ret = vaccel_status_errno(req->reply.status);
	if (!ret && xfer->read && !req->in.pin)
		ret = vaccel_frame_to_user(&req->in, req->in.bytes - piece->bytes,
					   xfer->addr + piece->at, piece->bytes);
	if (!ret)
		xfer->done += piece->bytes;
out:
	vaccel_request_put(req);
	return ret;
}

static bool vaccel_transfer_more(const struct vaccel_transfer *xfer)
{
	/* Something is done in any case, or signals could hold it up for ever. */
	if (xfer->posted && signal_pending(current))
		return false;
	return xfer->posted < xfer->size && xfer->npieces < VACCEL_PIECES;
}

/*
 * On return no piece is in flight, unless the task is dying or the device was lost:
 * a piece left behind could be served after what the user does next.
 */
static int vaccel_transfer_run(struct vaccel_transfer *xfer)
{
	int ret = 0;

	for (;;) {
		while (!ret && vaccel_transfer_more(xfer))
			ret = vaccel_transfer_post(xfer);
		if (!xfer->npieces)
			break;
		ret = vaccel_transfer_finish(xfer) ?: ret;
	}
	return ret == -ERESTARTSYS && xfer->done ? 0 : ret;
}

static int vaccel_transfer_check(const struct vaccel_buffer *buf, u32 usage,
				 const struct drm_virtio_accel_buf_transfer *args)
{
	u64 end;

	if (check_add_overflow(args->offset, args->size, &end))
		return -EINVAL;
	if (end > buf->size)
		return -ERANGE;
	return buf->usage & usage ? 0 : -EPERM;
}

static int vaccel_transfer(struct drm_file *filp, struct drm_virtio_accel_buf_transfer *args,
			   bool read)
{
	u32 usage = read ? VIRTIO_ACCEL_USAGE_TRANSFER_SRC : VIRTIO_ACCEL_USAGE_TRANSFER_DST;
	unsigned int threshold = READ_ONCE(pin_threshold);
	struct vaccel_transfer xfer = {
		.read = read,
		.pin = threshold && args->size >= threshold,
		.offset = args->offset,
		.addr = args->addr,
		.size = args->size,
	};
	int ret;

	if (args->flags || !args->size)
		return -EINVAL;
	args->done = 0;

	xfer.buf = vaccel_buffer_lookup(filp, args->handle);
	if (!xfer.buf)
		return -ENOENT;
	ret = vaccel_transfer_check(xfer.buf, usage, args);
	if (!ret)
		ret = vaccel_transfer_run(&xfer);
	args->done = xfer.done;
	vaccel_object_put(&xfer.buf->obj);
	return ret;
}

VACCEL_IOCTL(buf_write)
{
	return vaccel_transfer(filp, data, false);
}

VACCEL_IOCTL(buf_read)
{
	return vaccel_transfer(filp, data, true);
}
