#!/bin/bash
# SPDX-License-Identifier: MIT
# guest.sh KERNEL... -- PROGRAM...: runs kselftest programs in a guest of each kernel.
#
# The mock provider serves all of them; "recovery" in a guest of its own, whose device is lost
# again and again. Those that need no particular provider also run on the embedded CPU
# provider. What then is skipped for want of the mock is not counted again.
# Programs for 32 bits, *_32, run in the first guest only.
set -uo pipefail
here=$(dirname "$0")
. "$here/tally.sh"
. "$here/console.sh"

vm=build/host/vm/accel-vm
logs=build/guest
needs_mock='the host does not run the mock provider'

kernels=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	kernels+=("$1")
	shift
done
shift
add=() add_32=() add_recovery=()
for program in "$@"; do
	case ${program##*/} in
	*_32) add_32+=(--add "$program=/selftests/${program##*/}") ;;
	recovery) add_recovery+=(--add "$program=/selftests/recovery") ;;
	*) add+=(--add "$program=/selftests/${program##*/}") ;;
	esac
done
[ $# -gt 0 ] || fail "kselftests" "there are none"

# A kernel's driver of RAM disks, whose pages, unlike those of tmpfs, are written back.
ram_disk() { # KERNEL
	local release module
	case $1 in
	newest) release=$(ls /lib/modules | sort -V | tail -1) ;;
	lts) release=$(ls /lib/modules | sort -V | head -1) ;;
	*) return ;;
	esac
	module=/lib/modules/$release/kernel/drivers/block/brd.ko.xz
	xz -dc "$module" >"$logs/brd-$1.ko" && echo "--add $logs/brd-$1.ko=/modules/brd.ko"
}

# Ends with the driver's removal, which must find nothing in use.
in_guest='
[ ! -f /modules/brd.ko ] || insmod /modules/brd.ko
for program in /selftests/*; do
	echo "# program $program"
	$program 2>&1
	echo "# status $?"
done
echo "# program rmmod"; echo 1..1
rmmod virtio_accel && echo "ok 1 the driver can be removed" || echo "not ok 1 the driver can be removed"
echo "# status 0"'

mkdir -p "$logs"
losing="build/host/daemon/virtio-acceld --provider mock --fault submit:3:rejected:DeviceLost"

# boot KERNEL DEVICE VM-OPTIONS...
boot() {
	local name="$1, $2" log=$logs/${1##*/}-${2// /-} start=$SECONDS before
	if ! "$vm" -q --kernel "$1" --smp 2 --timeout 600 --console "$log.console" "${@:3}" \
		-- sh -c "$in_guest" >"$log.ktap" 2>"$log.err"; then
		fail "$name: guest" "$(tail -1 "$log.err")"
	fi
	before=$((passed + failed + skipped))
	count_ktap "$name" "$log.ktap" "$needs_mock"
	# On the mock, nothing may be passed over for want of it.
	if [ "$2" != cpu ] && grep -q "$needs_mock" "$log.ktap"; then
		fail "$name: provider" "it is not the mock that the tests know"
	fi
	check_console "$name" "$log.console"
	printf 'guest    %s: %d results (%d s)\n' "$name" \
		$((passed + failed + skipped - before)) $((SECONDS - start))
}

for kernel in "${kernels[@]}"; do
	# shellcheck disable=SC2046
	boot "$kernel" mock --provider mock $(ram_disk "$kernel") "${add[@]}" "${add_32[@]}"
	add_32=()
	boot "$kernel" cpu --provider cpu $(ram_disk "$kernel") "${add[@]}"
	boot "$kernel" "lost device" --daemon "$losing" "${add_recovery[@]}"
done
closing
