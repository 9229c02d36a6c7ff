# SPDX-License-Identifier: MIT
# The driver under a kernel that checks itself. The kernel is built once, which takes long.
#
#   make check-debug-kernel [FUZZ_SECONDS=5]

ifneq ($(filter check-debug-kernel,$(MAKECMDGOALS)),)
debug-kernel := $(shell tests/debug-kernel/build.sh)
$(if $(debug-kernel),,$(error there is no debug kernel))
debug-module := build/module-$(notdir $(debug-kernel))/virtio_accel.ko
$(debug-module): kernel-build := $(debug-kernel)/build
endif

# Here, before tests/fuzz/build.mk sets its own default.
debug-fuzz-seconds := $(or $(FUZZ_SECONDS),5)

# 32-bit programs want CONFIG_COMPAT_32BIT_TIME, and check layouts, for which check-guest will do.
check-debug-kernel: $(debug-module) $(O)/host/vm/accel-vm $(O)/host/daemon/virtio-acceld $(kselftests)
	@tests/debug-kernel/run.sh $(debug-kernel)/vmlinuz $(debug-fuzz-seconds) $(kselftests)
