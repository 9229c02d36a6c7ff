#!/bin/bash
# SPDX-License-Identifier: MIT
# lifecycle.sh KERNEL...: lives of the driver in guests of each kernel, with jobs in flight,
# and what the daemon had of it after each.
set -uo pipefail
here=$(dirname "$0")
. "$here/../tally.sh"
. "$here/../console.sh"

vm=build/host/vm/accel-vm
logs=build/lifecycle
programs=build/selftests/lifecycle
mkdir -p "$logs"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# check_objects NAME LOG: the daemon found objects at the resets of lives that were cut short
# (# dirty, # perhaps in the guest's output), and at no other; it has none in the end.
check_objects() {
	local found least most
	found=$(sed -n 's/.*resets: .*with-objects=//p' "$2.daemon")
	least=$(grep -c '^# dirty' "$2.ktap")
	most=$((least + $(grep -c '^# perhaps' "$2.ktap")))
	if [ "${found:-0}" -ge "$least" ] && [ "${found:-0}" -le "$most" ] &&
		grep -q 'left: contexts=0 buffers=0 programs=0 queues=0 events=0' "$2.daemon"; then
		pass "$1: the driver gives everything back"
	else
		fail "$1: objects" "$least to $most resets should find some: $(grep -E 'resets:|left:' "$2.daemon")"
	fi
}

# guest NAME KERNEL DAEMON-OPTIONS VM-OPTIONS -- COMMAND...
guest() {
	local name=$1 kernel=$2 daemon=$3 start=$SECONDS log
	log=$logs/${1//, /-}
	shift 3
	rm -f "$log".*
	"$vm" -q --kernel "$kernel" --timeout 900 --console "$log.console" --qmp "$scratch/qmp" \
		--daemon "exec build/host/daemon/virtio-acceld --provider mock $daemon 2>$log.daemon" \
		"$@" 2>"$log.err" | "$here/qmp.py" "$scratch/qmp" >"$log.ktap" ||
		fail "$name: guest" "$(tail -1 "$log.err")"
	count_ktap "$name" "$log.ktap"
	check_objects "$name" "$log"
	check_console "$name" "$log.console"
	printf 'guest    %s (%d s)\n' "$name" $((SECONDS - start))
}

for kernel in "$@"; do
	guest "lives, $kernel" "$kernel" "" --smp 2 --root-port --add "$programs/client" \
		--add "$here/in_guest.sh=/lives.sh" -- sh /lives.sh "${ROUNDS:-100}"
done
closing
