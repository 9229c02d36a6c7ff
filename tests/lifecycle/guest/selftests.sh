#!/bin/sh
# SPDX-License-Identifier: MIT
# selftests.sh [limited]: the programs in /selftests, and whether the guest is configured as it
# should be. "limited": chains or frames of the device are.
. /common.sh
[ "${1:-}" != limited ] || export VACCEL_LIMITED=1

# Later kernels count what is bounced only if told to, and earlier ones do not know the word.
trace=/sys/kernel/tracing
if grep -q swiotlb=force /proc/cmdline; then
	mount -t tracefs tracefs $trace
	echo 1 >$trace/events/swiotlb/swiotlb_bounced/enable
fi

for program in /selftests/*; do
	echo "# program $program"
	$program 2>&1
	echo "# status $?"
done

results=0
check() { # NAME COMMAND...
	results=$((results + 1))
	what=$1
	shift
	"$@" && echo "ok $results $what" || echo "not ok $results $what"
}

echo "# program configuration"
echo "# $(interrupts)"
check "VIRTIO_F_ACCESS_PLATFORM is negotiated" test "$(cut -c34 "$driver/$(name)/features")" = 1
if grep -q swiotlb=force /proc/cmdline; then
	device=$(pci)
	check "its DMA is bounced" grep -q "swiotlb_bounced: dev_name: ${device##*/} " $trace/trace
fi
echo "1..$results"
echo "# status 0"
