// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a frame: kmalloc'd segments, each one descriptor of a chain.
 *
 * A frame has as many segments as its chain may have descriptors, so that it is
 * made of pages as small as the device allows.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "vaccel_drv.h"

/**
 * vaccel_frame_init() - allocate the segments of a frame
 * @frame: uninitialised, or zero; must not move afterwards
 * @bytes: at most what dev->max_request and dev->max_response allow
 * @max_segs: most segments
 * @gfp: __GFP_ZERO for memory that the device writes, else 0
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM; a failed frame needs no vaccel_frame_fini().
 */
int vaccel_frame_init(struct vaccel_frame *frame, size_t bytes, unsigned int max_segs, gfp_t gfp)
{
	unsigned int nsegs = 1;
	size_t left = bytes;

	gfp |= GFP_KERNEL_ACCOUNT | __GFP_NOWARN;
	frame->bytes = bytes;
	frame->seg_bytes = bytes;
	frame->segs = &frame->seg0;
	if (bytes > PAGE_SIZE) {
		frame->seg_bytes = PAGE_ALIGN(DIV_ROUND_UP(bytes, max_segs));
		nsegs = DIV_ROUND_UP(bytes, frame->seg_bytes);
	}
	if (nsegs > 1) {
		frame->segs = kmalloc_objs(*frame->segs, nsegs, GFP_KERNEL_ACCOUNT);
		if (!frame->segs)
			return -ENOMEM;
	}
	for (frame->nsegs = 0; frame->nsegs < nsegs; frame->nsegs++) {
		size_t n = min(left, frame->seg_bytes);
		void *seg = kmalloc(n, gfp);

		if (!seg) {
			vaccel_frame_fini(frame);
			return -ENOMEM;
		}
		frame->segs[frame->nsegs] = seg;
		left -= n;
	}
	return 0;
}

/**
 * vaccel_frame_fini() - free the segments of a frame
 * @frame: initialised, or zero
 *
 * Context: any but hard interrupt.
 */
void vaccel_frame_fini(struct vaccel_frame *frame)
{
	while (frame->nsegs)
		kfree(frame->segs[--frame->nsegs]);
	if (frame->segs != &frame->seg0)
		kfree(frame->segs);
	frame->segs = NULL;
}

/* The contiguous memory at @at, at most *@bytes of it. */
static void *vaccel_frame_at(const struct vaccel_frame *frame, size_t at, size_t *bytes)
{
	size_t in_seg = at % frame->seg_bytes;

	*bytes = min(*bytes, frame->seg_bytes - in_seg);
	return frame->segs[at / frame->seg_bytes] + in_seg;
}

/* Fill in one scatterlist entry for each segment. */
void vaccel_frame_sg(const struct vaccel_frame *frame, struct scatterlist *sg)
{
	size_t at = 0;

	sg_init_table(sg, frame->nsegs);
	while (at < frame->bytes) {
		size_t n = frame->bytes - at;
		void *seg = vaccel_frame_at(frame, at, &n);

		sg_set_buf(sg++, seg, n);
		at += n;
	}
}

/*
 * The device can change its frames at any time: what was read here once must not
 * be read again. The call, never inlined, keeps the compiler from doing so.
 */
noinline void vaccel_frame_read(const struct vaccel_frame *frame, size_t at, void *to, size_t bytes)
{
	while (bytes) {
		size_t n = bytes;
		void *from = vaccel_frame_at(frame, at, &n);

		memcpy(to, from, n);
		to += n;
		at += n;
		bytes -= n;
	}
}

void vaccel_frame_write(struct vaccel_frame *frame, size_t at, const void *from, size_t bytes)
{
	while (bytes) {
		size_t n = bytes;
		void *to = vaccel_frame_at(frame, at, &n);

		memcpy(to, from, n);
		from += n;
		at += n;
		bytes -= n;
	}
}

int vaccel_frame_to_user(const struct vaccel_frame *frame, size_t at, u64 to, size_t bytes)
{
	while (bytes) {
		size_t n = bytes;
		void *from = vaccel_frame_at(frame, at, &n);

		if (copy_to_user(u64_to_user_ptr(to), from, n))
			return -EFAULT;
		to += n;
		at += n;
		bytes -= n;
	}
	return 0;
}

int vaccel_frame_from_user(struct vaccel_frame *frame, size_t at, u64 from, size_t bytes)
{
	while (bytes) {
		size_t n = bytes;
		void *to = vaccel_frame_at(frame, at, &n);

		if (copy_from_user(to, u64_to_user_ptr(from), n))
			return -EFAULT;
		from += n;
		at += n;
		bytes -= n;
	}
	return 0;
}
