# SPDX-License-Identifier: MIT
# Sourced by the scripts beside it: a guest on the mock provider, what it reports, what its kernel
# says, and what the daemon had of the driver.
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
	# The second guest is a session that stood by.
	found=$(sed -n 's/.* guest=1 .*resets: .*with-objects=//p' "$2.daemon")
	least=$(grep -c '^# dirty' "$2.ktap")
	most=$((least + $(grep -c '^# perhaps' "$2.ktap")))
	if [ "${found:-0}" -ge "$least" ] && [ "${found:-0}" -le "$most" ] &&
		grep -q ' guest=1 .*left: contexts=0 buffers=0 programs=0 queues=0 events=0' "$2.daemon"; then
		pass "$1: the driver gives everything back"
	else
		fail "$1: objects" "$least to $most resets should find some: $(grep -E 'resets:|left:' "$2.daemon")"
	fi
}

# guest NAME DAEMON-OPTIONS VM-OPTIONS... -- COMMAND...: on $kernel.
guest() {
	local name=$1 daemon=$2 start=$SECONDS log
	log=$logs/$(tr -cs 'A-Za-z0-9\n' - <<<"$1")
	shift 2
	rm -f "$log".*
	"$vm" -q --kernel "$kernel" --timeout 900 --console "$log.console" --qmp "$scratch/qmp" \
		--add "$here/guest/common.sh=/common.sh" \
		--daemon "exec build/host/daemon/virtio-acceld --provider mock $daemon 2>$log.daemon" \
		"$@" 2>"$log.err" | "$here/qmp.py" "$scratch/qmp" >"$log.ktap" ||
		fail "$name: guest" "$(tail -1 "$log.err")"
	count_ktap "$name" "$log.ktap"
	check_objects "$name" "$log"
	check_console "$name" "$log.console"
	printf 'guest    %s (%d s)\n' "$name" $((SECONDS - start))
}
