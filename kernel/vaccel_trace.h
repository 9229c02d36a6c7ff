/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM virtio_accel

#if !defined(_VACCEL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _VACCEL_TRACE_H

#include <linux/tracepoint.h>

#include "vaccel_drv.h"

#define vaccel_show_opcode(opcode_)						\
	__print_symbolic(opcode_,						\
		{ VIRTIO_ACCEL_OP_GET_DEVICE_INFO, "GET_DEVICE_INFO" },		\
		{ VIRTIO_ACCEL_OP_CREATE_CONTEXT, "CREATE_CONTEXT" },		\
		{ VIRTIO_ACCEL_OP_DESTROY_CONTEXT, "DESTROY_CONTEXT" },		\
		{ VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, "ALLOCATE_BUFFER" },		\
		{ VIRTIO_ACCEL_OP_FREE_BUFFER, "FREE_BUFFER" },			\
		{ VIRTIO_ACCEL_OP_WRITE_BUFFER, "WRITE_BUFFER" },		\
		{ VIRTIO_ACCEL_OP_READ_BUFFER, "READ_BUFFER" },			\
		{ VIRTIO_ACCEL_OP_LOAD_PROGRAM, "LOAD_PROGRAM" },		\
		{ VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, "UNLOAD_PROGRAM" },		\
		{ VIRTIO_ACCEL_OP_CREATE_QUEUE, "CREATE_QUEUE" },		\
		{ VIRTIO_ACCEL_OP_DESTROY_QUEUE, "DESTROY_QUEUE" },		\
		{ VIRTIO_ACCEL_OP_SUBMIT, "SUBMIT" },				\
		{ VIRTIO_ACCEL_OP_POLL_EVENT, "POLL_EVENT" },			\
		{ VIRTIO_ACCEL_OP_CANCEL_EVENT, "CANCEL_EVENT" },		\
		{ VIRTIO_ACCEL_OP_DESTROY_EVENT, "DESTROY_EVENT" })

TRACE_EVENT(vaccel_command,
	    TP_PROTO(const struct vaccel_request *req),
	    TP_ARGS(req),
	    TP_STRUCT__entry(__field(int, minor)
			     __field(u16, opcode)
			     __field(u64, id)
			     __field(size_t, out_bytes)
			     __field(size_t, in_bytes)
	    ),
	    TP_fast_assign(__entry->minor = req->dev->drm.accel->index;
			   __entry->opcode = req->opcode;
			   __entry->id = req->id;
			   __entry->out_bytes = req->out.bytes;
			   __entry->in_bytes = req->in.bytes;
	    ),
	    TP_printk("accel%d %s id=%llu out=%zu in=%zu", __entry->minor,
		      vaccel_show_opcode(__entry->opcode), __entry->id,
		      __entry->out_bytes, __entry->in_bytes)
);

TRACE_EVENT(vaccel_response,
	    TP_PROTO(const struct vaccel_request *req, int error, u64 latency_ns),
	    TP_ARGS(req, error, latency_ns),
	    TP_STRUCT__entry(__field(int, minor)
			     __field(u16, opcode)
			     __field(u16, status)
			     __field(int, error)
			     __field(u64, id)
			     __field(u64, latency_ns)
	    ),
	    TP_fast_assign(__entry->minor = req->dev->drm.accel->index;
			   __entry->opcode = req->opcode;
			   __entry->status = req->reply.status;
			   __entry->error = error;
			   __entry->id = req->id;
			   __entry->latency_ns = latency_ns;
	    ),
	    TP_printk("accel%d %s id=%llu status=%u error=%d latency_ns=%llu", __entry->minor,
		      vaccel_show_opcode(__entry->opcode), __entry->id, __entry->status,
		      __entry->error, __entry->latency_ns)
);

/* An event, named by the id that the device gave it, was found pending. */
TRACE_EVENT(vaccel_poll,
	    TP_PROTO(u64 event, u64 elapsed_ns, u64 interval_ns),
	    TP_ARGS(event, elapsed_ns, interval_ns),
	    TP_STRUCT__entry(__field(u64, event)
			     __field(u64, elapsed_ns)
			     __field(u64, interval_ns)
	    ),
	    TP_fast_assign(__entry->event = event;
			   __entry->elapsed_ns = elapsed_ns;
			   __entry->interval_ns = interval_ns;
	    ),
	    TP_printk("event=%llx elapsed_ns=%llu interval_ns=%llu", __entry->event,
		      __entry->elapsed_ns, __entry->interval_ns)
);

/* It has ended. */
TRACE_EVENT(vaccel_event,
	    TP_PROTO(u64 event, u16 state, u16 status, u64 elapsed_ns),
	    TP_ARGS(event, state, status, elapsed_ns),
	    TP_STRUCT__entry(__field(u64, event)
			     __field(u16, state)
			     __field(u16, status)
			     __field(u64, elapsed_ns)
	    ),
	    TP_fast_assign(__entry->event = event;
			   __entry->state = state;
			   __entry->status = status;
			   __entry->elapsed_ns = elapsed_ns;
	    ),
	    TP_printk("event=%llx state=%u status=%u elapsed_ns=%llu", __entry->event,
		      __entry->state, __entry->status, __entry->elapsed_ns)
);

#endif /* _VACCEL_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE vaccel_trace
#include <trace/define_trace.h>
