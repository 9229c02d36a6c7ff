// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects and their handles.
 *
 * Handles of contexts, programs, queues and events share one number space of the
 * file. A handle is reserved before the command that creates its object and
 * published after, so that nobody can guess it meanwhile.
 */
#include "vaccel_drv.h"

/**
 * vaccel_object_init() - initialise an object that the device does not have yet
 * @obj: zeroed memory, from kmalloc, of which it is the start
 * @dev: device
 * @kind: what it is
 * @ctx: its context, or NULL for a context
 *
 * Context: any.
 */
void vaccel_object_init(struct vaccel_object *obj, struct vaccel_device *dev,
			enum vaccel_kind kind, struct vaccel_context *ctx)
{
	kref_init(&obj->ref);
	INIT_LIST_HEAD(&obj->node);
	obj->dev = dev;
	obj->kind = kind;
	obj->ctx = ctx;
	if (ctx) {
		vaccel_object_get(&ctx->obj);
		obj->epoch = ctx->obj.epoch;
	} else {
		obj->epoch = READ_ONCE(dev->vq.epoch);
	}
}

static u16 vaccel_release_opcode(const struct vaccel_object *obj)
{
	static const u16 opcodes[] = {
		[VACCEL_CONTEXT] = VIRTIO_ACCEL_OP_DESTROY_CONTEXT,
		[VACCEL_BUFFER] = VIRTIO_ACCEL_OP_FREE_BUFFER,
		[VACCEL_PROGRAM] = VIRTIO_ACCEL_OP_UNLOAD_PROGRAM,
		[VACCEL_QUEUE] = VIRTIO_ACCEL_OP_DESTROY_QUEUE,
		[VACCEL_EVENT] = VIRTIO_ACCEL_OP_DESTROY_EVENT,
	};

	return opcodes[obj->kind];
}

struct vaccel_object *vaccel_object_get(struct vaccel_object *obj)
{
	kref_get(&obj->ref);
	return obj;
}

static void vaccel_object_last(struct kref *ref)
{
	vaccel_reap_queue(container_of(ref, struct vaccel_object, ref));
}

/**
 * vaccel_object_put() - drop a reference
 * @obj: object
 *
 * Context: process context; never sleeps, since the reaper does the rest.
 */
void vaccel_object_put(struct vaccel_object *obj)
{
	kref_put(&obj->ref, vaccel_object_last);
}

/* Whether nobody can use the object any more because its context is closed. */
bool vaccel_object_orphaned(const struct vaccel_object *obj)
{
	return obj->ctx && READ_ONCE(obj->ctx->closed);
}

/* Ids are unique among the objects of a kind, and begin anew with each life. */
static int vaccel_id_cmp(struct rb_node *node, const struct rb_node *parent)
{
	const struct vaccel_object *a = rb_entry(node, struct vaccel_object, id_node);
	const struct vaccel_object *b = rb_entry(parent, struct vaccel_object, id_node);

	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* The device has the object, by an id that no other one may have. */
static int vaccel_object_track(struct vaccel_object *obj, u64 id)
{
	struct vaccel_device *dev = obj->dev;
	struct rb_node *other;

	spin_lock(&dev->ids_lock);
	WRITE_ONCE(obj->id, id);
	other = rb_find_add(&obj->id_node, &dev->ids, vaccel_id_cmp);
	if (other)
		WRITE_ONCE(obj->id, 0);
	else
		dev->tracked[obj->kind]++;
	spin_unlock(&dev->ids_lock);
	if (!other)
		return 0;
	drm_err_ratelimited(&dev->drm, "two objects with the id %llx\n", id);
	return -EIO;
}

/**
 * vaccel_object_forget() - note that the device does not have the object any more
 * @obj: object
 *
 * Context: any but hard interrupt.
 */
void vaccel_object_forget(struct vaccel_object *obj)
{
	struct vaccel_device *dev = obj->dev;

	spin_lock(&dev->ids_lock);
	if (obj->id) {
		rb_erase(&obj->id_node, &dev->ids);
		dev->tracked[obj->kind]--;
	}
	WRITE_ONCE(obj->id, 0);
	spin_unlock(&dev->ids_lock);
}

static struct vaccel_client *vaccel_object_client(struct vaccel_object *obj)
{
	return obj->ctx ? obj->ctx->client : to_context(obj)->client;
}

/**
 * vaccel_object_charge() - charge a new object to its client, until vaccel_object_fini()
 * @obj: object that nobody else knows of
 *
 * Context: process context, of who asks for it.
 * Return: 0 or -EDQUOT.
 */
int vaccel_object_charge(struct vaccel_object *obj)
{
	int ret = vaccel_client_charge(vaccel_object_client(obj));

	obj->charged = !ret;
	return ret;
}

/**
 * vaccel_object_fini() - undo what vaccel_object_init() and later calls did to the device
 * @obj: object that is going to be freed
 *
 * Context: any but hard interrupt.
 */
void vaccel_object_fini(struct vaccel_object *obj)
{
	vaccel_object_forget(obj);
	if (obj->charged)
		vaccel_client_uncharge(vaccel_object_client(obj));
}

/**
 * vaccel_object_answered() - note what a command did to the object that it was about
 * @obj: object
 * @req: the command, with a valid reply
 *
 * Context: process context.
 * Return: 0, or -EIO if the device gave it the id of another object.
 */
int vaccel_object_answered(struct vaccel_object *obj, const struct vaccel_request *req)
{
	/* Also an event that exists despite a failure. */
	if (req->reply.id)
		return vaccel_object_track(obj, req->reply.id);
	/* A stale object is gone as well. */
	if (req->opcode == vaccel_release_opcode(obj) &&
	    (req->reply.status == VIRTIO_ACCEL_S_OK ||
	     req->reply.status == VIRTIO_ACCEL_S_STALE_OBJECT))
		vaccel_object_forget(obj);
	return 0;
}

/**
 * vaccel_object_create() - create an object on the device and publish its handle
 * @file: owner of the handle
 * @obj: new object; the reference is consumed
 * @req: command that creates it, or an ERR_PTR(); the reference is consumed
 * @handle: set on success
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno, after which the reaper undoes what was done.
 */
int vaccel_object_create(struct vaccel_file *file, struct vaccel_object *obj,
			 struct vaccel_request *req, u32 *handle)
{
	u32 reserved;
	int ret;

	if (IS_ERR(req)) {
		ret = PTR_ERR(req);
		goto err_object;
	}
	req->object = vaccel_object_get(obj);

	ret = vaccel_object_charge(obj) ?: vaccel_handle_reserve(file, &reserved);
	if (ret)
		goto err_request;
	ret = vaccel_reap_create(req);
	if (!ret)
		ret = vaccel_handle_publish(file, reserved, obj);
	if (ret)
		goto err_handle;

	vaccel_request_put(req);
	*handle = reserved;
	return 0;

err_handle:
	vaccel_handle_cancel(file, reserved);
err_request:
	vaccel_request_put(req);
err_object:
	vaccel_object_put(obj);
	return ret;
}

/**
 * vaccel_object_release() - release an object on the device
 * @obj: object that the device has; its id is 0 on success
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_object_release(struct vaccel_object *obj)
{
	struct vaccel_request *req;
	int ret;

	req = vaccel_request_for(obj, vaccel_release_opcode(obj), 0);
	if (IS_ERR(req))
		return PTR_ERR(req);
	ret = vaccel_request_command(req);
	vaccel_request_put(req);
	return ret;
}

/**
 * vaccel_handle_reserve() - take a handle that names nothing yet
 * @file: open file
 * @handle: set on success
 *
 * Numbers are not reused soon, so that a stale handle is noticed.
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno.
 */
int vaccel_handle_reserve(struct vaccel_file *file, u32 *handle)
{
	int ret = xa_alloc_cyclic(&file->objects, handle, NULL, xa_limit_31b,
				  &file->next_handle, GFP_KERNEL_ACCOUNT);

	return min(ret, 0);	/* 1 tells of a wrap */
}

void vaccel_handle_cancel(struct vaccel_file *file, u32 handle)
{
	xa_release(&file->objects, handle);
}

/**
 * vaccel_handle_publish() - let a reserved handle name an object
 * @file: open file
 * @handle: from vaccel_handle_reserve()
 * @obj: complete object; on success the handle takes over the caller's reference
 *
 * Context: process context.
 * Return: 0, or -ENOENT if the context was closed meanwhile.
 */
int vaccel_handle_publish(struct vaccel_file *file, u32 handle, struct vaccel_object *obj)
{
	int ret = -ENOENT;

	xa_lock(&file->objects);
	if (!vaccel_object_orphaned(obj))
		/* No memory needed: the slot is reserved. */
		ret = xa_err(__xa_store(&file->objects, handle, obj, GFP_NOWAIT));
	xa_unlock(&file->objects);
	return ret;
}

/**
 * vaccel_handle_lookup() - find the object of a handle
 * @file: open file
 * @handle: from userspace
 * @kind: what it must be
 *
 * Context: process context.
 * Return: a referenced object, or NULL.
 */
struct vaccel_object *vaccel_handle_lookup(struct vaccel_file *file, u32 handle,
					   enum vaccel_kind kind)
{
	struct vaccel_object *obj;

	xa_lock(&file->objects);
	obj = xa_load(&file->objects, handle);
	if (obj && obj->kind == kind)
		vaccel_object_get(obj);
	else
		obj = NULL;
	xa_unlock(&file->objects);
	return obj;
}

/**
 * vaccel_handle_drop() - end a handle
 * @file: open file
 * @handle: from userspace
 * @obj: what vaccel_handle_lookup() found; not the handle's reference
 *
 * Context: process context.
 * Return: whether it was this caller who ended it.
 */
bool vaccel_handle_drop(struct vaccel_file *file, u32 handle, struct vaccel_object *obj)
{
	if (xa_cmpxchg(&file->objects, handle, obj, NULL, GFP_KERNEL) != obj)
		return false;
	vaccel_object_put(obj);
	return true;
}

/**
 * vaccel_handle_destroy() - end the handle of an object that is released by the reaper
 * @file: open file
 * @handle: from userspace
 * @kind: what it must be
 *
 * Context: process context.
 * Return: 0, or -ENOENT.
 */
int vaccel_handle_destroy(struct vaccel_file *file, u32 handle, enum vaccel_kind kind)
{
	struct vaccel_object *obj = vaccel_handle_lookup(file, handle, kind);
	bool dropped;

	if (!obj)
		return -ENOENT;
	dropped = vaccel_handle_drop(file, handle, obj);
	vaccel_object_put(obj);
	return dropped ? 0 : -ENOENT;
}
