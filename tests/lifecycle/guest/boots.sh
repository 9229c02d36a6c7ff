#!/bin/sh
# SPDX-License-Identifier: MIT
# boots.sh: one device in three kernels. The first sleeps, and is replaced by kexec; the second ends
# with a reboot of the machine; each time a client is blocked in the driver.
. /common.sh

# A byte of the clock's memory that neither firmware nor kernel uses survives a reboot.
cmos=/sys/bus/nvmem/devices/cmos_nvram0/nvmem
cmos_byte=98
mark() { printf '%s' "$1" | dd of=$cmos bs=1 seek=$cmos_byte conv=notrunc 2>/dev/null; }
marked() { [ "$(dd if=$cmos bs=1 skip=$cmos_byte count=1 2>/dev/null)" = "$1" ]; }

report() { # STATUS NUMBER NAME
	[ "$1" -eq 0 ] && echo "ok $2 $3" || echo "not ok $2 $3"
}

# The host wakes the machine as soon as it sleeps.
suspend_to_memory() {
	echo deep >/sys/power/mem_sleep
	echo "# qmp system_wakeup"
	echo mem >/sys/power/state
}

if marked R; then
	mark ' '
	client use && settle
	report $? 3 "after a reboot"
	echo 1..3
	echo "# status 0"
elif grep -q kexeced /proc/cmdline; then
	client use
	report $? 2 "after kexec"
	mark R
	start hold && echo "# dirty" && reboot -f
else
	echo "# program boots"
	sleep_under suspend_to_memory
	report $? 1 "after sleep"
	# All that the first kernel was given, but for what it starts.
	(cd / && find . -xdev | grep -v '^./kexec' | cpio -o -H newc >/kexec/initrd 2>/dev/null)
	start hold && echo "# dirty" && kexec /kexec/kernel /kexec/initrd "$(cat /proc/cmdline) kexeced"
fi
