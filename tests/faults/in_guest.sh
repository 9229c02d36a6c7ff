#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in the guest and speaks KTAP. A line "# daemon WHAT" asks the host for it.

parameters=/sys/module/virtio_accel/parameters

# program NAME COMMAND...
program() {
	echo "# program $1"
	shift
	"$@" 2>&1
	echo "# status $?"
}

# one NAME COMMAND...: a program with one result
one() {
	name=$1
	shift
	echo 1..1
	if "$@"; then echo "ok 1 $name"; else echo "not ok 1 $name"; fi
}

load() { insmod /modules/virtio_accel.ko device_id=38 "$@"; }

program uncancellable stalled uncancellable

echo 1 >$parameters/command_timeout
program stalled stalled watchdog
echo "# daemon CONT"
sleep 1
program removal one "late answers do not keep the driver" rmmod virtio_accel
load command_timeout=1
program again /selftests/submit

program stalled-again stalled watchdog
echo "# daemon CONT-LATER"
# The reset holds up the VMM, and what it has not passed on by then.
sleep 1
program removal-first one "nor does a device that is still stalled" rmmod virtio_accel
load
program again /selftests/submit

program stalled-unbind stalled unbind
program again /selftests/submit

echo 2 >$parameters/command_timeout
echo "# daemon SLOW"
for test in submit transfer wait sync notify; do program slow-$test /selftests/$test; done
echo "# daemon CONT"
program removal-last one "the driver can be removed" rmmod virtio_accel
