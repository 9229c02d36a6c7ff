# SPDX-License-Identifier: MIT
# Sourced by the scripts beside it, in the guest. They speak KTAP; "# dirty" tells of a life of
# the driver that ends with objects on the device, "# perhaps" of one that may, and the host
# compares what the daemon found.
driver=/sys/bus/virtio/drivers/virtio_accel
mkfifo /tmp/fifo

# The name on its bus of the device that a driver is bound to; none if there is none.
device_of() { (cd "$1" && echo virtio*) | grep -v '\*'; }
name() { device_of $driver; }
pci() { readlink -f "$driver/$(name)/.."; }

# start MODE: a client that is blocked when this returns, as $pid.
start() {
	client "$1" >/tmp/fifo &
	pid=$!
	read -r line </tmp/fifo
	[ "$line" = held ]
}

interrupts() { grep -w "$(name)" /proc/interrupts; }

# Without a driver that tells of its objects, only its silence does.
mount -t debugfs debugfs /sys/kernel/debug
has_objects() {
	if [ -e /sys/kernel/debug/accel/*/state ]; then
		grep -qE '^(contexts|buffers|programs|queues|events|to release) [1-9]' \
			/sys/kernel/debug/accel/*/state
	else
		before=$(interrupts)
		sleep 1
		[ "$(interrupts)" != "$before" ]
	fi
}

# Waits until the driver has given everything back. What the client has made, to find that nothing
# else is left, goes in the background.
settle() {
	client settle || return 1
	while has_objects; do usleep 10000; done
}

rebind() { # DRIVER
	device=$(device_of "$1")
	echo "$device" >"$1/unbind" || return 1
	[ -z "$(device_of "$1")" ] && echo "$device" >"$1/bind"
}

# sleep_under COMMAND...: a client is blocked while the command puts the machine to sleep. The
# virtio_console of 7.3 leaves its ports without a host then, so that standard output has to be
# opened anew.
sleep_under() {
	start again || return 1
	echo "# dirty"
	"$@"
	status=$?
	rebind /sys/bus/virtio/drivers/virtio_console
	until [ -c /dev/vport*p1 ]; do usleep 10000; done
	exec >"$(echo /dev/vport*p1)"
	[ $status -eq 0 ] && wait $pid && settle
}
