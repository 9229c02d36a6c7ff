# SPDX-License-Identifier: MIT
$(eval $(call unit-test,daemon,\
	tests/daemon/concurrency_test.cpp \
	tests/daemon/config_test.cpp \
	tests/daemon/containment_test.cpp \
	tests/daemon/control_test.cpp \
	tests/daemon/ctl_test.cpp \
	tests/daemon/device_files_test.cpp \
	tests/daemon/device_test.cpp \
	tests/daemon/guest_memory_test.cpp \
	tests/daemon/golden_test.cpp \
	tests/daemon/lives_test.cpp \
	tests/daemon/log_test.cpp \
	tests/daemon/lost_vulkan_test.cpp \
	tests/daemon/message_test.cpp \
	tests/daemon/metrics_test.cpp \
	tests/daemon/options_test.cpp \
	tests/daemon/process.cpp \
	tests/daemon/prometheus.cpp \
	tests/daemon/providers_test.cpp \
	tests/daemon/race_test.cpp \
	tests/daemon/rate_limit_test.cpp \
	tests/daemon/running_test.cpp \
	tests/daemon/sandbox_test.cpp \
	tests/daemon/server_test.cpp \
	tests/daemon/sockets_test.cpp \
	tests/daemon/traffic_test.cpp \
	tests/daemon/usage.cpp \
	tests/daemon/vm.cpp \
	tests/daemon/xdna_guest.cpp \
	tests/daemon/xdna_list_test.cpp \
	tests/daemon/xdna_store_test.cpp \
	tests/daemon/xdna_wedge_test.cpp \
	tests/golden/data/scenarios.cpp \
	tests/sandbox/in_child.cpp \
	tests/vhost/front_end.cpp,\
	worker acceld sandbox test-driver vhost engine wire cpu vulkan xdna-double-binaries xdna \
	xdna-store-client lane fault mock provider tosa,\
	$(spdlog-flags),\
	-lspdlog -lfmt -lseccomp))

$(O)/tests/daemon/lost_vulkan_test.o: CPPFLAGS += $(vulkan-flags)
$(O)/tests/daemon/lost_vulkan_test.o: | $(O)/gen/tosa_generated.h
$(O)/tests/daemon/daemon_test: | $(O)/tests/vulkan/shim/libvulkan-shim.so

# The tests run the programs that were built beside them.
$(O)/tests/daemon/daemon_test: | $(O)/host/daemon/virtio-acceld $(O)/host/ctl/acceld-ctl

# For what runs on the double of XRT, which is there where XRT is.
# The store bounds the memory of a compiler, and a sanitizer wants far more: it has none.
double-compiler := tests/daemon/double_compiler.cpp tests/xdna/double/binaries.cpp \
	host/xdna/spec.cpp host/xdna/spec_text.cpp
sources += tests/daemon/double_compiler.cpp
$(O)/tests/daemon/double-compiler: $(double-compiler) $(wildcard host/xdna/*.hpp) \
		tests/xdna/double/binaries.hpp
	@mkdir -p $(@D)
	$(call say,c++,$@)
	@$(CXX) -Ihost -Itests -Iuapi $(filter-out $(san-flags),$(CXXFLAGS)) -o $@ $(double-compiler)
$(O)/tests/daemon/daemon_test: | $(O)/tests/daemon/double-compiler \
	$(if $(xdna-xrt),$(O)/tests/xdna/double/libxrt_coreutil.so.2)
