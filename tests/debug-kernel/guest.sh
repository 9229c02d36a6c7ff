#!/bin/sh
# SPDX-License-Identifier: MIT
# guest.sh FUZZ_SECONDS: runs in the guest. The kselftests, then the driver's removal and what
# the kernel's checkers say, in the form that tests/tally.sh counts.

debug=/sys/kernel/debug
mount -t debugfs debugfs $debug

for program in /selftests/*; do
	echo "# program $program"
	case $program in
	*/fuzz_ioctl) $program "$1" ;;
	*) $program ;;
	esac 2>&1
	echo "# status $?"
done

number=0
check() { # what, command...
	local what=$1
	number=$((number + 1))
	shift
	"$@" && echo "ok $number $what" || echo "not ok $number $what"
}

uses_dma_api() { # VIRTIO_F_ACCESS_PLATFORM
	[ "$(cut -c34 /sys/bus/virtio/drivers/virtio_accel/virtio*/features)" = 1 ]
}

bounces() { ! grep -q swiotlb=force /proc/cmdline || [ "$(cat $debug/swiotlb/io_tlb_used_hiwater)" -gt 0 ]; }

lockdep_on() { grep -q 'debug_locks: *1$' /proc/lockdep_stats; }

dma_debug_on() { [ "$(cat $debug/dma-api/disabled)" = N ]; }

# An object is told of when it is at least five seconds old.
nothing_leaks() {
	echo scan >$debug/kmemleak && sleep 6 && echo scan >$debug/kmemleak && cat $debug/kmemleak >/leaks || return
	sed 's/^/# /' /leaks
	! [ -s /leaks ]
}

echo "# program checkers"
echo 1..6
check "the device is behind the DMA API" uses_dma_api
check "swiotlb bounces if it is forced to" bounces
check "the driver can be removed" rmmod virtio_accel
check "kmemleak finds nothing" nothing_leaks
check "lockdep is still on" lockdep_on
check "DMA debugging is still on" dma_debug_on
echo "# status 0"
