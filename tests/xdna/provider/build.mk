# SPDX-License-Identifier: MIT
# The provider on the double of XRT.
ifneq ($(xdna-double),)

# What is computed has nothing for ThreadSanitizer.
xdna-provider-tests := $(filter-out $(if $(filter tsan,$(SAN)),%/corpus_test.cpp),\
	$(wildcard tests/xdna/provider/*.cpp))
$(eval $(call program,tests/xdna/provider/provider_test,$(xdna-provider-tests) \
	$(addprefix tests/corpus/,case.cpp compare.cpp),doctest-main xdna-double-binaries \
	$(if $(filter tsan,$(SAN)),,cpu) xdna lane provider tosa,-Ihost -Itests,\
	$$(xdna-double-ldlibs)))
$(tests/xdna/provider/provider_test-objects): | $(O)/gen/tosa_generated.h
$(O)/tests/xdna/provider/provider_test: $(xdna-double) | $(xdna-xrt)
unit-tests += $(O)/tests/xdna/provider/provider_test

endif
