#!/bin/sh
# SPDX-License-Identifier: MIT
# boots.sh ROUNDS: one device in many kernels. The first sleeps; then each is replaced by kexec,
# ROUNDS times, and the last ones end with a reboot of the machine, as often; each time a client
# is blocked in the driver.
rounds=$1
. /common.sh

# A byte of the clock's memory that neither firmware nor kernel uses survives a reboot. It has the
# number of the reboot as a letter.
cmos=/sys/bus/nvmem/devices/cmos_nvram0/nvmem
cmos_byte=98
letters=abcdefghijklmnopqrstuvwxyz
mark() { printf '%s' "$1" | dd of=$cmos bs=1 seek=$cmos_byte conv=notrunc 2>/dev/null; }
marked() { dd if=$cmos bs=1 skip=$cmos_byte count=1 2>/dev/null; }

# The number that boots in the past have left: 0, or that of the kexec or the reboot.
kexeced=$(sed -n 's/.* kexeced=\([0-9]*\).*/\1/p' /proc/cmdline)
rebooted=$(expr index "$letters" "$(marked)")

report() { # STATUS NUMBER NAME
	[ "$1" -eq 0 ] && echo "ok $2 $3" || echo "not ok $2 $3"
}

# The host wakes the machine as soon as it sleeps.
suspend_to_memory() {
	echo deep >/sys/power/mem_sleep
	echo "# qmp system_wakeup"
	echo mem >/sys/power/state
}

# With all that the first kernel was given, but for the initrd itself.
kexec_again() { # NUMBER
	(cd / && find . -xdev | grep -v '^./kexec/initrd' | cpio -o -H newc >/kexec/initrd 2>/dev/null)
	start hold && echo "# dirty" &&
		kexec /kexec/kernel /kexec/initrd "$(sed 's/ kexeced=.*//' /proc/cmdline) kexeced=$1"
}

reboot_again() { # NUMBER
	mark "$(expr substr $letters "$1" 1)"
	start hold && echo "# dirty" && reboot -f
}

if [ "$rebooted" -gt 0 ]; then
	client use && settle
	report $? $((1 + rounds + rebooted)) "after reboot $rebooted"
	[ "$rebooted" -lt "$rounds" ] && reboot_again $((rebooted + 1))
	mark ' '
	echo "1..$((1 + 2 * rounds))"
	echo "# status 0"
elif [ -n "$kexeced" ]; then
	client use
	report $? $((1 + kexeced)) "after kexec $kexeced"
	[ "$kexeced" -lt "$rounds" ] && kexec_again $((kexeced + 1))
	reboot_again 1
else
	echo "# program boots"
	sleep_under suspend_to_memory
	report $? 1 "after sleep"
	kexec_again 1
fi
