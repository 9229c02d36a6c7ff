# SPDX-License-Identifier: GPL-2.0-only
# The guest driver, built out of tree for the kernels whose headers are installed.
#
# make modules       [GUEST_KERNEL=newest|lts|all] build/module-RELEASE/virtio_accel.ko
# make dkms          build/dkms/virtio-accel-VERSION, a source tree for DKMS
# make lint-kernel   checkpatch --strict, and for each kernel W=1, sparse, Clang and DKMS,
#                    all without a finding

GUEST_KERNEL ?= all

kernel-releases := $(shell cd /lib/modules && ls -d */build 2>/dev/null | sed 's,/build,,' | sort -V)
kernel-lts := $(firstword $(kernel-releases))
kernel-newest := $(lastword $(kernel-releases))
kernel-chosen := $(sort $(if $(filter all,$(GUEST_KERNEL)),$(kernel-releases),$(kernel-$(GUEST_KERNEL))))

module-sources := Kbuild $(wildcard kernel/*.c kernel/*.h) kernel/conftest.sh \
	uapi/drm/virtio_accel.h uapi/linux/virtio_accel.h
# kernel-build: set for a module whose kernel is not installed.
kbuild = $(MAKE) -s -C $(or $(kernel-build),/lib/modules/$*/build) M=$(CURDIR)/$(@D)

.PHONY: modules dkms lint-kernel
modules: $(kernel-chosen:%=build/module-%/virtio_accel.ko)

# Kbuild writes beside the sources, so it gets a copy of them for each kernel.
build/module-%/Kbuild: $(module-sources)
	@mkdir -p $(@D)
	@cp --parents -u $^ $(@D)
	@touch $@

.PRECIOUS: build/module-%/Kbuild
build/module-%/virtio_accel.ko: build/module-%/Kbuild
	$(call say,kbuild,$@)
	+@$(kbuild) modules

dkms-tree := build/dkms/virtio-accel-$(VERSION)
dkms: $(dkms-tree)/dkms.conf
$(dkms-tree)/dkms.conf: kernel/dkms.conf.in $(module-sources) $(wildcard LICENSES/*)
	$(call say,dkms,$(@D))
	@rm -rf $(@D) && mkdir -p $(@D)
	@cp --parents $(wordlist 2,$(words $^),$^) $(@D)
	@sed 's/@VERSION@/$(VERSION)/' $< >$@

# checkpatch and the kselftest headers come from the newest kernel's source.
build/linux-scripts/.unpacked: $(lastword $(sort $(wildcard /usr/src/linux-source-*.tar.xz)))
	$(call say,unpack,$<)
	@rm -rf $(@D) build/kselftest
	@mkdir -p $(@D) build/kselftest
	@tar -xJf $< -C $(@D) --strip-components=2 --wildcards \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' '*/scripts/const_structs.checkpatch'
	@tar -xJf $< -C build/kselftest --strip-components=4 --wildcards \
		'*/tools/testing/selftests/kselftest*.h'
	@touch $@

module-lints := $(foreach lint,sparse clang dkms,$(kernel-releases:%=build/lint-$(lint)-%/ok))
lint-kernel: lint-checkpatch $(module-lints)

.PHONY: lint-checkpatch
lint-checkpatch: build/linux-scripts/.unpacked
	$(call say,lint,checkpatch)
	@perl build/linux-scripts/checkpatch.pl --no-tree --strict --quiet --terse --show-types \
		--max-line-length=100 -f $(filter %.c kernel/%.h,$(module-sources))

# $(call build-without-warning,KBUILD ARGUMENTS): everything, from scratch
define build-without-warning
	$(call say,lint,$(@D:build/lint-%=%))
	@rm -rf $(@D) && mkdir -p $(@D)
	@cp --parents $(module-sources) $(@D)
	+@$(kbuild) W=1 $(1) modules 2>&1 | tee $(@D)/log
	@! grep -qE 'warning|error' $(@D)/log
	@touch $@
endef

# sparse 0.6.4 knows neither typeof_unqual nor the length of a literal, both of which the
# headers of Linux 7 need; C=2 asks for a script that Debian's headers do not have.
sparse-flags := -D__CHECK_ENDIAN__ -D__typeof_unqual__=__typeof__ \
	'-D__builtin_strlen(literal)=(sizeof(literal) - 1)'
build/lint-sparse-%/ok: $(module-sources) kernel/kernel.mk
	$(call build-without-warning,KBUILD_CHECKSRC=2 CF="$(sparse-flags)")

# The kernels were configured for gcc: what Kconfig had found out about it is taken back. The
# headers name the segment of per-CPU data twice.
clang-config := CC=clang CONFIG_CC_IS_GCC= CONFIG_GCC_VERSION=0 CONFIG_CC_IS_CLANG=y \
	CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= CONFIG_FTRACE_MCOUNT_USE_CC= \
	CONFIG_UBSAN_BOUNDS_STRICT= CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough \
	KCFLAGS=-Wno-duplicate-decl-specifier
build/lint-clang-%/ok: $(module-sources) kernel/kernel.mk
	$(call build-without-warning,$(clang-config))

# Signing would make a key for this machine.
build/lint-dkms-%/ok: $(dkms-tree)/dkms.conf
	$(call say,lint,$(@D:build/lint-%=%))
	@rm -rf $(@D) && mkdir -p $(@D)
	@sign_file=/dev/null dkms build virtio-accel/$(VERSION) -k $* --no-depmod \
		--sourcetree $(CURDIR)/build/dkms --dkmstree $(CURDIR)/$(@D) >$(@D)/log 2>&1 || \
		{ cat $(@D)/log; exit 1; }
	@find $(@D) -name 'virtio_accel.ko*' | grep -q .
	@touch $@
