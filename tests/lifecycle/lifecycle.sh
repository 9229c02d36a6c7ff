#!/bin/bash
# SPDX-License-Identifier: MIT
# lifecycle.sh KERNEL...: lives of the driver in guests of each kernel, with jobs in flight, and
# what the daemon had of it after each; then a few kselftests in every configuration that a host
# may choose. LIVES=quick makes that a few rounds and the configurations that are furthest apart.
set -uo pipefail
here=$(dirname "$0")
. "$here/run.sh"

rounds=100 boots=20
[ "${LIVES:-}" = quick ] && rounds=5 boots=1

# The image of a kernel, as accel-vm chooses it.
image() {
	case $1 in
	newest) ls /boot/vmlinuz-* ;;
	lts) ls /boot/vmlinuz-6.12.* ;;
	*) echo "$1" ;;
	esac | sort -V | tail -1
}

lives() {
	guest "lives, $kernel" "" --smp 2 --root-port --add "$programs/client" \
		--add "$here/guest/lives.sh=/lives.sh" -- sh /lives.sh $rounds
	guest "boots, $kernel" "" --reboot --add "$programs/client" --add "$programs/kexec" \
		--add "$(image "$kernel")=/kexec/kernel" --add "$here/guest/boots.sh=/boots.sh" \
		-- sh /boots.sh $boots
	guest "pauses, $kernel" "" --add "$programs/client" \
		--add "$here/guest/pauses.sh=/pauses.sh" -- sh /pauses.sh 20
}

selftests=()
for program in transfer submit wait lifetime; do
	selftests+=(--add "build/selftests/$program=/selftests/$program")
done

# configured NAME DAEMON-OPTIONS VM-OPTIONS...
configured() {
	local name=$1 daemon=$2
	shift 2
	# What limits a chain or a frame says which transfers can use the user's pages.
	guest "$name, $kernel" "$daemon" "$@" "${selftests[@]}" \
		--add "$here/guest/selftests.sh=/selftests.sh" -- sh /selftests.sh ${daemon:+limited}
}

configurations() {
	configured "chains of 4 on a ring of 4" "--max-chain-descriptors 4" --ring-size 4
	configured "all DMA through bounce buffers" "" --smp 8 --append swiotlb=force
	[ "${LIVES:-}" = quick ] && return
	configured "chains of 2 on a ring of 4" "--max-chain-descriptors 2" --ring-size 4 --smp 8
	configured "chains of 3 on a ring of 8" "--max-chain-descriptors 3" --ring-size 8
	configured "chains of 16 on a ring of 64" "--max-chain-descriptors 16" --ring-size 64
	configured "chains of 256 on a ring of 1024" "" --ring-size 1024
	configured "chains of 2 on a ring of 256" "--max-chain-descriptors 2"
	configured "frames of 64 KiB" "--max-request-bytes 64KiB --max-response-bytes 64KiB"
}

for kernel in "$@"; do
	lives
	configurations
done
closing
