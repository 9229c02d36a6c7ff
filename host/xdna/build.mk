# SPDX-License-Identifier: MIT
# The XDNA provider. Only host/xdna/xrt, a library of its own, knows XRT.
$(eval $(call library,xdna,$(wildcard host/xdna/*.cpp),-Ihost))

$(xdna-objects): | $(O)/gen/tosa_generated.h
