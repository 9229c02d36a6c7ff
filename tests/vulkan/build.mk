# SPDX-License-Identifier: MIT

$(eval $(call unit-test,vulkan,$(addprefix tests/vulkan/,buffer_test.cpp device_test.cpp \
	operator_test.cpp plan_test.cpp select_test.cpp submit_test.cpp),vulkan provider tosa, \
	$(vulkan-flags),-ldl))

$(tests/vulkan/vulkan_test-objects): | $(O)/gen/tosa_generated.h
