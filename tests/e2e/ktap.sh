# SPDX-License-Identifier: MIT
# For scripts that run in the guest and speak KTAP.

results=0
report() { # STATUS NAME
	results=$((results + 1))
	[ "$1" -eq 0 ] && echo "ok $results $2" || echo "not ok $results $2"
}

out=/tmp/out
err=/tmp/err

# runs NAME COMMAND...
runs() {
	name=$1
	shift
	"$@" >$out 2>$err
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' $out $err
	report $status "$name"
}

# says NAME LINE: the last command printed exactly this line.
says() {
	grep -qxF -e "$2" $out
	report $? "$1"
}

# refuses NAME WORDS COMMAND...: a status other than 0, the words in the first line of standard
# error, nothing on standard output, no output file.
refuses() {
	name=$1 words=$2
	shift 2
	rm -f /tmp/refused.npy
	"$@" >$out 2>$err
	if [ $? -ne 0 ] && head -1 $err | grep -qF -e "$words" && [ ! -s $out ] && [ ! -e /tmp/refused.npy ]; then
		report 0 "refused: $name"
	else
		sed 's/^/# /' $err $out
		report 1 "refused: $name"
	fi
}

# same NAME FILE EXPECTED BYTES: the array's data, which ends both files, is the same to the bit.
same() {
	tail -c "$4" "$2" >/tmp/left && tail -c "$4" "$3" >/tmp/right && cmp -s /tmp/left /tmp/right
	report $? "$1"
}

closing() { echo "1..$results"; }
