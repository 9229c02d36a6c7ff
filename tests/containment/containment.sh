#!/bin/bash
# SPDX-License-Identifier: MIT
# containment.sh KERNEL: what guests notice of each other and of the daemon's processes: a guest
# whose worker is killed while it loads, submits, transfers and idles, 8 times or 100 with SOAK=1;
# two machines at one daemon, one of which is killed. No QEMU but that one ends early.
set -uo pipefail
here=$(dirname "$0")
. "$here/../tally.sh"
. "$here/../console.sh"

kernel=$1
deaths=8 pause=0
# Ten new workers in ten seconds are all that a guest gets.
[ -n "${SOAK:-}" ] && deaths=100 pause=1
vm=build/host/vm/accel-vm
acceld=build/host/daemon/virtio-acceld
logs=build/containment
mkdir -p "$logs"
rm -f "$logs"/*
scratch=$(mktemp -d)
daemon=
trap '[ -n "$daemon" ] && kill $daemon; rm -rf "$scratch"' EXIT

holds() { # NAME COMMAND...
	if "${@:2}"; then pass "$1"; else fail "$1" "see $logs"; fi
}

# The session of the one guest, and its worker.
session() { pgrep -P "$(cat "$scratch/daemon")" | head -1; }
worker() { pgrep -P "$(session)" | head -1; }
descriptors() { ls "/proc/$(session)/fd" | wc -l; }
resident() { awk '/^RssAnon/ { print $2 }' "/proc/$(session)/status"; }

# Passes on what the guest says, but for "at WHAT": then its worker dies.
kill_workers() {
	local word what n=0
	while read -r word what; do
		[ "$word" = at ] || { echo "$word $what"; continue; }
		n=$((n + 1))
		sleep "$pause.$((RANDOM % 10))$((RANDOM % 10))"
		[ $n -eq 3 ] && { descriptors; resident; } >"$logs/early"
		[ $n -eq $deaths ] && { descriptors; resident; } >"$logs/late"
		kill -KILL "$(worker)"
	done
}

workers_die() {
	local log=$logs/deaths start=$SECONDS early late
	"$vm" -q --kernel "$kernel" --smp 2 --timeout 1500 --console $log.console \
		--add build/selftests/survivor=/survivor \
		--daemon "echo \$\$ >$scratch/daemon; exec $acceld --provider mock --once 2>$log.daemon" \
		-- /survivor $deaths 2>$log.err | kill_workers >$log.out
	mapfile -t early <"$logs/early"
	mapfile -t late <"$logs/late"
	count() { grep -c "$1" $log.daemon; }
	holds "a guest survives $deaths deaths of its worker" grep -q "^survived $deaths\$" $log.out
	holds "each death is told, with its cause" \
		[ "$(count 'worker lost: died of signal 9')" -eq $deaths ]
	holds "each new life has a new worker" [ "$(count 'worker replaced')" -eq $deaths ]
	holds "the front end stays the same" [ "$(count 'front end connected')" -eq 1 ]
	holds "the last worker has everything back" \
		grep -q 'left: contexts=0 buffers=0 programs=0 queues=0 events=0' $log.daemon
	holds "the session has ${early[0]} descriptors early, ${late[0]} late" \
		[ "${early[0]}" -eq "${late[0]}" ]
	holds "and ${early[1]} KiB early, ${late[1]} KiB late" \
		[ "${late[1]}" -le $((${early[1]} + 512)) ]
	check_console "deaths" $log.console
	printf 'guest    %d deaths (%d s)\n' $deaths $((SECONDS - start))
}

# machine NAME COMMAND...: at the one daemon.
machine() {
	"$vm" -q --kernel "$kernel" --timeout 300 --socket "$scratch/socket" \
		--console "$logs/$1.console" --add build/libaccel/accelctl -- "${@:2}" \
		>"$logs/$1.out" 2>"$logs/$1.err"
}

two_machines() {
	local start=$SECONDS bad good
	$acceld --provider cpu --max-guests 2 --socket-path "$scratch/socket" 2>"$logs/two.daemon" &
	daemon=$!
	until [ -S "$scratch/socket" ]; do sleep 0.05; done
	machine bad sh -c 'accelctl selftest; echo ready; while :; do accelctl selftest; done' &
	bad=$!
	machine good sh -c 'for i in 1 2 3; do accelctl selftest || exit 1; done' &
	good=$!
	until grep -qs ready "$logs/bad.out"; do sleep 0.2; done
	# QEMU is the child of accel-vm, which is the child of the function's shell.
	kill -KILL "$(pgrep -P "$(pgrep -P $bad)")"
	wait $good
	holds "a machine finishes beside one that is killed" [ $? -eq 0 ]
	wait $bad
	until grep -q 'front end disconnected' "$logs/two.daemon"; do sleep 0.2; done
	holds "the next one takes its place" machine next accelctl selftest
	kill -TERM $daemon
	wait $daemon
	holds "the daemon ends well" [ $? -eq 0 ]
	daemon=
	printf 'guest    two machines at one daemon (%d s)\n' $((SECONDS - start))
}

workers_die
two_machines
closing
