// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs.
 */
#include <linux/slab.h>

#include "vaccel_drv.h"

static struct vaccel_request *vaccel_program_request(struct vaccel_object *obj,
						     const struct drm_virtio_accel_prog_load *args)
{
	struct virtio_accel_load_program *payload;
	struct vaccel_request *req;
	unsigned int i;
	int ret;

	req = vaccel_request_new(obj->dev, obj->epoch, VIRTIO_ACCEL_OP_LOAD_PROGRAM,
				 sizeof(*payload) + args->artifact_size,
				 sizeof(struct virtio_accel_object));
	if (IS_ERR(req))
		return req;

	payload = vaccel_request_payload(req);
	*payload = (struct virtio_accel_load_program) {
		.context_id = cpu_to_le64(obj->ctx->obj.id),
		.format = cpu_to_le32(args->format),
		.payload_bytes = cpu_to_le64(args->artifact_size),
		.resident_bytes = cpu_to_le64(args->resident_bytes),
	};
	for (i = 0; i < ARRAY_SIZE(payload->target); i++)
		payload->target[i] = cpu_to_le32(args->target[i]);

	ret = vaccel_frame_from_user(&req->out, req->out.bytes - args->artifact_size,
				     args->artifact_addr, args->artifact_size);
	if (ret) {
		vaccel_request_put(req);
		return ERR_PTR(ret);
	}
	return req;
}

VACCEL_IOCTL(prog_load)
{
	struct drm_virtio_accel_prog_load *args = data;
	struct vaccel_device *dev = to_vaccel(drm);
	struct vaccel_file *file = filp->driver_priv;
	struct vaccel_context *ctx;
	struct vaccel_program *program;
	int ret = -ENOMEM;

	if (args->flags || args->pad || args->pad2 || !args->format || !args->resident_bytes ||
	    !args->artifact_size || args->artifact_size > dev->info.max_artifact_bytes)
		return -EINVAL;

	ctx = vaccel_context_lookup(file, args->ctx);
	if (!ctx)
		return -ENOENT;
	program = kzalloc_obj(*program, GFP_KERNEL_ACCOUNT);
	if (!program)
		goto out;
	vaccel_object_init(&program->obj, dev, VACCEL_PROGRAM, ctx);
	ret = vaccel_object_create(file, &program->obj,
				   vaccel_program_request(&program->obj, args), &args->handle);
out:
	vaccel_object_put(&ctx->obj);
	return ret;
}

VACCEL_IOCTL(prog_unload)
{
	struct drm_virtio_accel_prog_unload *args = data;

	if (args->pad)
		return -EINVAL;
	return vaccel_handle_destroy(filp->driver_priv, args->handle, VACCEL_PROGRAM);
}
