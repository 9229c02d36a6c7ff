// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the device says about itself: configuration space and GET_DEVICE_INFO.
 */
#include <linux/virtio_config.h>

#include "vaccel_drv.h"

/* Userspace gets the numbers of the wire. */
static_assert(DRM_VIRTIO_ACCEL_TARGET_WORDS == VIRTIO_ACCEL_TARGET_WORDS);
static_assert(DRM_VIRTIO_ACCEL_UUID_BYTES == VIRTIO_ACCEL_UUID_BYTES);
static_assert(DRM_VIRTIO_ACCEL_MAX_BINDINGS == VIRTIO_ACCEL_MAX_BINDINGS);
static_assert(DRM_VIRTIO_ACCEL_CLASS_OTHER == VIRTIO_ACCEL_CLASS_OTHER);
static_assert(DRM_VIRTIO_ACCEL_CLASS_NPU == VIRTIO_ACCEL_CLASS_NPU);
static_assert(DRM_VIRTIO_ACCEL_CLASS_GPU == VIRTIO_ACCEL_CLASS_GPU);
static_assert(DRM_VIRTIO_ACCEL_CLASS_DSP == VIRTIO_ACCEL_CLASS_DSP);
static_assert(DRM_VIRTIO_ACCEL_CAP_HOST_VISIBLE_MEMORY == VIRTIO_ACCEL_CAP_HOST_VISIBLE_MEMORY);
static_assert(DRM_VIRTIO_ACCEL_CAP_DEVICE_LOCAL_MEMORY == VIRTIO_ACCEL_CAP_DEVICE_LOCAL_MEMORY);
static_assert(DRM_VIRTIO_ACCEL_CAP_EVENT_CANCELLATION == VIRTIO_ACCEL_CAP_EVENT_CANCELLATION);
static_assert(DRM_VIRTIO_ACCEL_CAP_SHARED_MEMORY == VIRTIO_ACCEL_CAP_SHARED_MEMORY);
static_assert(sizeof(struct virtio_accel_config) == 16);
static_assert(sizeof(struct virtio_accel_device_info) == 76);
static_assert(sizeof(struct drm_virtio_accel_device_info) == 88);

static bool vaccel_config_valid(const struct virtio_accel_config *config)
{
	u16 descriptors = le16_to_cpu(config->max_chain_descriptors);
	u32 request = le32_to_cpu(config->max_request_bytes);
	u32 response = le32_to_cpu(config->max_response_bytes);

	return le16_to_cpu(config->protocol_major) == VIRTIO_ACCEL_VERSION_MAJOR &&
	       le16_to_cpu(config->command_queue_count) == VIRTIO_ACCEL_VQ_COUNT &&
	       descriptors >= VIRTIO_ACCEL_MIN_CHAIN_DESCRIPTORS &&
	       descriptors <= VIRTIO_ACCEL_MAX_CHAIN_DESCRIPTORS &&
	       request >= VIRTIO_ACCEL_MIN_REQUEST_BYTES &&
	       request <= VIRTIO_ACCEL_MAX_REQUEST_BYTES &&
	       response >= VIRTIO_ACCEL_MIN_RESPONSE_BYTES &&
	       response <= VIRTIO_ACCEL_MAX_RESPONSE_BYTES;
}

/**
 * vaccel_config_read() - read the configuration space once and validate it
 * @vdev: virtio device
 * @config: filled in
 *
 * Context: process context, may sleep.
 * Return: 0, or -ENODEV if this is no device of protocol 1.
 */
int vaccel_config_read(struct virtio_device *vdev, struct virtio_accel_config *config)
{
	virtio_cread_bytes(vdev, 0, config, sizeof(*config));
	return vaccel_config_valid(config) ? 0 : -ENODEV;
}

/* Protocol.md 2.5. */
static bool vaccel_info_valid(const struct virtio_accel_device_info *wire)
{
	u64 capabilities = le64_to_cpu(wire->capabilities);
	u32 bindings = le32_to_cpu(wire->max_bindings_per_submission);

	return !wire->reserved &&
	       !(capabilities & VIRTIO_ACCEL_CAP_RESERVED_MASK) &&
	       (capabilities & VIRTIO_ACCEL_CAP_MEMORY_MASK) &&
	       wire->max_contexts && wire->max_buffers_per_context &&
	       wire->max_programs_per_context && wire->max_queues_per_context &&
	       wire->max_events_per_context &&
	       bindings && bindings <= VIRTIO_ACCEL_MAX_BINDINGS &&
	       wire->max_buffer_bytes && wire->max_artifact_bytes;
}

/* Limits of the device, tightened to what fits a chain and a GEM object. */
static void vaccel_info_convert(const struct vaccel_device *dev,
				const struct virtio_accel_device_info *wire,
				struct drm_virtio_accel_device_info *info)
{
	size_t header = sizeof(struct virtio_accel_request_header);
	u64 artifact = dev->max_request - header - sizeof(struct virtio_accel_load_program);
	u32 bindings = (dev->max_request - header - sizeof(struct virtio_accel_submit)) /
		       sizeof(struct virtio_accel_binding);
	u64 buffer = round_down(min_t(u64, SIZE_MAX, S64_MAX), PAGE_SIZE);

	*info = (struct drm_virtio_accel_device_info) {
		.protocol_major = le16_to_cpu(dev->config.protocol_major),
		.protocol_minor = le16_to_cpu(dev->config.protocol_minor),
		.device_class = le16_to_cpu(wire->device_class),
		.vendor_id = le32_to_cpu(wire->vendor_id),
		.device_id = le32_to_cpu(wire->device_id),
		.capabilities = le64_to_cpu(wire->capabilities),
		.max_contexts = le32_to_cpu(wire->max_contexts),
		.max_buffers_per_context = le32_to_cpu(wire->max_buffers_per_context),
		.max_programs_per_context = le32_to_cpu(wire->max_programs_per_context),
		.max_queues_per_context = le32_to_cpu(wire->max_queues_per_context),
		.max_events_per_context = le32_to_cpu(wire->max_events_per_context),
		.max_bindings_per_submission =
			min(le32_to_cpu(wire->max_bindings_per_submission), bindings),
		.max_buffer_bytes = min(le64_to_cpu(wire->max_buffer_bytes), buffer),
		.max_artifact_bytes = min(le64_to_cpu(wire->max_artifact_bytes), artifact),
	};
	info->max_fence_timeout_ns = vaccel_fence_max_timeout();
	memcpy(info->uuid, wire->uuid, sizeof(info->uuid));
}

/**
 * vaccel_info_fetch() - ask the device what it is
 * @dev: started device
 * @info: filled in
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_info_fetch(struct vaccel_device *dev, struct drm_virtio_accel_device_info *info)
{
	struct virtio_accel_device_info wire;
	struct vaccel_request *req;
	int ret;

	req = vaccel_request_new(dev, dev->vq.epoch, VIRTIO_ACCEL_OP_GET_DEVICE_INFO,
				 0, sizeof(wire));
	if (IS_ERR(req))
		return PTR_ERR(req);
	ret = vaccel_request_command(req);
	if (ret)
		goto out;
	vaccel_frame_read(&req->in, sizeof(struct virtio_accel_response_header),
			  &wire, sizeof(wire));
	if (!vaccel_info_valid(&wire)) {
		drm_err(&dev->drm, "invalid device info\n");
		ret = -EIO;
		goto out;
	}
	vaccel_info_convert(dev, &wire, info);
out:
	vaccel_request_put(req);
	return ret;
}
