# SPDX-License-Identifier: MIT
# The provider on the double of XRT.
ifneq ($(xdna-double),)

$(eval $(call program,tests/xdna/provider/provider_test,$(wildcard tests/xdna/provider/*.cpp) \
	tests/corpus/case.cpp tests/corpus/compare.cpp,\
	doctest-main xdna-double-binaries cpu xdna lane provider tosa,-Ihost -Itests,\
	$$(xdna-double-ldlibs)))
$(tests/xdna/provider/provider_test-objects): | $(O)/gen/tosa_generated.h
$(O)/tests/xdna/provider/provider_test: $(xdna-double) | $(xdna-xrt)
unit-tests += $(O)/tests/xdna/provider/provider_test

endif
