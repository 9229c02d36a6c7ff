# SPDX-License-Identifier: MIT
include tests/xdna/double/build.mk

$(eval $(call unit-test,xdna,$(wildcard tests/xdna/*.cpp),xdna provider tosa,))
