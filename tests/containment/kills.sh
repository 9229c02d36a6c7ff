#!/bin/bash
# SPDX-License-Identifier: MIT
# kills.sh KERNEL: a guest whose daemon's worker is killed while it loads, submits, transfers and
# idles; 8 times, or 100 with SOAK=1. Neither QEMU nor the guest starts again, and nothing is left.
set -uo pipefail
here=$(dirname "$0")
. "$here/../tally.sh"
. "$here/../console.sh"

kernel=$1
kills=8
[ -n "${SOAK:-}" ] && kills=100
vm=build/host/vm/accel-vm
log=build/containment/kills
mkdir -p "${log%/*}"
rm -f "$log".*
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The session of the one guest, and its worker.
session() { pgrep -P "$(cat "$scratch/daemon")" | head -1; }
worker() { pgrep -P "$(session)" | head -1; }
descriptors() { ls "/proc/$(session)/fd" | wc -l; }
resident() { awk '/^RssAnon/ { print $2 }' "/proc/$(session)/status"; }

# What is left of the kth life is not told until the worker of the next one stands.
kill_workers() {
	local word what n=0
	while read -r word what; do
		[ "$word" = at ] || { echo "$word $what"; continue; }
		n=$((n + 1))
		sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
		[ $n -eq 3 ] && { descriptors; resident; } >"$log.early"
		[ $n -eq "$kills" ] && { descriptors; resident; } >"$log.late"
		kill -KILL "$(worker)"
	done
}

start=$SECONDS
"$vm" -q --kernel "$kernel" --smp 2 --timeout 1500 --console "$log.console" \
	--add build/selftests/survivor=/survivor \
	--daemon "echo \$\$ >$scratch/daemon; exec build/host/daemon/virtio-acceld --provider mock --once 2>$log.daemon" \
	-- /survivor "$kills" 2>"$log.err" | kill_workers >"$log.out"

count() { grep -c "$1" "$log.daemon"; }
# holds NAME COMMAND...
holds() { if "${@:2}"; then pass "$1"; else fail "$1" "$log.daemon, $(tail -1 "$log.err")"; fi; }
holds "a guest survives $kills deaths of its worker" grep -q "^survived $kills\$" "$log.out"
holds "each death is told, with its cause" [ "$(count 'worker lost: died of signal 9')" -eq "$kills" ]
holds "each new life has a new worker" [ "$(count 'worker replaced')" -eq "$kills" ]
holds "the front end stays the same" [ "$(count 'front end connected')" -eq 1 ]
holds "the last worker has everything back" \
	grep -q 'left: contexts=0 buffers=0 programs=0 queues=0 events=0' "$log.daemon"
holds "descriptors of the session: $(paste -sd' ' "$log.early" "$log.late")" \
	[ "$(head -1 "$log.early")" -eq "$(head -1 "$log.late")" ]
holds "its memory does not grow" \
	[ "$(tail -1 "$log.late")" -le "$(($(tail -1 "$log.early") + 512))" ]
check_console "kills" "$log.console"
printf 'guest    %d kills (%d s)\n' "$kills" $((SECONDS - start))
closing
