# SPDX-License-Identifier: MIT

# What is computed has nothing for ThreadSanitizer. The CPU provider is the oracle.
vulkan-threaded := $(foreach t,buffer compile device submit select,tests/vulkan/$t_test.cpp)
vulkan-tests := $(if $(filter tsan,$(SAN)),$(vulkan-threaded),$(wildcard tests/vulkan/*.cpp))
$(eval $(call unit-test,vulkan,$(vulkan-tests) tests/tosa/single_operator.cpp,\
	vulkan random-graph cpu provider tosa,$(vulkan-flags),-ldl))

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
