# SPDX-License-Identifier: MIT
$(eval $(call unit-test,xdna,$(wildcard tests/xdna/*.cpp),xdna provider tosa,))
