# SPDX-License-Identifier: MIT
# Each folder of unit tests lists its own sources in a build.mk.

unit-tests :=

# $(call unit-test,FOLDER,SOURCES,LIBRARIES,CPPFLAGS,LDLIBS): the doctest program of
# one folder under tests/
define unit-test
$(call program,tests/$(1)/$(1)_test,$(2),doctest-main $(3),-Ihost -Itests $(4),$(5))
unit-tests += $$(O)/tests/$(1)/$(1)_test
endef

$(eval $(call library,doctest-main,tests/doctest_main.cpp,))

include $(sort $(filter-out tests/fuzz/%,$(wildcard tests/*/build.mk)))
# Takes the libraries of all the others apart.
include tests/fuzz/build.mk

# What runs in one thread has nothing for ThreadSanitizer: less to build for it.
single-threaded := corpus golden inspect model networks tosa tosa_memory vm wire
race-free := $(if $(filter tsan,$(SAN)),$(foreach t,$(single-threaded),$(O)/tests/$(t)/$(t)_test))

check-unit: $(filter-out $(race-free),$(unit-tests))
	@tests/unit.sh $^

# Of these, what reads and computes programs.
check-tosa: $(foreach t,tosa tosa_memory inspect corpus cpu,$(O)/tests/$(t)/$(t)_test)
	@tests/unit.sh $^

# The Vulkan provider on VULKAN_DEVICE, under the validation layer where it can be.
check-vulkan: $(foreach t,vulkan corpus,$(O)/tests/$(t)/$(t)_test) $(O)/tests/conformance/conformance
	@tests/unit.sh $(filter %_test,$^)
	@tests/conformance.sh $(O)/tests/conformance/conformance vulkan

# The XDNA provider, on a double of its device.
check-xdna: $(filter $(O)/tests/xdna%,$(unit-tests)) $(O)/tests/corpus/corpus_test \
	$(O)/tests/conformance/conformance
	@tests/unit.sh $(filter %_test,$^)
	@tests/conformance.sh $(O)/tests/conformance/conformance xdna

# The XDNA provider on an NPU, if there is one; XDNA=double tries the check itself.
check-xdna-hardware: $(O)/tests/bench/xdna_bench
	@tests/xdna/hardware.sh $(O) $(if $(filter double,$(XDNA)),--double)

# The daemon and its socket, of which check-unit takes the quick form; and in machines.
check-daemon: $(O)/tests/daemon/daemon_test check-containment
	@tests/unit.sh $<

check-containment: $(guest-parts) build/selftests/survivor
	@tests/containment/containment.sh newest

check-install: $(O)/host/daemon/virtio-acceld
	@tests/daemon/install.sh

guest-kernels := $(if $(filter all,$(GUEST_KERNEL)),newest lts,$(GUEST_KERNEL))

# The Vulkan device to use. A software device is only ever used when it is named, which is
# right where the machine has no render node.
VULKAN_DEVICE ?= $(if $(wildcard /dev/dri/renderD*),,llvmpipe)
export VULKAN_DEVICE

# What a guest needs to have built.
guest-parts := modules $(O)/host/vm/accel-vm $(O)/host/daemon/virtio-acceld $(O)/libaccel/accelctl

check-guest: $(guest-parts) $(kselftests) $(kselftests-32) $(kselftests-lost)
	@tests/guest.sh $(guest-kernels) -- $(kselftests) $(kselftests-32) $(kselftests-lost)

check-faults: $(guest-parts) $(kselftests) $(stalled)
	@tests/faults/run.sh $(guest-kernels) -- $(kselftests)

# One kernel unless they are named: what is checked is the driver more than its kernel.
hostile-kernels := $(if $(filter file,$(origin GUEST_KERNEL)),newest,$(guest-kernels))

check-hostile: $(guest-parts) $(O)/tests/hostile/hostile-device $(hostile-selftest)
	@tests/hostile/run.sh $(hostile-kernels)

# LIVES=quick is what `make check` does: a few rounds, and not every configuration.
check-lifecycle: $(guest-parts) $(lifecycle-programs) $(kselftests)
	@tests/lifecycle/lifecycle.sh $(guest-kernels)

check-e2e: $(guest-parts) $(O)/tests/daemon/double-compiler \
	$(if $(xdna-xrt),$(O)/tests/xdna/double/libxrt_coreutil.so.2)
	@tests/e2e/e2e.sh

digits := $(addprefix tests/e2e/digits/,digits.tosa images.npy labels.npy)
run: $(guest-parts)
	@$(O)/host/vm/accel-vm --kernel newest --provider vulkan \
		$(if $(VULKAN_DEVICE),--device $(VULKAN_DEVICE)) --timeout 300 \
		--add $(O)/libaccel/accelctl $(addprefix --add ,$(digits)) -- sh -c 'accelctl info && \
		accelctl run digits.tosa --input images=images.npy --labels logits=labels.npy'

lint:
	+@tests/lint.sh

# Slow, and no part of check.
tidy: $(O)/gen/tosa_generated.h
	@clang-tidy --quiet $(sort $(sources)) -- -std=c++23 -Ihost -Itests -Iuapi -I$(O)/gen \
		-Ilibaccel/include -Ilibaccel/src -Ilibaccel/tools $(drm-cppflags) -DFMT_HEADER_ONLY \
		$(spdlog-flags) $(xdna-contract) $(xdna-xrt-flags)

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

check:
	+@tests/check.sh
