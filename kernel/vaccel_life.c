// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lives of a device: each from a start of the virtqueue to the next reset.
 *
 * A life begins when the driver is bound, after a suspend, and after a reset of
 * the function or by us. Objects of the life before are gone then; files stay and
 * can make new ones.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/virtio_config.h>

#include <drm/drm_managed.h>

#include "vaccel_drv.h"

static bool auto_reset;
module_param(auto_reset, bool, 0644);
MODULE_PARM_DESC(auto_reset,
		 "Reset a lost device and go on (default: no, since VMMs abort if the back end is gone)");

/* Who is lost again and again is reset more and more rarely. */
#define VACCEL_PAUSE_SHORTEST	HZ
#define VACCEL_PAUSE_LONGEST	(64 * HZ)
#define VACCEL_GOOD_LIFE	(2 * VACCEL_PAUSE_LONGEST)

/* What the chains of the device can carry. */
static void vaccel_limits_init(struct vaccel_device *dev)
{
	const struct vaccel_vq *vq = &dev->vq;
	size_t seg = min3(virtio_max_dma_size(dev->vdev), KMALLOC_MAX_SIZE, (size_t)SZ_1G);

	dev->max_segs = min(le16_to_cpu(dev->config.max_chain_descriptors),
			    vq->indirect ? vq->size : vq->share[VACCEL_BULK]);
	dev->max_seg_bytes = max(round_down(seg, PAGE_SIZE), PAGE_SIZE);
	dev->max_request = min_t(u64, le32_to_cpu(dev->config.max_request_bytes),
				 (u64)dev->max_seg_bytes * (dev->max_segs - 1));
	dev->max_response = min_t(u64, le32_to_cpu(dev->config.max_response_bytes),
				  (u64)dev->max_seg_bytes * (dev->max_segs - 1));
}

static void vaccel_config_work(struct work_struct *work)
{
	struct vaccel_device *dev = container_of(work, struct vaccel_device, config_work);

	if (dev->vdev->config->get_status(dev->vdev) & VIRTIO_CONFIG_S_NEEDS_RESET)
		vaccel_vq_lose(dev, "it needs a reset");
}

/* Context: interrupt. */
void vaccel_config_changed(struct virtio_device *vdev)
{
	struct vaccel_device *dev = vdev->priv;

	queue_work(dev->vq_wq, &dev->config_work);
}

static void vaccel_life_end(struct vaccel_device *dev)
{
	lockdep_assert_held(&dev->life);
	vaccel_vq_stop(dev);
	cancel_work_sync(&dev->config_work);
}

/* Begin another life of a device that was reset and has accepted its features. */
static int vaccel_life_begin(struct vaccel_device *dev)
{
	struct drm_virtio_accel_device_info info;
	struct virtio_accel_config config;
	int ret;

	lockdep_assert_held(&dev->life);
	ret = vaccel_config_read(dev->vdev, &config);
	if (!ret && memcmp(&config, &dev->config, sizeof(config)))
		ret = -ENODEV;
	if (!ret)
		ret = vaccel_vq_start(dev);
	if (!ret)
		ret = vaccel_info_fetch(dev, &info);
	if (!ret && memcmp(&info, &dev->info, sizeof(info)))
		ret = -ENODEV;
	if (ret) {
		drm_err_ratelimited(&dev->drm, "not the same device after a reset: %d\n", ret);
		vaccel_life_end(dev);
	}
	dev->born = jiffies;
	return ret;
}

/* What the virtio core does before it calls ->restore(). */
static int vaccel_negotiate(struct virtio_device *vdev)
{
	int ret;

	virtio_add_status(vdev, VIRTIO_CONFIG_S_ACKNOWLEDGE);
	virtio_add_status(vdev, VIRTIO_CONFIG_S_DRIVER);
	ret = vdev->config->finalize_features(vdev);
	if (ret)
		return ret;
	virtio_add_status(vdev, VIRTIO_CONFIG_S_FEATURES_OK);
	return vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_FEATURES_OK ? 0 : -ENODEV;
}

static void vaccel_life_renew(struct vaccel_device *dev)
{
	bool good = time_after(jiffies, dev->born + VACCEL_GOOD_LIFE);
	int ret;

	WRITE_ONCE(dev->reset_pause, good ? VACCEL_PAUSE_SHORTEST :
		   min(2 * dev->reset_pause, VACCEL_PAUSE_LONGEST));
	vaccel_life_end(dev);
	ret = vaccel_negotiate(dev->vdev) ?: vaccel_life_begin(dev);
	if (ret)
		vaccel_life_lost(dev);
	else
		drm_info(&dev->drm, "reset; contexts can be made again\n");
}

static void vaccel_reset_work(struct work_struct *work)
{
	struct vaccel_device *dev = container_of(to_delayed_work(work), struct vaccel_device,
						 reset_work);

	mutex_lock(&dev->life);
	if (!dev->parked && READ_ONCE(dev->vq.lost))
		vaccel_life_renew(dev);
	mutex_unlock(&dev->life);
}

/**
 * vaccel_life_lost() - begin another life later, if that is wanted
 * @dev: device that was lost by its own fault
 *
 * Context: any.
 */
void vaccel_life_lost(struct vaccel_device *dev)
{
	if (READ_ONCE(auto_reset))
		queue_delayed_work(dev->reap_wq, &dev->reset_work, READ_ONCE(dev->reset_pause));
}

/**
 * vaccel_life_first() - begin the first life
 * @dev: device to which the driver is being bound
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_life_first(struct vaccel_device *dev)
{
	int ret;

	mutex_lock(&dev->life);
	ret = vaccel_config_read(dev->vdev, &dev->config);
	if (!ret)
		ret = vaccel_vq_start(dev);
	if (ret)
		goto out;
	vaccel_limits_init(dev);
	ret = vaccel_info_fetch(dev, &dev->info);
	if (ret)
		vaccel_life_end(dev);
	dev->born = jiffies;
	dev->parked = ret;
out:
	mutex_unlock(&dev->life);
	return ret;
}

/**
 * vaccel_life_park() - end a life, and begin no other one before vaccel_life_resume()
 * @vdev: device that is suspended, reset or taken away
 *
 * Waits for a change of life under way, and so for command_timeout at most.
 *
 * Context: process context, may sleep.
 * Return: 0.
 */
int vaccel_life_park(struct virtio_device *vdev)
{
	struct vaccel_device *dev = vdev->priv;

	mutex_lock(&dev->life);
	dev->parked = true;
	vaccel_life_end(dev);
	mutex_unlock(&dev->life);
	cancel_delayed_work_sync(&dev->reset_work);
	return 0;
}

/**
 * vaccel_life_resume() - begin another life
 * @vdev: parked device that was reset and has accepted its features
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_life_resume(struct virtio_device *vdev)
{
	struct vaccel_device *dev = vdev->priv;
	int ret;

	mutex_lock(&dev->life);
	dev->parked = false;
	ret = vaccel_life_begin(dev);
	mutex_unlock(&dev->life);
	return ret;
}

/* Once, before the first life. */
int vaccel_life_init(struct vaccel_device *dev)
{
	dev->parked = true;
	dev->reset_pause = VACCEL_PAUSE_SHORTEST;
	INIT_WORK(&dev->config_work, vaccel_config_work);
	INIT_DELAYED_WORK(&dev->reset_work, vaccel_reset_work);
	return drmm_mutex_init(&dev->drm, &dev->life);
}
