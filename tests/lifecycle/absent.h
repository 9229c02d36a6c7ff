/* SPDX-License-Identifier: MIT */
/* A page of user memory that is absent: who touches it waits until it is provided. */
#ifndef ABSENT_H
#define ABSENT_H

struct absent_page {
	int fd;
	void *addr;
};

/* All return 0 or a positive errno. */
int absent_page_create(struct absent_page *page);
/* Waits until somebody waits for the page. */
int absent_page_touched(const struct absent_page *page);
int absent_page_provide(const struct absent_page *page);

#endif /* ABSENT_H */
