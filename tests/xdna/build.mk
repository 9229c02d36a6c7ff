# SPDX-License-Identifier: MIT
$(eval $(call unit-test,xdna,\
	$(wildcard tests/xdna/*.cpp) host/xdna/xrt/description.cpp,xdna provider tosa,))

$(tests/xdna/xdna_test-objects): | $(O)/gen/tosa_generated.h
