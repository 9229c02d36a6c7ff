// SPDX-License-Identifier: GPL-2.0-only
/*
 * BUF_WRITE and BUF_READ: data between user memory and a buffer, staged in
 * kernel memory, one command for each piece.
 */
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "vaccel_drv.h"

/* More memory for one piece would gain little and is harder to allocate. */
#define VACCEL_STAGING_BYTES	SZ_256K

struct vaccel_transfer {
	struct vaccel_buffer *buf;
	u64 offset;
	u64 addr;
	size_t bytes;
};

static struct vaccel_request *vaccel_transfer_request(const struct vaccel_transfer *piece,
						      u16 opcode, size_t out_bytes,
						      size_t in_bytes)
{
	struct vaccel_object *obj = &piece->buf->obj;
	struct virtio_accel_transfer *payload;
	struct vaccel_request *req;

	req = vaccel_request_new(obj->dev, obj->epoch, opcode, sizeof(*payload) + out_bytes,
				 in_bytes);
	if (IS_ERR(req))
		return req;
	payload = vaccel_request_payload(req);
	*payload = (struct virtio_accel_transfer) {
		.buffer_id = cpu_to_le64(obj->id),
		.offset = cpu_to_le64(piece->offset),
		.bytes = cpu_to_le64(piece->bytes),
	};
	req->object = vaccel_object_get(obj);
	return req;
}

static int vaccel_write_piece(const struct vaccel_transfer *piece)
{
	struct vaccel_request *req;
	int ret;

	req = vaccel_transfer_request(piece, VIRTIO_ACCEL_OP_WRITE_BUFFER, piece->bytes, 0);
	if (IS_ERR(req))
		return PTR_ERR(req);
	ret = vaccel_frame_from_user(&req->out, req->out.bytes - piece->bytes,
				     piece->addr, piece->bytes);
	if (!ret)
		ret = vaccel_request_command(req);
	vaccel_request_put(req);
	return ret;
}

static int vaccel_read_piece(const struct vaccel_transfer *piece)
{
	struct vaccel_request *req;
	int ret;

	req = vaccel_transfer_request(piece, VIRTIO_ACCEL_OP_READ_BUFFER, 0, piece->bytes);
	if (IS_ERR(req))
		return PTR_ERR(req);
	ret = vaccel_request_command(req);
	if (!ret)
		ret = vaccel_frame_to_user(&req->in, req->in.bytes - piece->bytes,
					   piece->addr, piece->bytes);
	vaccel_request_put(req);
	return ret;
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

/*
 * Pieces can be repeated without harm, so a signal may restart the whole ioctl;
 * once something was transferred it ends it instead.
 */
static int vaccel_transfer_pieces(struct vaccel_buffer *buf, size_t most,
				  int (*move)(const struct vaccel_transfer *piece),
				  struct drm_virtio_accel_buf_transfer *args)
{
	while (args->done < args->size) {
		struct vaccel_transfer piece = {
			.buf = buf,
			.offset = args->offset + args->done,
			.addr = args->addr + args->done,
			.bytes = min(args->size - args->done, most),
		};
		int ret;

		if (args->done && signal_pending(current))
			return 0;
		ret = move(&piece);
		if (ret == -ERESTARTSYS && args->done)
			return 0;
		if (ret)
			return ret;
		args->done += piece.bytes;
	}
	return 0;
}

static int vaccel_transfer(struct drm_file *filp, struct drm_virtio_accel_buf_transfer *args,
			   u32 usage, size_t most,
			   int (*move)(const struct vaccel_transfer *piece))
{
	struct vaccel_buffer *buf;
	int ret;

	if (args->flags || !args->size)
		return -EINVAL;
	args->done = 0;

	buf = vaccel_buffer_lookup(filp, args->handle);
	if (!buf)
		return -ENOENT;
	ret = vaccel_transfer_check(buf, usage, args);
	if (!ret)
		ret = vaccel_transfer_pieces(buf, most, move, args);
	vaccel_object_put(&buf->obj);
	return ret;
}

VACCEL_IOCTL(buf_write)
{
	size_t header = sizeof(struct virtio_accel_request_header) +
			sizeof(struct virtio_accel_transfer);
	size_t most = min(to_vaccel(drm)->max_request - header, VACCEL_STAGING_BYTES);

	return vaccel_transfer(filp, data, VIRTIO_ACCEL_USAGE_TRANSFER_DST, most,
			       vaccel_write_piece);
}

VACCEL_IOCTL(buf_read)
{
	size_t header = sizeof(struct virtio_accel_response_header);
	size_t most = min(to_vaccel(drm)->max_response - header, VACCEL_STAGING_BYTES);

	return vaccel_transfer(filp, data, VIRTIO_ACCEL_USAGE_TRANSFER_SRC, most,
			       vaccel_read_piece);
}
