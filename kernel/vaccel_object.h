/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of the device, their handles, and whom they are charged to.
 */
#ifndef _VACCEL_OBJECT_H
#define _VACCEL_OBJECT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>
#include <drm/drm_print.h>

struct vaccel_device;
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
	struct rb_root_cached due[2];	/* poller.lock: struct vaccel_event by time, if watched */
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

#define to_context(obj_)	container_of(obj_, struct vaccel_context, obj)
#define to_buffer(obj_)		container_of(obj_, struct vaccel_buffer, obj)
#define to_program(obj_)	container_of(obj_, struct vaccel_program, obj)

/* vaccel_client.c */
struct vaccel_client *vaccel_client_new(struct vaccel_device *dev);
struct vaccel_client *vaccel_client_get(struct vaccel_client *client);
void vaccel_client_put(struct vaccel_client *client);
int vaccel_client_charge(struct vaccel_client *client);
void vaccel_client_uncharge(struct vaccel_client *client);
void vaccel_client_show(struct vaccel_client *client, struct drm_printer *p);

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

/* vaccel_ctx.c */
struct vaccel_context *vaccel_context_lookup(struct vaccel_file *file, u32 handle);
void vaccel_context_close(struct vaccel_file *file, struct vaccel_context *ctx);

#endif /* _VACCEL_OBJECT_H */
