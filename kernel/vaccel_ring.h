/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command virtqueue: requests, their memory, and how they get there and back.
 */
#ifndef _VACCEL_RING_H
#define _VACCEL_RING_H

#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/virtio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct vaccel_device;
struct vaccel_object;
struct vaccel_request;

/*
 * struct vaccel_pin - pages of a user, in physically contiguous segments
 *
 * They stay where they are, and the user's, until the device is through with them.
 */
struct vaccel_pin {
	struct mm_struct *mm;		/* reference of the structure, for its pinned_vm */
	unsigned long npages;		/* that are counted there */
	size_t bytes;
	bool write;			/* by the device */
	unsigned int nsegs;
	unsigned int max_segs;
	struct scatterlist sg[] __counted_by(max_segs);
};

/*
 * struct vaccel_frame - memory of one frame, in physically contiguous segments
 *
 * All segments but the last have @seg_bytes bytes. A header and the fixed part
 * of any payload never cross the end of the first segment. The segments of @pin,
 * which are counted in @bytes and @nsegs, come last and have no place in @segs.
 */
struct vaccel_frame {
	size_t bytes;
	size_t seg_bytes;
	unsigned int nsegs;
	void **segs;
	void *seg0;		/* what @segs points to if there is only one */
	struct vaccel_pin *pin;	/* may be NULL */
};

/* Who shares the ring, in the order in which free descriptors are given out. */
enum vaccel_class {
	VACCEL_CONTROL,			/* releases something or stops work */
	VACCEL_POLL,
	VACCEL_BULK,
	VACCEL_CLASSES,
};

/*
 * struct vaccel_vq - the command virtqueue and what is on it
 */
struct vaccel_vq {
	struct virtqueue *vq;		/* written with @lock */

	/* How the ring is divided, in descriptors; constant once started. */
	unsigned int size;
	bool indirect;			/* a chain takes one descriptor */
	unsigned int share[VACCEL_CLASSES];	/* never refused for long */
	unsigned int limit[VACCEL_CLASSES];	/* never exceeded */
	unsigned int max_orphans;

	spinlock_t lock;		/* guards the ring and what names it below */
	struct list_head inflight;	/* @lock: requests that the ring owns */
	struct list_head turns[VACCEL_CLASSES];	/* @lock: who sleeps for descriptors */
	bool poller_waits;		/* @lock: vaccel_vq_try_post() found no room */
	bool unkicked;			/* @lock: the device was not told of all requests */
	unsigned int used[VACCEL_CLASSES];	/* @lock: descriptors */
	unsigned int orphans;		/* @lock: requests whose caller was killed */
	u64 commands;			/* @lock, like what follows: counted in all lives */
	u64 answers;
	u64 refusals;			/* valid answers with another status than OK */
	u64 losses;			/* by a fault of the device */
	u64 next_id;			/* @lock */
	u32 epoch;			/* written with @lock: lives of the device so far */
	bool lost;			/* written with @lock: publish nothing */
	const char *why_lost;		/* @lock; NULL if that was no fault of the device */
	struct delayed_work drain;
	struct delayed_work watchdog;

	spinlock_t sleepers_lock;	/* irqs off; guards what names it below */
	struct list_head sleepers;	/* @sleepers_lock: requests that somebody waits for */
	bool fresh;			/* a sleeper was told of answers, and has yet to look */
};

/*
 * struct vaccel_reply - a validated response
 */
struct vaccel_reply {
	u16 status;		/* VIRTIO_ACCEL_S_* */
	u16 state;		/* POLL_EVENT: VIRTIO_ACCEL_EVENT_* */
	u16 error;		/* POLL_EVENT: why it FAILED */
	u64 id;			/* of the created object or event, or 0 */
};

enum vaccel_request_state {
	VACCEL_REQUEST_NEW,
	VACCEL_REQUEST_WAITING,
	VACCEL_REQUEST_ORPHANED,	/* the caller was killed */
	VACCEL_REQUEST_DONE,
};

/*
 * struct vaccel_request - one command
 *
 * The ring holds a reference from publication until it gives the chain back, so
 * whatever the device may write to outlives an impatient caller.
 */
struct vaccel_request {
	struct kref ref;
	struct vaccel_device *dev;
	u16 opcode;
	u32 epoch;
	u64 id;
	struct vaccel_object *object;	/* reference; whom the command is about */
	/*
	 * Called once, in process context, when the device has answered or broken
	 * the protocol (-EIO), whether or not anybody waits. May be NULL.
	 */
	void (*done)(struct vaccel_request *req, int error);
	/*
	 * The same, but called last: the ring is through with the request, which can
	 * be posted again from here on. Also with -ENODEV when the device is reset.
	 */
	void (*returned)(struct vaccel_request *req, int error);
	struct vaccel_reply reply;
	struct list_head node;		/* vq lock */
	enum vaccel_request_state state; /* written with vq lock */
	unsigned int slots;		/* vq lock: descriptors that it takes */
	ktime_t posted;			/* vq lock */
	unsigned long deadline;		/* vq lock; jiffies */
	int error;			/* vq lock until done */
	struct list_head sleeper;	/* sleepers_lock */
	wait_queue_head_t wq;		/* the one who waits */
	size_t bulk_bytes;		/* share in vaccel_device.bulk_bytes */
	struct vaccel_frame out;
	struct vaccel_frame in;
	struct scatterlist sg[];	/* of @out, then of @in */
};

/* vaccel_pin.c */
struct vaccel_pin *vaccel_pin_new(struct vaccel_device *dev, u64 addr, size_t bytes, bool write);
void vaccel_pin_free(struct vaccel_pin *pin);

/* vaccel_frame.c */
int vaccel_frame_init(struct vaccel_frame *frame, const struct vaccel_device *dev, size_t bytes,
		      unsigned int max_segs, gfp_t gfp);
void vaccel_frame_append(struct vaccel_frame *frame, struct vaccel_pin *pin);
void vaccel_frame_fini(struct vaccel_frame *frame);
void vaccel_frame_sg(const struct vaccel_frame *frame, struct scatterlist *sg);
void vaccel_frame_read(const struct vaccel_frame *frame, size_t at, void *to, size_t bytes);
void vaccel_frame_write(struct vaccel_frame *frame, size_t at, const void *from, size_t bytes);
int vaccel_frame_to_user(const struct vaccel_frame *frame, size_t at, u64 to, size_t bytes);
int vaccel_frame_from_user(struct vaccel_frame *frame, size_t at, u64 from, size_t bytes);

/* vaccel_vq.c */
void vaccel_vq_init(struct vaccel_device *dev);
int vaccel_vq_start(struct vaccel_device *dev);
void vaccel_vq_stop(struct vaccel_device *dev);
void vaccel_vq_lose(struct vaccel_device *dev, const char *why);
bool vaccel_vq_over(struct vaccel_vq *vq, u32 epoch);
void vaccel_vq_answers(struct vaccel_device *dev);
unsigned long vaccel_vq_timeout(u16 opcode);

/* vaccel_post.c */
int vaccel_vq_post(struct vaccel_request *req);
int vaccel_vq_try_post(struct vaccel_request *req);
void vaccel_vq_kick(struct vaccel_device *dev);
int vaccel_vq_wait(struct vaccel_request *req);
void vaccel_vq_divide(struct vaccel_vq *vq, unsigned int size, bool indirect);
void vaccel_vq_serve(struct vaccel_device *dev);
void vaccel_vq_remove_locked(struct vaccel_vq *vq, struct vaccel_request *req);
void vaccel_vq_dismiss_locked(struct vaccel_vq *vq);

/* vaccel_cmd.c */
struct vaccel_request *vaccel_request_new(struct vaccel_device *dev, u32 epoch, u16 opcode,
					  size_t out_bytes, size_t in_bytes);
struct vaccel_request *vaccel_request_new_pinned(struct vaccel_device *dev, u32 epoch, u16 opcode,
						 size_t out_bytes, size_t in_bytes,
						 struct vaccel_pin *pin);
struct vaccel_request *vaccel_request_for(struct vaccel_object *obj, u16 opcode, size_t in_bytes);
void vaccel_request_get(struct vaccel_request *req);
void vaccel_request_put(struct vaccel_request *req);
void vaccel_request_renew(struct vaccel_request *req);
void vaccel_request_again(struct vaccel_request *req, u16 opcode, size_t in_bytes);
void *vaccel_request_payload(struct vaccel_request *req);
int vaccel_request_decode(struct vaccel_request *req, u32 used);
int vaccel_request_run(struct vaccel_request *req);
int vaccel_request_command(struct vaccel_request *req);
int vaccel_status_errno(u16 status);

#endif /* _VACCEL_RING_H */
