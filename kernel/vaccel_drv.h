/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * virtio-accel guest driver: what its files share.
 *
 * Layers, each calling only downwards:
 *
 *   ioctl, ctx, buf, xfer, submit, wait	what userspace asks for
 *   event, poll, fence, sync, notice	a submission, from acceptance to its end
 *   obj, reap, client	life of an object, from a command to its release
 *   cmd		one request and the validation of its response
 *   post, vq		the command virtqueue
 *   frame, pin		memory of a request or a response
 *
 * Lock order, outermost first:
 *
 *   vaccel_device.life (mutex)
 *   vaccel_file.objects (xa_lock), vaccel_device.buffers_lock (spin)
 *   vaccel_fence.lock (spin, irqs off)
 *   vaccel_poller.lock (spin, irqs off)
 *   vaccel_vq.lock, vaccel_device.ids_lock, vaccel_device.reap_lock (spin, leaves)
 *
 * Those with irqs off are taken in any context, the others never in an interrupt:
 * callbacks of the device only queue work.
 */
#ifndef _VACCEL_DRV_H
#define _VACCEL_DRV_H

#include <linux/completion.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/virtio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include <drm/virtio_accel.h>
#include <linux/virtio_accel.h>

struct vaccel_request;
struct vaccel_user;

enum vaccel_kind {
	VACCEL_CONTEXT,
	VACCEL_BUFFER,
	VACCEL_PROGRAM,
	VACCEL_QUEUE,
	VACCEL_EVENT,
	VACCEL_KINDS,
};

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
	struct work_struct drain;
	struct delayed_work watchdog;
};

/*
 * struct vaccel_poller - asks the device for the state of pending events
 */
struct vaccel_poller {
	spinlock_t lock;		/* guards what names it, here and elsewhere */
	struct list_head events;	/* lock: struct vaccel_event, until they end */
	struct list_head clients;	/* lock: struct vaccel_client, whose turn is next */
	struct hrtimer timer;		/* lock: the first event that is due */
	struct work_struct work;
	struct workqueue_struct *wq;
};

/*
 * struct vaccel_device - one accelerator
 *
 * Lives until the last file is closed, which can be after the virtio device has
 * gone: nothing but the virtqueue layer may use @vdev after probe.
 */
struct vaccel_device {
	struct drm_device drm;
	struct virtio_device *vdev;

	/* What the device said it can do; constant once probed. */
	struct virtio_accel_config config;
	struct drm_virtio_accel_device_info info;
	unsigned int max_segs;		/* descriptors of a chain */
	size_t max_seg_bytes;		/* bytes of a descriptor, whole pages */
	size_t max_request;		/* bytes of a frame that can be sent */
	size_t max_response;

	struct vaccel_vq vq;
	struct workqueue_struct *vq_wq;

	struct mutex life;		/* one change of life at a time */
	bool parked;			/* @life: no life begins by itself */
	unsigned long born;		/* @life; jiffies */
	unsigned long reset_pause;	/* written with @life; jiffies */
	struct work_struct config_work;
	struct delayed_work reset_work;	/* on @reap_wq */

	struct vaccel_poller poller;

	atomic_long_t bulk_bytes;	/* that transfers have in flight */
	wait_queue_head_t bulk_wait;	/* there are fewer, or the device was lost */

	spinlock_t buffers_lock;	/* guards what names it below */

	spinlock_t ids_lock;		/* guards what names it below */
	struct rb_root ids;		/* @ids_lock: objects that the device has */
	unsigned int tracked[VACCEL_KINDS];	/* @ids_lock: the same, counted */

	spinlock_t users_lock;		/* guards what names it below */
	struct list_head users;		/* @users_lock: struct vaccel_user */

	struct workqueue_struct *reap_wq;
	struct delayed_work reap_work;
	spinlock_t reap_lock;		/* guards what names it below */
	struct list_head reap_list;	/* @reap_lock: unreferenced objects */
};

/*
 * struct vaccel_client - what is counted and shared out by open file
 *
 * Its contexts hold references, so it can outlive the file.
 */
struct vaccel_client {
	struct kref ref;
	struct vaccel_device *dev;
	struct vaccel_user *user;
	atomic_t objects;		/* live ones, also counted in @user */
	atomic64_t submissions;		/* that the device has accepted */
	atomic64_t engine_ns;		/* from acceptance to end, summed up */
	struct rb_root_cached due;	/* poller.lock: struct vaccel_event, by time */
	struct list_head turn;		/* poller.lock: in vaccel_poller.clients */
	unsigned int asked;		/* poller.lock: events being asked for */
};

/*
 * struct vaccel_file - handles of one open file, buffers apart
 */
struct vaccel_file {
	struct vaccel_client *client;	/* reference */
	struct xarray objects;		/* xa_lock; struct vaccel_object */
	u32 next_handle;		/* xa_lock */
};

/*
 * struct vaccel_object - an object of the device and our references to it
 *
 * Whoever may still name the object to the device holds a reference: handles,
 * children, events, and the request that creates it. When the last one goes,
 * the reaper releases the object on the device. An object so outlives all that
 * depends on it, and a command that nobody waits for any more leaks nothing.
 */
struct vaccel_object {
	struct kref ref;
	enum vaccel_kind kind;
	u32 epoch;			/* life of the device that it belongs to */
	u64 id;				/* written with ids_lock; 0: not on the device */
	bool charged;			/* to its client; constant once it is on the device */
	struct rb_node id_node;		/* ids_lock; in vaccel_device.ids while there is an id */
	struct vaccel_device *dev;
	struct vaccel_context *ctx;	/* reference; NULL for a context */

	/* The reaper's, after the last reference. */
	struct list_head node;
	unsigned long reap_at;		/* jiffies */
	unsigned int reap_tries;
};

struct vaccel_context {
	struct vaccel_object obj;
	struct vaccel_client *client;	/* reference */
	bool closed;			/* written with xa_lock of the file: being destroyed */
	bool banned;			/* work of it could not be ended in time */
	struct list_head buffers;	/* buffers_lock: struct vaccel_gem */
};

struct vaccel_buffer {
	struct vaccel_object obj;
	u64 size;
	u32 usage;
};

struct vaccel_program {
	struct vaccel_object obj;
	u64 run_ns;			/* poller.lock: how long it is thought to run */
};

enum vaccel_phase {
	VACCEL_EVENT_NEW,		/* nothing asked of the device yet */
	VACCEL_EVENT_SUBMITTED,		/* SUBMIT is with the device */
	VACCEL_EVENT_PENDING,		/* accepted */
	VACCEL_EVENT_RELEASING,		/* ended, being destroyed on the device */
	VACCEL_EVENT_ENDED,		/* and everybody was told */
};

/*
 * struct vaccel_event - a submission
 *
 * The poller holds a reference while the event is in vaccel_poller.events. All
 * that it takes to end the event is allocated before it begins.
 */
struct vaccel_event {
	struct vaccel_object obj;
	u64 timeout_ns;			/* 0 is no limit */
	unsigned int nheld;
	struct vaccel_object **held;	/* queue, program and buffers, referenced */

	/* poller.lock guards all of this. */
	enum vaccel_phase phase;
	u16 state;			/* VIRTIO_ACCEL_EVENT_*, from RELEASING on */
	u16 status;			/* why it FAILED */
	int gone;			/* why the state will never be known */
	int poll_error;			/* why the last POLL_EVENT failed */
	bool asked;			/* @request is with the device */
	bool doomed;			/* CANCEL_EVENT is to be sent */
	bool cancelled;			/* CANCEL_EVENT was sent */
	bool overdue;			/* and nobody but the driver wanted it */
	bool refused;			/* CANCEL_EVENT, once */
	unsigned int watchers;		/* who wants to know soon */
	u64 answers;			/* to POLL_EVENT */
	ktime_t accepted;
	ktime_t answered;		/* the last time */
	ktime_t due;
	struct rb_node due_node;	/* in vaccel_client.due unless asked */
	struct list_head node;		/* in vaccel_poller.events */
	struct list_head waiters;	/* struct vaccel_waiter */
	struct vaccel_request *request;	/* POLL_EVENT, then DESTROY_EVENT */
	struct vaccel_request *cancel;	/* CANCEL_EVENT */
	struct vaccel_fence *fence;	/* reference, or NULL */
	struct vaccel_notice *notice;	/* or NULL */

	/* In-syncs, and the command that waits for them: vaccel_sync.c. */
	struct vaccel_request *submit;
	struct vaccel_dep *deps;
	unsigned int ndeps;
	atomic_t deps_left;
	struct work_struct ready;
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
	enum vaccel_request_state state; /* vq lock */
	unsigned int slots;		/* vq lock: descriptors that it takes */
	ktime_t posted;			/* vq lock */
	unsigned long deadline;		/* vq lock; jiffies */
	int error;			/* vq lock until done */
	struct completion completion;
	size_t bulk_bytes;		/* share in vaccel_device.bulk_bytes */
	struct vaccel_frame out;
	struct vaccel_frame in;
	struct scatterlist sg[];	/* of @out, then of @in */
};

#define to_vaccel(drm_)		container_of(drm_, struct vaccel_device, drm)
#define to_context(obj_)	container_of(obj_, struct vaccel_context, obj)
#define to_buffer(obj_)		container_of(obj_, struct vaccel_buffer, obj)
#define to_program(obj_)	container_of(obj_, struct vaccel_program, obj)
#define to_event(obj_)		container_of(obj_, struct vaccel_event, obj)

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

/* vaccel_life.c */
int vaccel_life_init(struct vaccel_device *dev);
int vaccel_life_first(struct vaccel_device *dev);
int vaccel_life_park(struct virtio_device *vdev);
int vaccel_life_resume(struct virtio_device *vdev);
void vaccel_life_lost(struct vaccel_device *dev);
void vaccel_config_changed(struct virtio_device *vdev);

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

/* vaccel_info.c */
int vaccel_config_read(struct virtio_device *vdev, struct virtio_accel_config *config);
int vaccel_info_fetch(struct vaccel_device *dev, struct drm_virtio_accel_device_info *info);

/* vaccel_client.c */
struct vaccel_client *vaccel_client_new(struct vaccel_device *dev);
struct vaccel_client *vaccel_client_get(struct vaccel_client *client);
void vaccel_client_put(struct vaccel_client *client);
int vaccel_client_charge(struct vaccel_client *client);
void vaccel_client_uncharge(struct vaccel_client *client);
void vaccel_client_show(struct vaccel_client *client, struct drm_printer *p);

/* vaccel_debugfs.c */
void vaccel_debugfs_init(struct vaccel_device *dev);

/* vaccel_sysfs.c */
extern const struct attribute_group *vaccel_groups[];

/* vaccel_obj.c */
void vaccel_object_init(struct vaccel_object *obj, struct vaccel_device *dev,
			enum vaccel_kind kind, struct vaccel_context *ctx);
struct vaccel_object *vaccel_object_get(struct vaccel_object *obj);
void vaccel_object_put(struct vaccel_object *obj);
int vaccel_object_answered(struct vaccel_object *obj, const struct vaccel_request *req);
void vaccel_object_forget(struct vaccel_object *obj);
int vaccel_object_charge(struct vaccel_object *obj);
void vaccel_object_fini(struct vaccel_object *obj);
int vaccel_object_create(struct vaccel_file *file, struct vaccel_object *obj,
			 struct vaccel_request *req, u32 *handle);
int vaccel_object_release(struct vaccel_object *obj);
bool vaccel_object_orphaned(const struct vaccel_object *obj);

int vaccel_handle_reserve(struct vaccel_file *file, u32 *handle);
void vaccel_handle_cancel(struct vaccel_file *file, u32 handle);
int vaccel_handle_publish(struct vaccel_file *file, u32 handle, struct vaccel_object *obj);
struct vaccel_object *vaccel_handle_lookup(struct vaccel_file *file, u32 handle,
					   enum vaccel_kind kind);
bool vaccel_handle_drop(struct vaccel_file *file, u32 handle, struct vaccel_object *obj);
int vaccel_handle_destroy(struct vaccel_file *file, u32 handle, enum vaccel_kind kind);

/* vaccel_reap.c */
void vaccel_reap_init(struct vaccel_device *dev);
void vaccel_reap_queue(struct vaccel_object *obj);
void vaccel_reap_kick(struct vaccel_device *dev);
int vaccel_reap_create(struct vaccel_request *req);

/* vaccel_buf.c */
struct vaccel_buffer *vaccel_buffer_lookup(struct drm_file *filp, u32 handle);
void vaccel_buffers_revoke(struct vaccel_context *ctx);

/* vaccel_xfer.c */
void vaccel_bulk_init(struct vaccel_device *dev);
void vaccel_bulk_end(struct vaccel_request *req);

/* vaccel_ctx.c */
struct vaccel_context *vaccel_context_lookup(struct vaccel_file *file, u32 handle);
void vaccel_context_close(struct vaccel_file *file, struct vaccel_context *ctx);

/* vaccel_event.c */
struct vaccel_event *vaccel_event_new(struct vaccel_context *ctx, unsigned int nheld);
int vaccel_event_prepare(struct vaccel_event *event);
void vaccel_event_discard(struct vaccel_event *event);
enum vaccel_phase vaccel_event_phase(struct vaccel_event *event);
bool vaccel_event_begin(struct vaccel_event *event);
void vaccel_event_submitted(struct vaccel_request *req, int error);
void vaccel_event_track(struct vaccel_event *event);
void vaccel_event_end(struct vaccel_event *event, u16 state, u16 status, int gone);
void vaccel_event_drop(struct vaccel_event *event);
int vaccel_event_cancel(struct vaccel_event *event);
void vaccel_event_abandon(struct vaccel_event *event);

/* vaccel_poll.c */
int vaccel_poll_init(struct vaccel_device *dev);
void vaccel_poll_fini(struct vaccel_device *dev);
void vaccel_poll_lose(struct vaccel_device *dev);
void vaccel_poll_close(struct vaccel_context *ctx);
void vaccel_poll_begin_locked(struct vaccel_event *event);
void vaccel_poll_end_locked(struct vaccel_event *event);
void vaccel_poll_watch_locked(struct vaccel_event *event);
void vaccel_poll_now_locked(struct vaccel_event *event);
void vaccel_poll_again_locked(struct vaccel_event *event);
void vaccel_poll_done_locked(struct vaccel_event *event);

/* vaccel_ask.c */
bool vaccel_ask_cancels_locked(const struct vaccel_event *event);
void vaccel_ask(struct vaccel_event *event);
void vaccel_ask_returned(struct vaccel_request *req, int error);
void vaccel_ask_cancelled(struct vaccel_request *req, int error);

/* vaccel_fence.c */
u64 vaccel_fence_max_timeout(void);
struct vaccel_fence *vaccel_fence_new(struct vaccel_event *event);
struct dma_fence *vaccel_fence_base(struct vaccel_fence *fence);
void vaccel_fence_end_locked(struct vaccel_fence *fence);
void vaccel_fence_signal(struct vaccel_fence *fence, int error);

/* vaccel_notice.c */
int vaccel_notice_reserve(struct vaccel_event *event, struct drm_file *filp, u64 user_data);
void vaccel_notice_name(struct vaccel_notice *notice, u32 handle);
void vaccel_notice_cancel(struct vaccel_device *dev, struct vaccel_notice *notice);
void vaccel_notice_send(struct vaccel_device *dev, struct vaccel_notice *notice,
			u16 state, u16 status);

/* vaccel_sync.c */
struct vaccel_outs {
	unsigned int count;
	struct vaccel_out *outs;
};

int vaccel_outs_prepare(struct vaccel_outs *outs, struct drm_file *filp,
			const struct drm_virtio_accel_submit *args);
void vaccel_outs_publish(struct vaccel_outs *outs, struct dma_fence *fence);
void vaccel_outs_fini(struct vaccel_outs *outs);
int vaccel_deps_prepare(struct vaccel_event *event, struct drm_file *filp,
			const struct drm_virtio_accel_submit *args);
void vaccel_deps_arm(struct vaccel_event *event, struct vaccel_request *submit);
void vaccel_deps_forget(struct vaccel_event *event);
void vaccel_deps_fini(struct vaccel_event *event);

/* vaccel_wait.c */
void vaccel_wait_wake_locked(struct vaccel_event *event, bool answer);

extern const struct drm_driver vaccel_drm_driver;

/* The ioctls, each beside what it works on. */
#define VACCEL_IOCTL(name_) \
	int vaccel_ioctl_##name_(struct drm_device *drm, void *data, struct drm_file *filp)

VACCEL_IOCTL(dev_query);
VACCEL_IOCTL(ctx_create);
VACCEL_IOCTL(ctx_destroy);
VACCEL_IOCTL(buf_create);
VACCEL_IOCTL(buf_write);
VACCEL_IOCTL(buf_read);
VACCEL_IOCTL(prog_load);
VACCEL_IOCTL(prog_unload);
VACCEL_IOCTL(queue_create);
VACCEL_IOCTL(queue_destroy);
VACCEL_IOCTL(submit);
VACCEL_IOCTL(event_wait);
VACCEL_IOCTL(event_cancel);
VACCEL_IOCTL(event_destroy);

#endif /* _VACCEL_DRV_H */
