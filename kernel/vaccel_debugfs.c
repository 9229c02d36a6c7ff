// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a device for who looks for a fault: accel/DEVICE/state in debugfs.
 */
#include <linux/jiffies.h>
#include <linux/seq_file.h>

#include <drm/drm_debugfs.h>

#include "vaccel_drv.h"

/* More requests than these are only counted. */
#define VACCEL_SHOWN_REQUESTS	64

static void vaccel_show_ring(struct seq_file *m, struct vaccel_vq *vq)
{
	static const char * const names[VACCEL_CLASSES] = { "control", "polls", "others" };
	enum vaccel_class class;

	lockdep_assert_held(&vq->lock);
	seq_printf(m, "epoch %u\n", vq->epoch);
	seq_printf(m, "lost %s\n", !vq->lost ? "no" : vq->why_lost ?: "by the driver");
	seq_printf(m, "ring %u free %u%s\n", vq->size, vq->vq ? vq->vq->num_free : 0,
		   vq->indirect ? " indirect" : "");
	for (class = 0; class < VACCEL_CLASSES; class++)
		seq_printf(m, "%s used %u share %u limit %u waiting %zu\n", names[class],
			   vq->used[class], vq->share[class], vq->limit[class],
			   list_count_nodes(&vq->turns[class]));
	seq_printf(m, "orphans %u of %u\n", vq->orphans, vq->max_orphans);
	seq_printf(m, "commands %llu answers %llu refusals %llu losses %llu\n", vq->commands,
		   vq->answers, vq->refusals, vq->losses);
}

static void vaccel_show_inflight(struct seq_file *m, struct vaccel_vq *vq)
{
	unsigned int left = VACCEL_SHOWN_REQUESTS;
	struct vaccel_request *req;

	lockdep_assert_held(&vq->lock);
	seq_printf(m, "in flight %zu\n", list_count_nodes(&vq->inflight));
	list_for_each_entry(req, &vq->inflight, node) {
		if (!left--)
			break;
		seq_printf(m, "  opcode 0x%04x id %llu age_ms %lld%s\n", req->opcode, req->id,
			   ktime_ms_delta(ktime_get(), req->posted),
			   req->state == VACCEL_REQUEST_ORPHANED ? " orphan" : "");
	}
}

static void vaccel_show_objects(struct seq_file *m, struct vaccel_device *dev)
{
	static const char * const names[] = {
		[VACCEL_CONTEXT] = "contexts",
		[VACCEL_BUFFER] = "buffers",
		[VACCEL_PROGRAM] = "programs",
		[VACCEL_QUEUE] = "queues",
		[VACCEL_EVENT] = "events",
	};
	unsigned int kind;

	spin_lock(&dev->ids_lock);
	for (kind = 0; kind < ARRAY_SIZE(names); kind++)
		seq_printf(m, "%s %u\n", names[kind], dev->tracked[kind]);
	spin_unlock(&dev->ids_lock);
	spin_lock(&dev->reap_lock);
	seq_printf(m, "to release %zu\n", list_count_nodes(&dev->reap_list));
	spin_unlock(&dev->reap_lock);
}

static int vaccel_state_show(struct seq_file *m, void *unused)
{
	struct drm_debugfs_entry *entry = m->private;
	struct vaccel_device *dev = to_vaccel(entry->dev);

	spin_lock(&dev->vq.lock);
	vaccel_show_ring(m, &dev->vq);
	vaccel_show_inflight(m, &dev->vq);
	spin_unlock(&dev->vq.lock);
	vaccel_show_objects(m, dev);
	return 0;
}

/* After registration: DRM calls ->debugfs_init() for no accelerator. */
void vaccel_debugfs_init(struct vaccel_device *dev)
{
	drm_debugfs_add_file(&dev->drm, "state", vaccel_state_show, NULL);
}
