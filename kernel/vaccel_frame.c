// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a frame: kmalloc'd segments, each one descriptor of a chain, and then
 * pages of a user, if there are any.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "vaccel_drv.h"

/* The largest allocation that the kernel tries hard to have: fewer, larger segments cost less. */
#define VACCEL_SEG_BYTES	(PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER)

static int vaccel_frame_alloc(struct vaccel_frame *frame, size_t seg_bytes, gfp_t gfp)
{
	unsigned int nsegs = DIV_ROUND_UP(frame->bytes, seg_bytes);
	size_t left = frame->bytes;

	frame->seg_bytes = seg_bytes;
	frame->segs = &frame->seg0;
	if (nsegs > 1) {
		frame->segs = kmalloc_objs(*frame->segs, nsegs, GFP_KERNEL_ACCOUNT);
		if (!frame->segs)
			return -ENOMEM;
	}
	for (frame->nsegs = 0; frame->nsegs < nsegs; frame->nsegs++) {
		size_t n = min(left, seg_bytes);
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
 * vaccel_frame_init() - allocate the segments of a frame
 * @frame: uninitialised, or zero; must not move afterwards
 * @dev: device
 * @bytes: at most what dev->max_request and dev->max_response allow
 * @max_segs: most segments
 * @gfp: __GFP_ZERO for memory that the device writes, else 0
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM; a failed frame needs no vaccel_frame_fini().
 */
int vaccel_frame_init(struct vaccel_frame *frame, const struct vaccel_device *dev, size_t bytes,
		      unsigned int max_segs, gfp_t gfp)
{
	size_t least;
	int ret;

	gfp |= GFP_KERNEL_ACCOUNT | __GFP_NOWARN;
	*frame = (struct vaccel_frame) { .bytes = bytes };
	if (bytes <= PAGE_SIZE)
		return vaccel_frame_alloc(frame, bytes, gfp);

	/* Powers of two, because kmalloc() rounds up to them; nothing is killed for them. */
	gfp |= __GFP_NORETRY;
	least = roundup_pow_of_two(max(DIV_ROUND_UP(bytes, max_segs), PAGE_SIZE));
	least = min(least, dev->max_seg_bytes);
	ret = vaccel_frame_alloc(frame, clamp(VACCEL_SEG_BYTES, least, dev->max_seg_bytes), gfp);
	if (ret && least < VACCEL_SEG_BYTES)
		ret = vaccel_frame_alloc(frame, least, gfp);
	return ret;
}

/* Let pages of a user follow what the frame has; the frame's from here on. */
void vaccel_frame_append(struct vaccel_frame *frame, struct vaccel_pin *pin)
{
	frame->pin = pin;
	frame->bytes += pin->bytes;
	frame->nsegs += pin->nsegs;
}

/**
 * vaccel_frame_fini() - free the segments of a frame
 * @frame: initialised, or zero
 *
 * Context: process context; may sleep if there are pages of a user.
 */
void vaccel_frame_fini(struct vaccel_frame *frame)
{
	if (frame->pin) {
		frame->nsegs -= frame->pin->nsegs;
		vaccel_pin_free(frame->pin);
	}
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
	struct vaccel_pin *pin = frame->pin;
	size_t own = frame->bytes - (pin ? pin->bytes : 0);
	unsigned int i;
	size_t at = 0;

	sg_init_table(sg, frame->nsegs);
	while (at < own) {
		size_t n = own - at;
		void *seg = vaccel_frame_at(frame, at, &n);

		sg_set_buf(sg++, seg, n);
		at += n;
	}
	for (i = 0; pin && i < pin->nsegs; i++)
		sg_set_page(sg++, sg_page(&pin->sg[i]), pin->sg[i].length, pin->sg[i].offset);
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
