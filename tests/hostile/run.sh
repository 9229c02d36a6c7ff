#!/bin/bash
# SPDX-License-Identifier: MIT
# run.sh KERNEL...: the driver against a device that lies, in a guest of each kernel.
set -uo pipefail
here=$(dirname "$0")
. "$here/../tally.sh"
. "$here/../console.sh"

vm=build/host/vm/accel-vm
device=build/tests/hostile/hostile-device

lies() { grep -v -e '^#' -e '^$' "$here/lies"; }

# Every kind of lie that the device knows is told at least once.
all_are_told() {
	local untold
	untold=$("$device" --list | grep -vxFf <(lies | sed 's/[ =:].*//'))
	[ -z "$untold" ] && pass "hostile: every kind of lie is told" || fail "hostile: not told" "$untold"
}

# A front end asks for feature bits once, so each of these lies needs a boot of its own; the
# others are dealt to two guests. Each group gets a file in DIRECTORY.
deal() { # DIRECTORY
	local i=0 line name
	mkdir -p "$1"
	rm -f "$1"/*
	lies | while read -r line; do
		case $line in
		features=*) name=${line%% *} && echo "$line" >"$1/lies-${name/=/-}.lies" ;;
		*) echo "$line" >>"$1/lies-$((i++ % 2)).lies" ;;
		esac
	done
}

# A guest whose device tells the lies of LOG.lies. It leaves it to the driver to clear memory.
boot() { # KERNEL LOG
	local lie command=$device
	while read -r lie _; do command+=" --lie $lie"; done <"$2.lies"
	"$vm" -q --kernel "$1" --smp 2 --append init_on_alloc=0 --timeout 600 \
		--daemon "$command 2>$2.untold" --console "$2.console" --add "$2.lies=/lies" \
		--add build/selftests/hostile=/bin/hostile --add "$here/in_guest.sh=/in_guest.sh" \
		-- sh /in_guest.sh >"$2.ktap" 2>"$2.err"
	echo $? >"$2.status"
}

judge() { # NAME LOG
	local before=$((passed + failed + skipped))
	[ "$(cat "$2.status")" -eq 0 ] || fail "$1: guest" "$(tail -1 "$2.err")"
	[ ! -s "$2.untold" ] || fail "$1: device" "$(cat "$2.untold")"
	count_ktap "$1" "$2.ktap"
	check_console "$1" "$2.console"
	printf 'hostile  %s: %d results\n' "$1" $((passed + failed + skipped - before))
}

all_are_told
for kernel in "$@"; do
	logs=build/hostile/${kernel##*/}
	start=$SECONDS
	deal "$logs"
	groups=("$logs"/*.lies)
	for group in "${groups[@]}"; do
		[ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
		boot "$kernel" "${group%.lies}" &
	done
	wait
	for group in "${groups[@]}"; do
		judge "$kernel, $(basename "$group" .lies)" "${group%.lies}"
	done
	printf 'hostile  %s (%d s)\n' "$kernel" $((SECONDS - start))
done
closing
