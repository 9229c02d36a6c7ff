# SPDX-License-Identifier: MIT
# Sourced after tally.sh by the scripts that boot a guest: judges its kernel log.

complaints='BUG:|WARNING:|Oops|Call Trace:|general protection|UBSAN:|KASAN:|INFO: task|possible.*deadlock|detected stall'
time_is_up='accel-vm: time is up'

# check_console NAME FILE
check_console() {
	local complaint
	if [ ! -s "$2" ]; then
		fail "$1: kernel log" "there is none"
	elif grep -qF "$time_is_up" "$2"; then
		fail "$1: kernel log" "the guest hangs"
		tail -c 6000 "$2"
	elif complaint=$(grep -m1 -aE "$complaints" "$2"); then
		fail "$1: kernel log" "${complaint%$'\r'} ($2)"
	else
		pass "$1: the kernel has nothing to complain of"
	fi
}
