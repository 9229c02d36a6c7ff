#!/bin/sh
# SPDX-License-Identifier: MIT
# selftests.sh: whether the guest is configured as it should be, then the programs in /selftests.
. /common.sh
device=$driver/$(name)

results=0
check() { # NAME COMMAND...
	results=$((results + 1))
	what=$1
	shift
	"$@" && echo "ok $results $what" || echo "not ok $results $what"
}

bounced() {
	mount -t debugfs debugfs /sys/kernel/debug
	[ "$(cat /sys/kernel/debug/swiotlb/io_tlb_used_hiwater)" -gt 0 ]
}

echo "# program configuration"
echo "# $(interrupts)"
check "VIRTIO_F_ACCESS_PLATFORM is negotiated" test "$(cut -c34 "$device/features")" = 1
if grep -q swiotlb=force /proc/cmdline; then
	check "bounce buffers are in use" bounced
fi
echo "1..$results"
echo "# status 0"

for program in /selftests/*; do
	echo "# program $program"
	$program 2>&1
	echo "# status $?"
done
