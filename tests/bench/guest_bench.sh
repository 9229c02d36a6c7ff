#!/bin/bash
# SPDX-License-Identifier: MIT
# guest_bench.sh PING BENCH: what the driver costs in a guest, as ratios within one boot.
#
# PING is the module virtio_accel_ping.ko, BENCH the program selftests/bench. The ratios
# have goals, but nothing fails: a guest that QEMU interprets says little about one under
# KVM, and other work of the machine disturbs both.
set -uo pipefail
here=$(dirname "$0")

vm=build/host/vm/accel-vm
logs=build/guest
mkdir -p "$logs"

# Alternating, so that what disturbs one disturbs the other, and thrice, so that nothing is
# disturbed all the time.
in_guest='
driver=/modules/virtio_accel.ko
id=$(cat /sys/module/virtio_accel/parameters/device_id)
set -e
for round in 1 2 3; do
	rmmod virtio_accel
	insmod /ping.ko device_id=$id
	echo "bare $(cat /sys/module/virtio_accel_ping/parameters/round_trip_ns)"
	rmmod virtio_accel_ping
	insmod $driver device_id=$id
	for part in round-trip submit bandwidth waiting; do /bench $part; done
done'

"$vm" --kernel newest --provider mock --smp 2 --timeout 600 --memory 768 \
	${BENCH_APPEND:+--append "$BENCH_APPEND"} --console "$logs/bench.console" \
	--add "$1=/ping.ko" --add "$2=/bench" -- sh -c "$in_guest" >"$logs/bench.out" || {
	echo "bench-guest: the guest failed: $(tail -1 "$logs/bench.console")" >&2
	exit 1
}
awk -f "$here/guest_bench.awk" "$logs/bench.out"
