// SPDX-License-Identifier: GPL-2.0-only
/*
 * One command: its request, and the validation of its response.
 */
#include <linux/slab.h>

#include "vaccel_drv.h"

#define VACCEL_REQUEST_HEADER	sizeof(struct virtio_accel_request_header)
#define VACCEL_RESPONSE_HEADER	sizeof(struct virtio_accel_response_header)

/**
 * vaccel_request_new_pinned() - make a request about pages of the user
 * @dev: device
 * @epoch: life of the device in which the command makes sense
 * @opcode: VIRTIO_ACCEL_OP_*
 * @out_bytes: payload of the request; only one of the payloads can be large
 * @in_bytes: payload of the response with status OK
 * @pin: what follows the payload of the request, or of the response if the device
 *       writes to it; on success the request's; NULL for nothing
 *
 * The payload is not initialised.
 *
 * Context: process context, may sleep.
 * Return: a request with one reference, or an ERR_PTR().
 */
struct vaccel_request *vaccel_request_new_pinned(struct vaccel_device *dev, u32 epoch, u16 opcode,
						 size_t out_bytes, size_t in_bytes,
						 struct vaccel_pin *pin)
{
	struct virtio_accel_request_header header = { .opcode = cpu_to_le16(opcode) };
	size_t out = VACCEL_REQUEST_HEADER + out_bytes;
	size_t in = VACCEL_RESPONSE_HEADER + in_bytes;
	bool small = out <= PAGE_SIZE && in <= PAGE_SIZE;
	struct vaccel_request *req;
	int ret;

	if (out > dev->max_request || in > dev->max_response)
		return ERR_PTR(-EINVAL);

	req = kzalloc_flex(*req, sg, (small ? 2 : dev->max_segs) + (pin ? pin->nsegs : 0),
			   GFP_KERNEL_ACCOUNT);
	if (!req)
		return ERR_PTR(-ENOMEM);
	kref_init(&req->ref);
	init_waitqueue_head(&req->wq);
	req->dev = dev;
	req->epoch = epoch;
	req->opcode = opcode;

	ret = vaccel_frame_init(&req->out, dev, out, dev->max_segs - 1, 0);
	if (ret)
		goto err_free;
	ret = vaccel_frame_init(&req->in, dev, in, dev->max_segs - req->out.nsegs, __GFP_ZERO);
	if (ret)
		goto err_out;
	if (pin)
		vaccel_frame_append(pin->write ? &req->in : &req->out, pin);

	header.payload_bytes = cpu_to_le32(req->out.bytes - sizeof(header));
	vaccel_frame_write(&req->out, 0, &header, sizeof(header));
	vaccel_frame_sg(&req->out, req->sg);
	vaccel_frame_sg(&req->in, req->sg + req->out.nsegs);
	return req;

err_out:
	vaccel_frame_fini(&req->out);
err_free:
	kfree(req);
	return ERR_PTR(ret);
}

/* vaccel_request_new_pinned() without pages of the user. */
struct vaccel_request *vaccel_request_new(struct vaccel_device *dev, u32 epoch, u16 opcode,
					  size_t out_bytes, size_t in_bytes)
{
	return vaccel_request_new_pinned(dev, epoch, opcode, out_bytes, in_bytes, NULL);
}

/**
 * vaccel_request_for() - make a request whose payload is the id of an object
 * @obj: the object; the request holds a reference
 * @opcode: VIRTIO_ACCEL_OP_*
 * @in_bytes: payload of the response with status OK
 *
 * Context: process context, may sleep.
 * Return: a request with one reference, or an ERR_PTR().
 */
struct vaccel_request *vaccel_request_for(struct vaccel_object *obj, u16 opcode, size_t in_bytes)
{
	struct vaccel_request *req;
	struct virtio_accel_object *payload;

	req = vaccel_request_new(obj->dev, obj->epoch, opcode, sizeof(*payload), in_bytes);
	if (IS_ERR(req))
		return req;
	payload = vaccel_request_payload(req);
	payload->object_id = cpu_to_le64(READ_ONCE(obj->id));
	req->object = vaccel_object_get(obj);
	return req;
}

/* Make the same request new, now that the ring is through with it. */
void vaccel_request_renew(struct vaccel_request *req)
{
	req->state = VACCEL_REQUEST_NEW;
	req->reply = (struct vaccel_reply) {};
}

/**
 * vaccel_request_again() - make a request about the same object out of one that came back
 * @req: request from vaccel_request_for() that the ring is through with
 * @opcode: VIRTIO_ACCEL_OP_*
 * @in_bytes: payload of the response with status OK, at most that of the first time
 *
 * Needs no memory.
 *
 * Context: any.
 */
void vaccel_request_again(struct vaccel_request *req, u16 opcode, size_t in_bytes)
{
	struct virtio_accel_request_header *header = req->out.segs[0];
	struct virtio_accel_object *payload = vaccel_request_payload(req);

	header->opcode = cpu_to_le16(opcode);
	payload->object_id = cpu_to_le64(READ_ONCE(req->object->id));
	req->opcode = opcode;
	req->in.bytes = VACCEL_RESPONSE_HEADER + in_bytes;
	vaccel_frame_sg(&req->in, req->sg + req->out.nsegs);
	vaccel_request_renew(req);
}

void vaccel_request_get(struct vaccel_request *req)
{
	kref_get(&req->ref);
}

static void vaccel_request_free(struct kref *ref)
{
	struct vaccel_request *req = container_of(ref, struct vaccel_request, ref);

	vaccel_bulk_end(req);
	vaccel_frame_fini(&req->in);
	vaccel_frame_fini(&req->out);
	if (req->object)
		vaccel_object_put(req->object);
	kfree(req);
}

void vaccel_request_put(struct vaccel_request *req)
{
	kref_put(&req->ref, vaccel_request_free);
}

/* The fixed part of the payload: contiguous, see struct vaccel_frame. */
void *vaccel_request_payload(struct vaccel_request *req)
{
	return req->out.segs[0] + VACCEL_REQUEST_HEADER;
}

static int vaccel_invalid(const struct vaccel_request *req, const char *what)
{
	drm_err_ratelimited(&req->dev->drm, "invalid %s in the answer to opcode 0x%04x\n",
			    what, req->opcode);
	return -EIO;
}

static int vaccel_decode_id(struct vaccel_request *req)
{
	struct virtio_accel_object payload;

	vaccel_frame_read(&req->in, VACCEL_RESPONSE_HEADER, &payload, sizeof(payload));
	req->reply.id = le64_to_cpu(payload.object_id);
	return req->reply.id ? 0 : vaccel_invalid(req, "object id");
}

static int vaccel_decode_event(struct vaccel_request *req)
{
	struct virtio_accel_event_state payload;
	bool failed;

	vaccel_frame_read(&req->in, VACCEL_RESPONSE_HEADER, &payload, sizeof(payload));
	req->reply.state = le16_to_cpu(payload.state);
	req->reply.error = le16_to_cpu(payload.error);
	failed = req->reply.state == VIRTIO_ACCEL_EVENT_FAILED;
	if (req->reply.state > VIRTIO_ACCEL_EVENT_CANCELLED || payload.reserved ||
	    failed != !!req->reply.error)
		return vaccel_invalid(req, "event state");
	return 0;
}

static int vaccel_decode_payload(struct vaccel_request *req)
{
	switch (req->opcode) {
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
	case VIRTIO_ACCEL_OP_SUBMIT:
		return vaccel_decode_id(req);
	case VIRTIO_ACCEL_OP_POLL_EVENT:
		return vaccel_decode_event(req);
	default:
		return 0;
	}
}

static bool vaccel_status_known(u16 status)
{
	return status <= VIRTIO_ACCEL_S_STALE_OBJECT || status == VIRTIO_ACCEL_S_INTERNAL_ERROR;
}

/**
 * vaccel_request_decode() - validate a response and fill in req->reply
 * @req: request that the device has answered
 * @used: bytes that the device claims to have written
 *
 * Protocol.md 2.6. GET_DEVICE_INFO and READ_BUFFER leave the payload, of exactly
 * the requested length, in req->in.
 *
 * Context: process context.
 * Return: 0, or -EIO if the device broke the protocol.
 */
int vaccel_request_decode(struct vaccel_request *req, u32 used)
{
	struct virtio_accel_response_header header;
	size_t payload;

	if (used < sizeof(header) || used > req->in.bytes)
		return vaccel_invalid(req, "used length");
	payload = used - sizeof(header);
	vaccel_frame_read(&req->in, 0, &header, sizeof(header));
	if (le64_to_cpu(header.request_id) != req->id || header.flags ||
	    le32_to_cpu(header.payload_bytes) != payload)
		return vaccel_invalid(req, "header");

	req->reply.status = le16_to_cpu(header.status);
	if (req->reply.status == VIRTIO_ACCEL_S_OK) {
		if (used != req->in.bytes)
			return vaccel_invalid(req, "payload length");
		return vaccel_decode_payload(req);
	}
	if (!payload)
		return 0;
	/* An event despite a failure: the device cannot say whether it admitted the work. */
	if (req->opcode == VIRTIO_ACCEL_OP_SUBMIT && used == req->in.bytes &&
	    vaccel_status_known(req->reply.status))
		return vaccel_decode_id(req);
	return vaccel_invalid(req, "payload despite a failure");
}

/**
 * vaccel_request_run() - publish a request and wait for its response
 * @req: a new request
 *
 * After -ERESTARTSYS nothing was published. After -EINTR the device still owns
 * the request, and req->done takes care of the result.
 *
 * Context: process context, may sleep.
 * Return: 0 with a valid req->reply, of whatever status, or a negative errno.
 */
int vaccel_request_run(struct vaccel_request *req)
{
	int ret = vaccel_vq_post(req);

	return ret ?: vaccel_vq_wait(req);
}

/* vaccel_request_run(), with a refusal by the device as an errno. */
int vaccel_request_command(struct vaccel_request *req)
{
	int ret = vaccel_request_run(req);

	return ret ?: vaccel_status_errno(req->reply.status);
}

/* The errno of a refusal: docs/uapi.md. */
int vaccel_status_errno(u16 status)
{
	switch (status) {
	case VIRTIO_ACCEL_S_OK:
		return 0;
	case VIRTIO_ACCEL_S_UNSUPPORTED:
		return -EOPNOTSUPP;
	case VIRTIO_ACCEL_S_INCOMPATIBLE:
		return -ENOEXEC;
	case VIRTIO_ACCEL_S_INVALID_ARGUMENT:
		return -EINVAL;
	case VIRTIO_ACCEL_S_OUT_OF_BOUNDS:
		return -ERANGE;
	case VIRTIO_ACCEL_S_BUSY:
		return -EBUSY;
	case VIRTIO_ACCEL_S_OUT_OF_MEMORY:
		return -ENOMEM;
	case VIRTIO_ACCEL_S_RESOURCE_LIMIT:
		return -ENOSPC;
	case VIRTIO_ACCEL_S_DEADLINE_EXPIRED:
		return -ETIME;
	case VIRTIO_ACCEL_S_DEVICE_LOST:
		return -ENODEV;
	case VIRTIO_ACCEL_S_PERMISSION_DENIED:
		return -EPERM;
	default:
		return -EIO;
	}
}
