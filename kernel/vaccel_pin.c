// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of a user that the device reads or writes in place.
 *
 * They are pinned for as long as the device likes (FOLL_LONGTERM), so they are
 * counted against RLIMIT_MEMLOCK. Where that, or the kind of memory, forbids it,
 * the caller copies instead.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "vaccel_drv.h"

/* Pages that are asked for at a time: they are listed on the stack. */
#define VACCEL_PIN_BATCH	32

/*
 * Descriptors that a pin takes of a ring, which is 256 where we know of: so several
 * of scattered pages are on it at a time, and the sg of a pin fits 2 KiB.
 */
#define VACCEL_PIN_SEGS		62

/* A request's header and the header of its response have descriptors of their own. */
#define VACCEL_PIN_HEADERS	2

static bool vaccel_pin_charge(struct vaccel_pin *pin, unsigned long npages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (atomic64_add_return(npages, &pin->mm->pinned_vm) > limit && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(npages, &pin->mm->pinned_vm);
		return false;
	}
	pin->npages += npages;
	return true;
}

static void vaccel_pin_uncharge(struct vaccel_pin *pin, unsigned long npages)
{
	atomic64_sub(npages, &pin->mm->pinned_vm);
	pin->npages -= npages;
}

/* Whether a page, from its start, continues a segment. */
static bool vaccel_pin_continues(struct scatterlist *seg, struct page *page)
{
	unsigned int end = seg->offset + seg->length;

	/* Not every memory model has the pages in the order of the memory. */
	return page_to_phys(page) == page_to_phys(sg_page(seg)) + end &&
	       page == sg_page(seg) + (end >> PAGE_SHIFT);
}

static void vaccel_pin_append(struct vaccel_pin *pin, struct page *page, unsigned int offset,
			      unsigned int bytes, size_t max_seg_bytes)
{
	struct scatterlist *last = &pin->sg[pin->nsegs - 1];

	if (pin->nsegs && vaccel_pin_continues(last, page) &&
	    last->length + bytes <= max_seg_bytes)
		last->length += bytes;
	else
		sg_set_page(&pin->sg[pin->nsegs++], page, bytes, offset);
	pin->bytes += bytes;
}

/* Pin what comes next, or the first pages of it. */
static int vaccel_pin_more(struct vaccel_pin *pin, u64 addr, size_t bytes, size_t max_seg_bytes)
{
	unsigned int flags = FOLL_LONGTERM | (pin->write ? FOLL_WRITE : 0);
	unsigned int offset = offset_in_page(addr);
	struct page *pages[VACCEL_PIN_BATCH];
	int npages, got, i;

	npages = min_t(size_t, DIV_ROUND_UP(offset + bytes, PAGE_SIZE), VACCEL_PIN_BATCH);
	npages = min_t(int, npages, pin->max_segs - pin->nsegs);
	if (!vaccel_pin_charge(pin, npages))
		return -ENOMEM;
	got = pin_user_pages_fast(addr, npages, flags, pages);
	vaccel_pin_uncharge(pin, npages - max(got, 0));
	for (i = 0; i < got; i++) {
		unsigned int n = min(bytes, PAGE_SIZE - offset);

		vaccel_pin_append(pin, pages[i], offset, n, max_seg_bytes);
		bytes -= n;
		offset = 0;
	}
	return got == npages ? 0 : min(got, 0) ?: -EFAULT;
}

/*
 * The device can be the reader for long, so pinning gives the user a copy of each
 * page of a private mapping of a file: more work than staging it, and memory that
 * stays taken.
 */
static bool vaccel_pin_copies(u64 addr, bool write)
{
	struct vm_area_struct *vma;
	bool copies;

	if (write)
		return false;
	mmap_read_lock(current->mm);
	vma = vma_lookup(current->mm, untagged_addr(addr));
	copies = vma && vma->vm_file && !(vma->vm_flags & VM_SHARED);
	mmap_read_unlock(current->mm);
	return copies;
}

/**
 * vaccel_pin_new() - pin pages of the calling process
 * @dev: device
 * @addr: user address
 * @bytes: how much there is to pin, not zero
 * @write: the device will write to the memory
 *
 * Pins as much, from @addr on, as fits a chain and can be pinned.
 *
 * Context: process context, may sleep.
 * Return: a pin of one byte or more, or an ERR_PTR().
 */
struct vaccel_pin *vaccel_pin_new(struct vaccel_device *dev, u64 addr, size_t bytes, bool write)
{
	unsigned int max_segs = min_t(unsigned int, VACCEL_PIN_SEGS,
				      dev->max_segs - VACCEL_PIN_HEADERS);
	struct vaccel_pin *pin;
	int ret = -EOPNOTSUPP;

	if (!max_segs || vaccel_pin_copies(addr, write))
		return ERR_PTR(-EOPNOTSUPP);
	pin = kzalloc_flex(*pin, sg, max_segs, GFP_KERNEL_ACCOUNT);
	if (!pin)
		return ERR_PTR(-ENOMEM);
	pin->max_segs = max_segs;
	pin->write = write;
	pin->mm = current->mm;
	mmgrab(pin->mm);

	do {
		ret = vaccel_pin_more(pin, addr + pin->bytes, bytes - pin->bytes,
				      dev->max_seg_bytes);
	} while (!ret && pin->bytes < bytes && pin->nsegs < max_segs);
	if (pin->bytes)
		return pin;
	vaccel_pin_free(pin);
	return ERR_PTR(ret);
}

/**
 * vaccel_pin_free() - give pages back to their user
 * @pin: pin that the device does not use any more
 *
 * Context: process context, may sleep.
 */
void vaccel_pin_free(struct vaccel_pin *pin)
{
	unsigned int i;

	for (i = 0; i < pin->nsegs; i++) {
		struct scatterlist *seg = &pin->sg[i];

		unpin_user_page_range_dirty_lock(sg_page(seg),
						 PFN_UP(seg->offset + seg->length), pin->write);
	}
	atomic64_sub(pin->npages, &pin->mm->pinned_vm);
	mmdrop(pin->mm);
	kfree(pin);
}
