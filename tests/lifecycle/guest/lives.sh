#!/bin/sh
# SPDX-License-Identifier: MIT
# lives.sh ROUNDS: lives of the driver, each ended while a process is blocked in it.
rounds=$1
. /common.sh
echo "# program lives"

results=0
report() { # STATUS NAME
	results=$((results + 1))
	[ "$1" -eq 0 ] && echo "ok $results $2" || echo "not ok $results $2"
}

load() { insmod /modules/virtio_accel.ko device_id=38; }

# round COMMAND: ends a life while a client is blocked.
round() {
	start hold || return 1
	echo "# dirty"
	"$@" || return 1
	wait $pid && client use
}

killed() {
	kill -9 $pid
	{ wait $pid; } 2>/dev/null
	[ $? -eq 137 ]
}

# repeat ROUNDS COMMAND...: everything is given back after them.
repeat() {
	count=$1 i=0
	shift
	while [ $i -lt "$count" ]; do
		"$@" || { echo "# round $i"; return 1; }
		i=$((i + 1))
	done
	settle
}

close_with_job() { client leave; }

kill_blocked() {
	start hold || return 1
	killed && client use
}

remove() {
	echo 1 >"$(pci)/remove" || return 1
	[ -z "$(name)" ] && echo 1 >/sys/bus/pci/rescan
}

rmmod_open() {
	start hold || return 1
	rmmod virtio_accel 2>/dev/null && return 1
	killed && settle
}

rmmod_idle() { rmmod virtio_accel && load && client use && settle; }

rmmod_orphans() {
	start hold || return 1
	echo "# perhaps"
	killed && rmmod virtio_accel && load && client use && settle
}

# A kernel whose virtio core tells drivers of a function reset.
tells_of_reset() { grep -q virtio_pci_reset_prepare /proc/kallsyms; }

reset() { echo 1 >"$(pci)/reset"; }

reset_told() {
	start again || return 1
	echo "# dirty"
	reset && wait $pid && settle
}

# Nobody tells the driver: the watchdog finds a device that does not answer.
reset_untold() {
	start hold || return 1
	echo "# dirty"
	echo 1 >/sys/module/virtio_accel/parameters/command_timeout
	reset && wait $pid && rebind $driver && client use && settle
	status=$?
	echo 30 >/sys/module/virtio_accel/parameters/command_timeout
	return $status
}

# Neither is done when the host has said so.
unplug() {
	echo '# qmp device_del {"id": "accel0"}'
	while [ -e /dev/accel/accel* ]; do usleep 10000; done
	echo '# qmp device_add {"driver": "vhost-user-test-device-pci", "id": "accel0",' \
		'"chardev": "accel0", "bus": "accel0-port", "virtio-id": 38, "num_vqs": 1,' \
		'"vq_size": 256, "config_size": 16}'
	until [ -e /dev/accel/accel* ]; do usleep 10000; done
}

# All of it but the sleep itself.
suspend() {
	echo 0 >/sys/module/suspend/parameters/pm_test_delay
	echo devices >/sys/power/pm_test
	echo mem >/sys/power/state
}

# lived NAME COMMAND...
lived() {
	what=$1
	shift
	"$@" 2>/tmp/errors
	status=$?
	sed 's/^/# /' /tmp/errors
	report $status "$what"
}

lived "files are closed with a job pending, $rounds times" repeat $rounds close_with_job
lived "processes are killed in blocked calls, $rounds times" repeat $rounds kill_blocked
lived "unbind and bind under blocked calls, $rounds times" repeat $rounds round rebind $driver
lived "the PCI device is removed under blocked calls, $rounds times" repeat $rounds round remove
lived "the device is unplugged under blocked calls, $rounds times" repeat $rounds round unplug
if tells_of_reset; then
	lived "the function is reset under blocked calls" reset_told
else
	lived "the function is reset under blocked calls, and nobody told" reset_untold
fi
lived "the driver stays while a file is open" rmmod_open
lived "the driver goes when nothing is open" rmmod_idle
lived "the driver goes while it cleans up after a killed process" rmmod_orphans
lived "the machine is suspended under blocked calls" sleep_under suspend
echo "1..$results"
echo "# status 0"
