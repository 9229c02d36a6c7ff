# SPDX-License-Identifier: MIT
# A whole life of the provider on the double of XRT, with each fault that XRT can have.
ifneq ($(xdna-double),)

$(eval $(call program,tests/xdna/sweep/sweep_test,$(wildcard tests/xdna/sweep/*.cpp),\
	doctest-main xdna-double-binaries xdna lane provider tosa,-Ihost -Itests,\
	$$(xdna-double-ldlibs)))
$(tests/xdna/sweep/sweep_test-objects): | $(O)/gen/tosa_generated.h
$(O)/tests/xdna/sweep/sweep_test: $(xdna-double) $(xdna-xrt)
unit-tests += $(O)/tests/xdna/sweep/sweep_test

endif
