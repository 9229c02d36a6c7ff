#!/bin/bash
# SPDX-License-Identifier: MIT
# unit.sh PROGRAM...: runs doctest programs and sums their test cases.
set -uo pipefail
. "$(dirname "$0")/tally.sh"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ $# -gt 0 ] || fail "unit tests" "there are none"

started_with "${1:-}"

for program in "$@"; do
	start=$SECONDS
	"${run[@]}" "$program" >"$log" 2>&1
	status=$?
	# [doctest] test cases: 12 | 11 passed | 1 failed | 3 skipped
	read -r good bad left < <(sed 's/\x1b\[[0-9;]*m//g' "$log" | awk -F'[|:]' \
		'/^\[doctest\] test cases:/ { print $3 + 0, $4 + 0, $5 + 0 }') || good=""
	if [ -z "$good" ] || { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
		cat "$log"
		fail "$program" "exit status $status"
		continue
	fi
	[ "$bad" -eq 0 ] || cat "$log"
	printf 'unit     %s: %d passed, %d failed, %d skipped (%d s)\n' \
		"$program" "$good" "$bad" "$left" $((SECONDS - start))
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
done
closing
