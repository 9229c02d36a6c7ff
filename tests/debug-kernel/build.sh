#!/bin/bash
# SPDX-License-Identifier: MIT
#
# build.sh: prints the folder of the debug kernel, which is laid out as /lib/modules/RELEASE:
# `vmlinuz`, and `build` for modules. If it is not there, the kernel is built, which takes some
# ten minutes on two processors. Its release holds the key of all that it is made of.
set -eEuo pipefail

fragment=$(realpath "$(dirname "$0")/config")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/virtio-accel/debug-kernel
package=$(dpkg-query -W -f '${Package} ${Version}\n' 'linux-source-[0-9]*' | sort -V | tail -1)
key=$({ cat "$fragment"; echo "$package"; gcc --version; } | sha256sum | cut -c1-8)

say() { printf 'kernel   %s\n' "$*" >&2; }
find_kernel() { compgen -G "$cache/*-debug-$key"; }

# What olddefconfig drops, for want of another option or because there is none of that name,
# is told by nobody else.
configure() {
	local line lost=0
	make tinyconfig
	scripts/kconfig/merge_config.sh -m .config "$fragment"
	make olddefconfig
	while read -r line; do
		case $line in
		*=n) ! grep "^${line%n}" .config ;;
		CONFIG_*) grep -qx "$line" .config ;;
		esac || { say "$line has no effect"; lost=1; }
	done <"$fragment"
	[ $lost = 0 ]
}

build() { # the folder to fill, in that of the source
	local compiler
	compiler=$(command -v ccache >/dev/null && echo ccache gcc || echo gcc)
	configure
	set -- "$1" "LOCALVERSION=-debug-$key" CC="$compiler" HOSTCC="$compiler"
	make -j"$(nproc)" "${@:2}" bzImage modules
	make "${@:2}" run-command \
		KBUILD_RUN_COMMAND="\$(srctree)/scripts/package/install-extmod-build $1/build"
	cp arch/x86/boot/bzImage "$1/vmlinuz"
	cp .config "$1/config"
}

make_kernel() {
	local work=$cache/work start=$SECONDS
	say "debug kernel of $package (log: $cache/log)"
	trap 'tail -5 "$cache/log" >&2' ERR
	rm -rf "$work"
	mkdir -p "$work/source" "$work/kernel"
	tar -xJf "/usr/src/${package% *}.tar.xz" -C "$work/source" --strip-components=1
	(cd "$work/source"; build "$work/kernel") >"$cache/log" 2>&1
	mv "$work/kernel" "$cache/$(cat "$work/source/include/config/kernel.release")"
	rm -rf "$work"
	say "done in $((SECONDS - start)) s"
}

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if ! find_kernel >/dev/null; then
	make_kernel
fi
find_kernel
