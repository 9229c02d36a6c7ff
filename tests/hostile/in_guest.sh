#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in the guest: binds the driver to one life of the hostile device after the other and
# tells in KTAP what became of it. /lies has a line for each, as run.sh takes them from `lies`.

# Each life gets a new driver, whose message limits start anew. A device that recovers by
# itself would hide that it was lost.
parameters='device_id=38 command_timeout=1 load_timeout=1 auto_reset=0'

report() { # STATUS NAME
	results=$((results + 1))
	[ "$1" -eq 0 ] && echo "ok $results $2" || echo "not ok $results $2"
}

# The message may be that of a work item which has not run yet.
await() {
	local tries=0
	until dmesg | grep -qe "$1"; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		usleep 20000
	done
}

# Nothing in /log but what driver and core say about this device, and little of that. A
# clock that was read late tells of a busy host.
modest() { # MESSAGE
	local errors
	grep -v -e 'virtio_accel virtio[0-9]*: ' -e 'Initialized virtio_accel' \
		-e 'clocksource: ' /log && return 1
	errors=$(grep -c -e '\*ERROR\*' /log)
	[ "$errors" -le 4 ] && { [ "$1" != - ] || [ "$errors" -eq 0 ]; }
}

live() { # NUMBER LIE WHERE ERRNO AFTER MESSAGE
	local message=${6//_/ }
	echo "# program $2"
	# shellcheck disable=SC2086
	insmod /modules/virtio_accel.ko $parameters
	VACCEL_LIE="$1 $3 $4 $5" /bin/hostile 2>&1
	echo "# status $?"

	echo "# program $2"
	results=0
	echo 1..3
	[ "$message" = - ] || await "$message"
	report $? "the log names the cause: $message"
	rmmod virtio_accel
	report $? "the driver can be removed"
	dmesg -c >/log
	modest "$message"
	report $? "the log has nothing else"
	echo "# status 0"
}

rmmod virtio_accel
dmesg -c >/log
number=0
while read -r lie where errno after message; do
	number=$((number + 1))
	live $number "$lie" "$where" "$errno" "$after" "$message"
done </lies
