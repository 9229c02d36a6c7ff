# SPDX-License-Identifier: GPL-2.0-only
# The guest driver, built out of tree for the kernels whose headers are installed.
#
# make modules       [GUEST_KERNEL=newest|lts|all] build/module-RELEASE/virtio_accel.ko
# make lint-kernel   checkpatch --strict, W=1 and sparse, all without a finding

GUEST_KERNEL ?= all

kernel-releases := $(shell cd /lib/modules && ls -d */build 2>/dev/null | sed 's,/build,,' | sort -V)
kernel-lts := $(firstword $(kernel-releases))
kernel-newest := $(lastword $(kernel-releases))
kernel-chosen := $(sort $(if $(filter all,$(GUEST_KERNEL)),$(kernel-releases),$(kernel-$(GUEST_KERNEL))))

module-sources := Kbuild $(wildcard kernel/*.c kernel/*.h) kernel/conftest.sh \
	uapi/drm/virtio_accel.h uapi/linux/virtio_accel.h
kbuild = +@$(MAKE) -s -C /lib/modules/$*/build M=$(CURDIR)/$1 modules

.PHONY: modules lint-kernel
modules: $(kernel-chosen:%=build/module-%/virtio_accel.ko)

# Kbuild writes beside the sources, so it gets a copy of them for each kernel.
build/module-%/Kbuild: $(module-sources)
	@mkdir -p $(@D)
	@cp --parents -u $^ $(@D)
	@touch $@

.PRECIOUS: build/module-%/Kbuild
build/module-%/virtio_accel.ko: build/module-%/Kbuild
	$(call say,kbuild,$@)
	$(call kbuild,$(@D))

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

lint-kernel: lint-checkpatch $(kernel-releases:%=lint-module-%)

.PHONY: lint-checkpatch
lint-checkpatch: build/linux-scripts/.unpacked
	$(call say,lint,checkpatch)
	@perl build/linux-scripts/checkpatch.pl --no-tree --strict --quiet --terse --show-types \
		--max-line-length=100 -f $(filter %.c kernel/%.h,$(module-sources))

# Debian's sparse cannot parse the newest kernel's headers, so it reads the LTS ones.
lint-module-$(kernel-lts): sparse := C=2 CF=-D__CHECK_ENDIAN__

# A build of everything from scratch, in which any warning is a failure.
lint-module-%: $(module-sources)
	$(call say,lint,W=1 $(sparse) for $*)
	@rm -rf build/lint-$* && mkdir -p build/lint-$*
	@cp --parents $(module-sources) build/lint-$*
	+@$(MAKE) -s -C /lib/modules/$*/build M=$(CURDIR)/build/lint-$* W=1 $(sparse) modules 2>&1 | \
		tee build/lint-$*/log
	@! grep -qE 'warning|error' build/lint-$*/log
