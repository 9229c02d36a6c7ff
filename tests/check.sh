#!/bin/bash
# SPDX-License-Identifier: MIT
# check.sh: all groups of checks, and one sum of them. A group that cannot be built or does
# not reach its end is one failure.
set -uo pipefail
. "$(dirname "$0")/tally.sh"

tallies=build/tally
rm -rf "$tallies"
mkdir -p "$tallies"
summary=()

# group NAME MAKE-ARGUMENTS...
group() {
	local name=$1 start=$SECONDS p f s
	shift
	printf '== %s\n' "$name"
	TALLY=$tallies/$name make "$@"
	if ! read -r p f s 2>/dev/null <"$tallies/$name"; then
		p=0 f=1 s=0
		printf 'FAILED   %s: it did not reach its end\n' "$name"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	summary+=("$(printf '%-16s %5d passed %5d failed %5d skipped %5d s' "$name" "$p" "$f" "$s" \
		$((SECONDS - start)))")
}

group lint lint SAN=
group unit check-unit SAN=
group unit-asan check-unit SAN=asan
group unit-tsan check-unit SAN=tsan
group install check-install SAN=
group conformance check-conformance SAN=
group fuzz check-fuzz SAN= FUZZ_SECONDS=0
group npu check-xdna-hardware SAN=
group guest check-guest SAN=
group hostile check-hostile SAN=
group containment check-containment SAN=
group lifecycle check-lifecycle LIVES=quick GUEST_KERNEL=newest SAN=
group e2e check-e2e SAN=

printf '\n'
printf '%s\n' "${summary[@]}"
unset TALLY
closing
