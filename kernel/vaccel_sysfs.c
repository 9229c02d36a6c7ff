// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the device is, as attributes of the virtio device: for udev rules and for
 * who may not open it.
 */
#include <linux/device.h>
#include <linux/sysfs.h>
#include <linux/uuid.h>

#include "vaccel_drv.h"

static const struct drm_virtio_accel_device_info *vaccel_info_of(struct device *device)
{
	struct vaccel_device *dev = dev_to_virtio(device)->priv;

	return &dev->info;
}

#define VACCEL_ATTRIBUTE(name_, format_, ...)						\
static ssize_t name_##_show(struct device *device, struct device_attribute *attr, char *buf)	\
{											\
	const struct drm_virtio_accel_device_info *info = vaccel_info_of(device);	\
											\
	return sysfs_emit(buf, format_ "\n", __VA_ARGS__);				\
}											\
static DEVICE_ATTR_RO(name_)

VACCEL_ATTRIBUTE(uuid, "%pUb", info->uuid);
VACCEL_ATTRIBUTE(protocol, "%u.%u", info->protocol_major, info->protocol_minor);
VACCEL_ATTRIBUTE(class, "%u", info->device_class);
VACCEL_ATTRIBUTE(vendor_id, "0x%08x", info->vendor_id);
VACCEL_ATTRIBUTE(device_id, "0x%08x", info->device_id);
VACCEL_ATTRIBUTE(capabilities, "0x%016llx", info->capabilities);

static struct attribute *vaccel_attrs[] = {
	&dev_attr_uuid.attr,
	&dev_attr_protocol.attr,
	&dev_attr_class.attr,
	&dev_attr_vendor_id.attr,
	&dev_attr_device_id.attr,
	&dev_attr_capabilities.attr,
	NULL
};

static const struct attribute_group vaccel_group = {
	.name = "accelerator",
	.attrs = vaccel_attrs,
};

const struct attribute_group *vaccel_groups[] = { &vaccel_group, NULL };
