/* SPDX-License-Identifier: MIT */
/* The calls that meet a lie of the device, with their results checked, for hostile.c. */
#ifndef HOSTILE_CALLS_H
#define HOSTILE_CALLS_H

#include "vaccel_util.h"

/* No call of the driver fails with this: the test has seen something wrong. */
#define TRIAL_WRONG EILSEQ

struct trial {
	struct vaccel_session bystander; /* was there before the lie */
	struct vaccel_session session;	 /* another file, which meets it */
	int fd;
};

/* Where a lie shows, and what goes before honestly. Both return 0 or an errno. */
struct place {
	const char *name;
	int (*prepare)(struct trial *trial); /* may be NULL */
	int (*meet)(struct trial *trial);
};

/* Null if there is no such place. */
const struct place *trial_place(const char *name);

/* One of each command that uses a session. */
int trial_use(const struct vaccel_session *session);

#endif /* HOSTILE_CALLS_H */
