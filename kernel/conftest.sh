#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints a -D option for each kernel feature that the driver needs to know of.
# Asks the headers, not the version: distributions backport.

tree=$1

has() { # file, pattern, macro
	if grep -q "$2" "$tree/include/$1"; then
		echo "-D$3"
	fi
}

has linux/hrtimer.h 'void hrtimer_setup(' HAVE_HRTIMER_SETUP
has linux/virtio.h '(\*reset_prepare)' HAVE_VIRTIO_RESET_OPS
