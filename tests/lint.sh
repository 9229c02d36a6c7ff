#!/bin/bash
# SPDX-License-Identifier: MIT
# The checks that need no build. Each finding is printed; each kind counts once.
set -uo pipefail
. "$(dirname "$0")/tally.sh"

# What git would commit: tracked files and new ones that are not ignored. The owner of a
# checkout need not be who tests it.
mapfile -t files < <(git -c safe.directory="$PWD" ls-files --cached --others --exclude-standard | sort -u |
	while read -r file; do [ -f "$file" ] && echo "$file"; done)
matching() { printf '%s\n' "${files[@]}" | grep -E "$1"; }

# check NAME COMMAND...: passes if the command succeeds and prints nothing.
check() {
	local name=$1 findings
	shift
	if findings=$("$@" 2>&1) && [ -z "$findings" ]; then
		pass "$name"
	else
		printf '%s\n' "$findings"
		fail "$name"
	fi
}

data='^tests/fuzz/(seeds|crashes)/|\.(npy|tosa|bin|json|tosa\.hex)$|^LICENSES/'

formatted() { matching '\.[ch]pp$' | xargs clang-format --dry-run -Werror; }

spdx() {
	matching . | grep -vE "$data" | while read -r file; do
		head -5 "$file" | grep -q SPDX-License-Identifier || echo "$file: no SPDX line"
	done
}

shell_syntax() {
	matching . | while read -r file; do
		case $(head -c 64 "$file" | head -1 | tr -d '\0') in
		'#!'*sh) bash -n "$file" || echo "$file: not valid" ;;
		esac
	done
}

short() {
	matching . | grep -vE "$data" | while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le 500 ] || echo "$file: $lines lines"
	done
}

# The arrows of docs/architecture.md.
layers() {
	local std='<[a-z_]+>'
	grep -rn '^#include' host/wire | grep -vE "#include ($std|\"(wire|linux)/)"
	grep -rn '^#include' host/engine | grep -vE "#include ($std|\"(engine|wire|provider|linux)/)"
	grep -rnE '^#include <(thread|mutex|chrono|fstream|iostream|filesystem)>' host/{wire,engine}
	grep -rnE '^#.*(__linux__|_WIN32|__APPLE__)' host/{wire,engine}
	grep -rn '^#include' host/vhost | grep -vE '#include (<|"(vhost|base)/|"wire/chain.hpp")'
	grep -rnE '^#include "(wire|engine|vhost|linux)/' host/{provider,tosa,cpu,vulkan,xdna}
	grep -rnE '^#include "(engine|cpu|vulkan|xdna|tosa|worker)/' host/daemon | grep -vE '"engine/(policy|report).hpp"'
	grep -rnE '^#include <xrt' host | grep -v '^host/xdna/xrt/'
	grep -rn '^#include' host/sandbox | grep -vE '#include (<|"(sandbox|base)/)'
	:
}

# Folders whose code sees a guest's bytes name no file, but for the cache of pipelines, whose
# name is made of what identifies the device. The one library is a constant, unless
# a test names another: nothing of the host does.
pathless() {
	local parts=(host/{wire,engine,vhost,provider,tosa,cpu,vulkan})
	local calls='open|openat|creat|rename|unlink|mkdir|link|symlink|truncate|exec[lv]p?e?|posix_spawn'
	grep -rnE "fstream|filesystem|fopen\(|(^|[^[:alnum:]_])::($calls)\(" "${parts[@]}" |
		grep -v '^host/vulkan/pipeline_cache.cpp:'
	grep -rn 'dlopen(' "${parts[@]}" | grep -vF 'dlopen(loader.empty() ? "libvulkan.so.1" : loader.c_str()'
	grep -rnE '\.loader\b' host --exclude-dir=vulkan
	:
}

kernel() { make --no-print-directory lint-kernel >build/lint-kernel.log 2>&1 || cat build/lint-kernel.log; }

abi() { make --no-print-directory lint-abi; }

mkdir -p build
check "C++ files are formatted" formatted
check "every file has its licence line" spdx
check "shell scripts parse" shell_syntax
check "the parts of the host include only what they may know" layers
check "what a guest says never names a file" pathless
check "no file is longer than 500 lines" short
check "every field of a hostile device has its check and its lie" python3 tests/ledgers.py hostile
check "every budget has its test" python3 tests/ledgers.py budgets
check "every threat has its bound and its test" python3 tests/ledgers.py security
check "every requirement has its test, or a reason" python3 tests/ledgers.py requirements
check "every compiler and word size sees the uapi that is on record" abi
check "docs/uapi.md has every ioctl, field and value of the uapi" python3 uapi/abi.py missing docs/uapi.md
check "the driver is in the kernel's style, sparse finds nothing" kernel
closing
