/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What newer kernels have and older ones lack: conftest.sh finds out.
 */
#ifndef _VACCEL_COMPAT_H
#define _VACCEL_COMPAT_H

#include <linux/hrtimer.h>

#ifndef HAVE_HRTIMER_SETUP	/* since 6.13 */
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* _VACCEL_COMPAT_H */
