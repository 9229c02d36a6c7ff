# SPDX-License-Identifier: MIT

$(eval $(call unit-test,vulkan,$(addprefix tests/vulkan/,buffer_test.cpp device_test.cpp \
	driver_test.cpp fault_test.cpp limits_test.cpp operator_test.cpp pipeline_cache_test.cpp plan_test.cpp \
	select_test.cpp submit_test.cpp),vulkan provider tosa,$(vulkan-flags),-ldl))

$(tests/vulkan/vulkan_test-objects): | $(O)/gen/tosa_generated.h

# A loader that lies, for the tests to put before the real one, and a driver that fails.
vulkan-shim := $(addprefix $(O)/tests/vulkan/shim/,libvulkan-shim.so libbroken-driver.so)
$(eval $(call library,vulkan-shim,$(addprefix tests/vulkan/shim/,shim.cpp broken_driver.cpp),\
	-Itests $(vulkan-flags)))
$(O)/tests/vulkan/shim/libvulkan-shim.so: $(O)/tests/vulkan/shim/shim.o
$(O)/tests/vulkan/shim/libbroken-driver.so: $(O)/tests/vulkan/shim/broken_driver.o
$(vulkan-shim):
	$(call say,link,$@)
	@$(CXX) $(LDFLAGS) -shared -o $@ $<

$(O)/tests/vulkan/vulkan_test: | $(vulkan-shim)
