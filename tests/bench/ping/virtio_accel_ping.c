// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What a command costs a driver that does nothing else: READ_BUFFER of a few bytes,
 * one at a time, published and waited for with nothing in between.
 *
 * Measures while it is loaded, for want of anything to be called by.
 */
#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>

#include <linux/virtio_accel.h>

static unsigned int device_id;
module_param(device_id, uint, 0444);
MODULE_PARM_DESC(device_id, "Virtio device id to bind to");

static unsigned int round_trip_ns;
module_param(round_trip_ns, uint, 0444);
MODULE_PARM_DESC(round_trip_ns, "Result: the mean of the best batch");

/* As in selftests/bench.c. */
#define PING_BATCHES	15
#define PING_BATCH	50
#define PING_BYTES	4

struct ping {
	struct virtqueue *vq;
	struct completion done;
	u64 id;
	u8 out[128];
	u8 in[128];
};

static void ping_answered(struct virtqueue *vq)
{
	struct ping *ping = vq->vdev->priv;
	unsigned int used;

	if (virtqueue_get_buf(vq, &used))
		complete(&ping->done);
}

/* Send what is in @out; the response must be OK and have a payload of @in_bytes. */
static int ping_command(struct ping *ping, u16 opcode, size_t out_bytes, size_t in_bytes)
{
	struct virtio_accel_request_header *request = (void *)ping->out;
	struct virtio_accel_response_header *response = (void *)ping->in;
	struct scatterlist out, in, *sgs[] = { &out, &in };
	int ret;

	*request = (struct virtio_accel_request_header) {
		.opcode = cpu_to_le16(opcode),
		.payload_bytes = cpu_to_le32(out_bytes),
		.request_id = cpu_to_le64(++ping->id),
	};
	sg_init_one(&out, ping->out, sizeof(*request) + out_bytes);
	sg_init_one(&in, ping->in, sizeof(*response) + in_bytes);
	ret = virtqueue_add_sgs(ping->vq, sgs, 1, 1, ping, GFP_KERNEL);
	if (ret)
		return ret;
	virtqueue_kick(ping->vq);
	wait_for_completion(&ping->done);
	return response->status || le32_to_cpu(response->payload_bytes) != in_bytes ? -EIO : 0;
}

/* A command that returns an id. */
static int ping_create(struct ping *ping, u16 opcode, size_t out_bytes, __le64 *id)
{
	struct virtio_accel_object *object =
		(void *)(ping->in + sizeof(struct virtio_accel_response_header));
	int ret = ping_command(ping, opcode, out_bytes, sizeof(*object));

	*id = object->object_id;
	return ret;
}

static int ping_buffer(struct ping *ping, __le64 *buffer)
{
	void *payload = ping->out + sizeof(struct virtio_accel_request_header);
	__le64 context;
	int ret;

	ret = ping_create(ping, VIRTIO_ACCEL_OP_CREATE_CONTEXT,
			  sizeof(struct virtio_accel_create_context), &context);
	if (ret)
		return ret;
	*(struct virtio_accel_allocate_buffer *)payload = (struct virtio_accel_allocate_buffer) {
		.context_id = context,
		.bytes = cpu_to_le64(PING_BYTES),
		.alignment = cpu_to_le64(16),
		.memory_domain = VIRTIO_ACCEL_DOMAIN_SHARED,
		.usage = cpu_to_le32(VIRTIO_ACCEL_USAGE_MASK),
	};
	return ping_create(ping, VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
			   sizeof(struct virtio_accel_allocate_buffer), buffer);
}

static int ping_measure(struct ping *ping)
{
	void *payload = ping->out + sizeof(struct virtio_accel_request_header);
	__le64 buffer;
	unsigned int i, j;
	int ret = ping_buffer(ping, &buffer);

	if (ret)
		return ret;
	*(struct virtio_accel_transfer *)payload = (struct virtio_accel_transfer) {
		.buffer_id = buffer,
		.bytes = cpu_to_le64(PING_BYTES),
	};
	round_trip_ns = UINT_MAX;
	for (i = 0; i < PING_BATCHES; i++) {
		u64 start = ktime_get_ns();

		for (j = 0; !ret && j < PING_BATCH; j++)
			ret = ping_command(ping, VIRTIO_ACCEL_OP_READ_BUFFER,
					   sizeof(struct virtio_accel_transfer), PING_BYTES);
		if (ret)
			return ret;
		round_trip_ns = min_t(u64, round_trip_ns,
				      div_u64(ktime_get_ns() - start, PING_BATCH));
	}
	return 0;
}

static int ping_probe(struct virtio_device *vdev)
{
	struct ping *ping;
	int ret;

	ping = devm_kzalloc(&vdev->dev, sizeof(*ping), GFP_KERNEL);
	if (!ping)
		return -ENOMEM;
	init_completion(&ping->done);
	vdev->priv = ping;
	ping->vq = virtio_find_single_vq(vdev, ping_answered, "command");
	if (IS_ERR(ping->vq))
		return PTR_ERR(ping->vq);
	virtio_device_ready(vdev);
	ret = ping_measure(ping);
	virtio_reset_device(vdev);
	if (ret) {
		dev_err(&vdev->dev, "the device does not serve it: %d\n", ret);
		vdev->config->del_vqs(vdev);
	}
	return ret;
}

static void ping_remove(struct virtio_device *vdev)
{
	virtio_reset_device(vdev);
	vdev->config->del_vqs(vdev);
}

static struct virtio_device_id ping_ids[] = {
	{ VIRTIO_ACCEL_ID_EXPERIMENTAL, VIRTIO_DEV_ANY_ID },
	{ 0 },
};

static struct virtio_driver ping_driver = {
	.driver.name = "virtio_accel_ping",
	.id_table = ping_ids,
	.probe = ping_probe,
	.remove = ping_remove,
};

static int __init ping_init(void)
{
	if (device_id)
		ping_ids[0].device = device_id;
	return register_virtio_driver(&ping_driver);
}
module_init(ping_init);

static void __exit ping_exit(void)
{
	unregister_virtio_driver(&ping_driver);
}
module_exit(ping_exit);

MODULE_DESCRIPTION("round trip of a command, for comparison");
MODULE_LICENSE("Dual MIT/GPL");
