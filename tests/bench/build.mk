# SPDX-License-Identifier: MIT
$(eval $(call program,tests/bench/engine_bench,\
	tests/bench/engine_bench.cpp tests/budget/allocations.cpp,\
	test-driver vhost engine wire mock,\
	-Ihost -Itests))

.PHONY: bench-engine
bench-engine: $(O)/tests/bench/engine_bench
	@$<

# Against libraries that the provider does not use.
$(eval $(call program,tests/bench/cpu_bench,\
	$(wildcard tests/bench/cpu/*.cpp),\
	cpu provider tosa,\
	-Ihost -Itests,-lopenblas -ldnnl -lgomp))

.PHONY: bench-cpu
bench-cpu: $(O)/tests/bench/cpu_bench
	@$< $(THREADS)

# The Vulkan provider on a device, beside what the device and the CPU provider do.
$(eval $(call program,tests/bench/vulkan_bench,\
	$(wildcard tests/bench/vulkan/*.cpp) tests/budget/allocations.cpp tests/corpus/compare.cpp,\
	networks cpu vulkan provider tosa,\
	-Itests $(vulkan-flags),-ldl))
$(tests/bench/vulkan_bench-objects): | $(O)/gen/tosa_generated.h

.PHONY: bench-vulkan
bench-vulkan: $(O)/tests/bench/vulkan_bench
	@$< $(if $(VULKAN_DEVICE),--device '$(VULKAN_DEVICE)') $(ARGS)

# The XDNA provider on an NPU, or on a double of XRT [XDNA=double].
$(eval $(call program,tests/bench/xdna_bench,\
	$(wildcard tests/bench/xdna/*.cpp) tests/bench/vulkan/samples.cpp tests/tosa/attributes.cpp \
	tests/corpus/case.cpp tests/corpus/compare.cpp tests/xdna/double/oracle.cpp,\
	conformance xdna-double-binaries xdna-store xdna lane provider tosa,\
	-Ihost -Itests))
$(tests/bench/xdna_bench-objects): | $(O)/gen/tosa_generated.h
$(O)/tests/bench/xdna_bench: \
	| $(xdna-xrt) $(if $(xdna-xrt),$(O)/tests/xdna/double/libxrt_coreutil.so.2)

.PHONY: bench-xdna
bench-xdna: $(O)/tests/bench/xdna_bench
	@$< $(if $(filter double,$(XDNA)),--double) $(ARGS)

# What a command costs a guest of the daemon: a program of doctest, as its guest is.
$(eval $(call program,tests/bench/daemon_bench,\
	tests/bench/daemon_bench.cpp tests/daemon/process.cpp tests/daemon/usage.cpp \
	tests/daemon/vm.cpp tests/vhost/front_end.cpp,\
	doctest-main test-driver vhost engine wire mock,\
	-Ihost -Itests))
$(O)/tests/bench/daemon_bench: | $(O)/host/daemon/virtio-acceld

.PHONY: bench-daemon
bench-daemon: $(O)/tests/bench/daemon_bench
	@$<

# What the driver costs in a guest, beside a driver that only sends and receives.
ping-sources := $(addprefix tests/bench/ping/,Kbuild virtio_accel_ping.c) uapi/linux/virtio_accel.h
bench-kernel := $(kernel-newest)

build/ping-$(bench-kernel)/virtio_accel_ping.ko: $(ping-sources)
	$(call say,kbuild,$@)
	@mkdir -p $(@D)/uapi/linux
	@cp -u $(filter tests/%,$^) $(@D) && cp -u uapi/linux/virtio_accel.h $(@D)/uapi/linux
	+@$(MAKE) -s -C /lib/modules/$(bench-kernel)/build M=$(CURDIR)/$(@D) modules

.PHONY: bench-guest
bench-guest: $(guest-bench) build/ping-$(bench-kernel)/virtio_accel_ping.ko \
		build/module-$(bench-kernel)/virtio_accel.ko $(O)/host/vm/accel-vm \
		$(O)/host/daemon/virtio-acceld
	@tests/bench/guest_bench.sh $(filter %/virtio_accel_ping.ko,$^) $<

# What a TOSA file costs to read: a heap of its own counts the bytes.
$(eval $(call program,tests/bench/tosa_bench,tests/bench/tosa_bench.cpp,tosa,-Ihost -Itests))
$(tests/bench/tosa_bench-objects): | $(O)/gen/tosa_generated.h

.PHONY: bench-tosa
bench-tosa: $(O)/tests/bench/tosa_bench
	@$<

# What the dispatch lane costs a job.
$(eval $(call program,tests/bench/lane_bench,tests/bench/lane_bench.cpp,lane,-Ihost -Itests))

.PHONY: bench-lane
bench-lane: $(O)/tests/bench/lane_bench
	@$<
