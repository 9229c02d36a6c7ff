# SPDX-License-Identifier: MIT
include $(addprefix tests/xdna/,double/build.mk provider/build.mk sweep/build.mk)

# Linked to the double, if it can be built. XRT's name then means it to all that is loaded.
xdna-tests := $(if $(xdna-double),$(wildcard tests/xdna/*.cpp),\
	$(filter-out tests/xdna/xrt_test.cpp,$(wildcard tests/xdna/*.cpp)))
$(eval $(call unit-test,xdna,$(xdna-tests) host/xdna/xrt/description.cpp \
	tests/tosa/attributes.cpp tests/tosa/single_operator.cpp,\
	xdna xdna-double-binaries provider tosa,,$$(xdna-double-ldlibs)))

$(tests/xdna/xdna_test-objects): | $(O)/gen/tosa_generated.h
$(O)/tests/xdna/xdna_test: $(xdna-double) | $(xdna-xrt)
