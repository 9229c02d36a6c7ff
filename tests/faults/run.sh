#!/bin/bash
# SPDX-License-Identifier: MIT
# run.sh KERNEL... -- PROGRAM...: a daemon that answers late, slowly or not at all, and what the
# guest's driver makes of it. The guest says when the daemon shall stop and go on. The programs
# are kselftests, of which the guest takes what it needs.
set -uo pipefail
here=$(dirname "$0")
. "$here/../tally.sh"
. "$here/../console.sh"

logs=build/faults
mkdir -p "$logs"
scratch=$(mktemp -d)
daemon= slowly=
trap 'end_daemon; rm -rf "$scratch"' EXIT

# The first CANCEL_EVENTs are refused: more than the driver sends before it gives work up.
uncancellable=$(printf 'cancel_event:%d:error-before:Unsupported,' {1..60})

start_daemon() {
	build/host/daemon/virtio-acceld --socket-path "$scratch/socket" --provider mock --once \
		--single-process \
		--fault "${uncancellable%,}" 2>"$1" &
	daemon=$!
	until [ -S "$scratch/socket" ]; do sleep 0.05; done
}

# Its exit status.
end_daemon() {
	local status
	[ -n "$daemon" ] || return 0
	go_on
	kill -TERM $daemon 2>/dev/null
	wait $daemon
	status=$?
	daemon=
	rm -f "$scratch/socket"
	return $status
}

# Longer than many commands take, shorter than a command_timeout.
slow() {
	while sleep 0.05 && kill -STOP "$1" && sleep 0.2 && kill -CONT "$1"; do :; done
}

go_on() {
	[ -n "$slowly" ] && kill $slowly && wait $slowly
	slowly=
	kill -CONT $daemon
} 2>/dev/null

obey() {
	case $1 in
	STOP) kill -STOP $daemon ;;
	CONT) go_on ;;
	CONT-LATER) (sleep 3 && kill -CONT $daemon) & ;;
	SLOW) slow $daemon & slowly=$! ;;
	*) fail "the guest asks for '$1'" ;;
	esac
}

# follow FILE: keeps what the guest says, and does what it asks for.
follow() {
	local line
	: >"$1"
	while IFS= read -r line; do
		printf '%s\n' "$line" >>"$1"
		case $line in '# daemon '*) obey "${line#\# daemon }" ;; esac
	done
}

kernels=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	kernels+=("$1")
	shift
done
shift
add=(--add build/tests/faults/stalled --add "$here/in_guest.sh")
for program in "$@"; do add+=(--add "$program=/selftests/${program##*/}"); done

for kernel in "${kernels[@]}"; do
	log=$logs/${kernel##*/} start=$SECONDS
	start_daemon "$log.daemon"
	mkfifo "$scratch/output"
	build/host/vm/accel-vm -q --kernel "$kernel" --socket "$scratch/socket" --smp 2 --timeout 300 \
		--console "$log.console" "${add[@]}" -- sh /bin/in_guest.sh >"$scratch/output" 2>"$log.err" &
	vm=$!
	follow "$log.ktap" <"$scratch/output"
	wait $vm || fail "$kernel: guest" "$(tail -1 "$log.err")"
	rm "$scratch/output"
	if end_daemon; then
		pass "$kernel: the daemon ends well"
	else
		fail "$kernel: daemon" "$(tail -1 "$log.daemon")"
	fi
	count_ktap "$kernel" "$log.ktap"
	check_console "$kernel" "$log.console"
	printf 'faults   %s (%d s)\n' "$kernel" $((SECONDS - start))
done
closing
