#!/bin/bash
# SPDX-License-Identifier: MIT
# fuzz.sh SECONDS TARGET...: runs libFuzzer targets, as many at a time as there are
# processors. A target first replays the inputs that once crashed it and its seeds, then
# looks for new ones from where it stopped the last time (build/fuzz/corpus). What crashes
# it is left in build/fuzz/found/TARGET: once understood, it belongs in
# tests/fuzz/crashes/TARGET.
set -uo pipefail
. tests/tally.sh

seconds=$1
shift
here=tests/fuzz
work=build/fuzz

# One target to its end; prints its line.
fuzz() {
	local target=$1 name=${1##*/} log found corpus status known=()
	log=$work/$name.log found=$work/found/$name corpus=$work/corpus/$name
	mkdir -p "$corpus" "$found"
	for dir in "$here/crashes/$name" "$here/seeds/$name"; do
		[ -d "$dir" ] && known+=("$dir")
	done
	[ "$name" = tosa ] && known+=(tests/corpus/data)
	export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
	# The second run is the same every time when there are no seconds for it.
	"$target" -runs=0 -artifact_prefix="$found/" "${known[@]}" >"$log" 2>&1 &&
		"$target" $([ "$seconds" -gt 0 ] && echo "-max_total_time=$seconds" || echo "-runs=2000 -seed=1") \
			-timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1 \
			-artifact_prefix="$found/" "$corpus" "${known[@]}" >"$log" 2>&1
	status=$?
	awk -v name="$name" '
		/ cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1); else if ($i == "ft:") ft = $(i + 1) }
		/^stat::number_of_executed_units:/ { runs = $2 }
		/^stat::new_units_added:/ { units = $2 }
		END { printf "fuzz     %-10s %9d runs, %5d edges, %6d features, %5d new units\n", name, runs, cov, ft, units }
	' "$log"
	return $status
}

trap 'kill $(jobs -p) 2>/dev/null' EXIT
declare -A started=()
finish() { # waits for one target and judges it
	local pid status
	wait -n -p pid
	status=$?
	if [ "$status" -eq 0 ]; then
		pass "fuzz ${started[$pid]##*/}"
	else
		grep -vE "^#[0-9]+[[:space:]]" "$work/${started[$pid]##*/}.log" | head -n 80
		fail "fuzz ${started[$pid]##*/}" "see $work/${started[$pid]##*/}.log"
	fi
	unset "started[$pid]"
}
for target in "$@"; do
	[ "${#started[@]}" -lt "$(nproc)" ] || finish
	fuzz "$target" &
	started[$!]=$target
done
while [ "${#started[@]}" -gt 0 ]; do finish; done
closing
