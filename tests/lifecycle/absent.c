// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "absent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/userfaultfd.h>

#define PAGE_BYTES 4096

static struct uffdio_range range_of(const struct absent_page *page)
{
	return (struct uffdio_range){ .start = (uintptr_t)page->addr, .len = PAGE_BYTES };
}

int absent_page_create(struct absent_page *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	page->addr = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	if (page->addr == MAP_FAILED)
		return errno;
	page->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	area.range = range_of(page);
	if (page->fd < 0 || ioctl(page->fd, UFFDIO_API, &api) ||
	    ioctl(page->fd, UFFDIO_REGISTER, &area))
		return errno;
	return 0;
}

int absent_page_touched(const struct absent_page *page)
{
	struct uffd_msg message;

	return read(page->fd, &message, sizeof(message)) == sizeof(message) ? 0 : EIO;
}

int absent_page_provide(const struct absent_page *page)
{
	struct uffdio_zeropage zero = { .range = range_of(page) };

	return ioctl(page->fd, UFFDIO_ZEROPAGE, &zero) ? errno : 0;
}
