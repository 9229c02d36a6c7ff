// SPDX-License-Identifier: GPL-2.0-only
/*
 * The virtio driver: binding to a device and letting go of it.
 */
#include <linux/module.h>
#include <linux/virtio_config.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "vaccel_drv.h"

static unsigned int device_id;
module_param(device_id, uint, 0444);
MODULE_PARM_DESC(device_id, "One more virtio device id to bind to, if not 0");

/*
 * A driver must not accept the reserved bits. Listing them makes the core report
 * those that the device offers, and vaccel_validate() then refuses the device.
 */
static const unsigned int vaccel_features[] = {
	VIRTIO_ACCEL_F_MULTI_QUEUE,
	VIRTIO_ACCEL_F_EVENT_QUEUE,
	VIRTIO_ACCEL_F_EXTERNAL_MEMORY,
	VIRTIO_ACCEL_F_TIMELINE_FENCES,
	VIRTIO_ACCEL_F_SECURE_CONTEXTS,
};

static int vaccel_validate(struct virtio_device *vdev)
{
	struct virtio_accel_config config;
	unsigned int i;

	if (!virtio_has_feature(vdev, VIRTIO_F_VERSION_1))
		return -ENODEV;
	for (i = 0; i < ARRAY_SIZE(vaccel_features); i++)
		if (virtio_has_feature(vdev, vaccel_features[i]))
			return -ENODEV;
	return vaccel_config_read(vdev, &config);
}

/* Runs when the last file is closed, if that is after the device has gone. */
static void vaccel_fini(struct drm_device *drm, void *data)
{
	struct vaccel_device *dev = data;

	vaccel_poll_fini(dev);
	flush_delayed_work(&dev->reap_work);
	cancel_delayed_work_sync(&dev->reap_work);
	destroy_workqueue(dev->reap_wq);
	cancel_delayed_work_sync(&dev->vq.drain);
	destroy_workqueue(dev->vq_wq);
}

static int vaccel_init(struct vaccel_device *dev)
{
	int ret;

	spin_lock_init(&dev->buffers_lock);
	spin_lock_init(&dev->ids_lock);
	dev->ids = RB_ROOT;
	spin_lock_init(&dev->users_lock);
	INIT_LIST_HEAD(&dev->users);
	vaccel_bulk_init(dev);
	vaccel_vq_init(dev);
	vaccel_reap_init(dev);
	ret = vaccel_life_init(dev);
	if (ret)
		return ret;

	/* The reaper waits for the other one. */
	dev->vq_wq = alloc_workqueue("virtio_accel", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!dev->vq_wq)
		return -ENOMEM;
	dev->reap_wq = alloc_workqueue("virtio_accel_reap", WQ_UNBOUND, 0);
	if (!dev->reap_wq)
		goto err_vq;
	ret = vaccel_poll_init(dev);
	if (ret)
		goto err_reap;
	return drmm_add_action_or_reset(&dev->drm, vaccel_fini, dev);

err_reap:
	destroy_workqueue(dev->reap_wq);
err_vq:
	destroy_workqueue(dev->vq_wq);
	return -ENOMEM;
}

static int vaccel_probe(struct virtio_device *vdev)
{
	struct vaccel_device *dev;
	int ret;

	dev = devm_drm_dev_alloc(&vdev->dev, &vaccel_drm_driver, struct vaccel_device, drm);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	dev->vdev = vdev;
	vdev->priv = dev;
	ret = vaccel_init(dev);
	if (ret)
		return ret;
	ret = vaccel_life_first(dev);
	if (ret)
		return ret;
	ret = drm_dev_register(&dev->drm, 0);
	if (ret) {
		vaccel_life_park(vdev);
		return ret;
	}
	vaccel_debugfs_init(dev);
	return 0;
}

static void vaccel_remove(struct virtio_device *vdev)
{
	struct vaccel_device *dev = vdev->priv;

	/* Who waits must leave before the file operations can be shut. */
	vaccel_life_park(vdev);
	drm_dev_unplug(&dev->drm);
}

static const struct virtio_device_id vaccel_id_table[] = {
	{ VIRTIO_ACCEL_ID_EXPERIMENTAL, VIRTIO_DEV_ANY_ID },
	{ 0 },
};
MODULE_DEVICE_TABLE(virtio, vaccel_id_table);

/* The same with device_id: filled in before the driver is registered. */
static struct virtio_device_id vaccel_ids[] = {
	{ VIRTIO_ACCEL_ID_EXPERIMENTAL, VIRTIO_DEV_ANY_ID },
	{ 0 },
	{ 0 },
};

static struct virtio_driver vaccel_driver = {
	.driver.name = "virtio_accel",
	.driver.dev_groups = vaccel_groups,
	.id_table = vaccel_ids,
	.feature_table = vaccel_features,
	.feature_table_size = ARRAY_SIZE(vaccel_features),
	.validate = vaccel_validate,
	.probe = vaccel_probe,
	.remove = vaccel_remove,
	.config_changed = vaccel_config_changed,
	.freeze = pm_sleep_ptr(vaccel_life_park),
	.restore = pm_sleep_ptr(vaccel_life_resume),
#ifdef HAVE_VIRTIO_RESET_OPS
	.reset_prepare = vaccel_life_park,
	.reset_done = vaccel_life_resume,
#endif
};

static int __init vaccel_module_init(void)
{
	if (device_id == VIRTIO_DEV_ANY_ID)
		return -EINVAL;
	if (device_id)
		vaccel_ids[1] = (struct virtio_device_id) { device_id, VIRTIO_DEV_ANY_ID };
	return register_virtio_driver(&vaccel_driver);
}
module_init(vaccel_module_init);

static void __exit vaccel_module_exit(void)
{
	unregister_virtio_driver(&vaccel_driver);
}
module_exit(vaccel_module_exit);

MODULE_DESCRIPTION("virtio accelerator driver");
MODULE_LICENSE("GPL");
