# SPDX-License-Identifier: MIT
# Sourced by the scripts that check something: counts checks and ends with their sum.
# TALLY, if set, names a file that the sum is kept in for `make check`, which then prints the
# one closing line.

passed=0 failed=0 skipped=0

pass() { printf 'ok       %s\n' "$1"; passed=$((passed + 1)); }
skip() { printf 'skip     %s: %s\n' "$1" "$2"; skipped=$((skipped + 1)); }
fail() { printf 'FAILED   %s%s\n' "$1" "${2:+: $2}"; failed=$((failed + 1)); }

# The closing line; the script's exit status is that of this function.
closing() {
	if [ -n "${TALLY:-}" ]; then
		mkdir -p "$(dirname "$TALLY")"
		echo "$passed $failed $skipped" >"$TALLY"
	else
		printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	fi
	[ "$failed" -eq 0 ]
}

# started_with PROGRAM: sets `run` to what a program of this build is started with.
started_with() {
	run=()
	# ThreadSanitizer's shadow does not fit an address space that is laid out at random.
	case $1 in build/tsan/*)
		run=(setarch -R)
		export TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp
		;;
	esac
}

# count_ktap NAME FILE [REASON]: the results of several KTAP programs. Each stands between
# "# program PATH" and "# status N", N being its exit status. What is not a result that the
# plan foresaw, or a program that ended otherwise than its results say, is a failure. What is
# skipped for REASON is passed over.
count_ktap() {
	local name=$1 kind text
	while IFS=$'\t' read -r kind text; do
		case $kind in
		ok) passed=$((passed + 1)) ;;
		skip) skip "$name: ${text% # SKIP*}" "${text#* # SKIP }" ;;
		fail) fail "$name: $text" "$2" ;;
		esac
	done < <(awk -v passed_over="${3:-}" '
		function out(kind, text) { print kind "\t" text }
		/^# program / { program = $3; sub(".*/", "", program); plan = -1; seen = bad = 0; next }
		/^1\.\.0 # SKIP/ {
			plan = 0
			if (passed_over == "" || index($0, "# SKIP " passed_over) == 0)
				out("skip", program ": all # SKIP " substr($0, 13))
			next
		}
		/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; next }
		/^(not )?ok [0-9]+/ {
			seen++
			text = $0; sub(/^(not )?ok [0-9]+ (- )?/, "", text)
			if (/^not/) { bad++; out("fail", program ": " text) }
			else if (passed_over != "" && index($0, "# SKIP " passed_over)) next
			else out(/ # SKIP/ ? "skip" : "ok", program ": " text)
			next
		}
		/^# status / {
			if (plan < 0) out("fail", program ": no plan, exit status " $3)
			else if (seen != plan) out("fail", program ": " seen " of " plan " results, exit status " $3)
			else if (bad == 0 && $3 != 0 && $3 != 4) out("fail", program ": exit status " $3)
			program = ""
		}
		END { if (program != "") out("fail", program ": did not end") }
	' "$2")
}
