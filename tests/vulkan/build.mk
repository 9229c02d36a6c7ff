# SPDX-License-Identifier: MIT

$(eval $(call unit-test,vulkan,$(addprefix tests/vulkan/,buffer_test.cpp device_test.cpp \
	fault_test.cpp limits_test.cpp operator_test.cpp plan_test.cpp select_test.cpp \
	submit_test.cpp),vulkan provider tosa,$(vulkan-flags),-ldl))

$(tests/vulkan/vulkan_test-objects): | $(O)/gen/tosa_generated.h

# A loader that lies, for the tests to put before the real one.
vulkan-shim := $(O)/tests/vulkan/shim/libvulkan-shim.so
sources += tests/vulkan/shim/shim.cpp
$(O)/tests/vulkan/shim/shim.o: CPPFLAGS += -Itests $(vulkan-flags)
$(vulkan-shim): $(O)/tests/vulkan/shim/shim.o
	$(call say,link,$@)
	@$(CXX) $(LDFLAGS) -shared -o $@ $< -ldl

$(O)/tests/vulkan/vulkan_test: | $(vulkan-shim)
