# SPDX-License-Identifier: MIT
# Each folder of unit tests lists its own sources in a build.mk.

unit-tests :=

# $(call unit-test,FOLDER,SOURCES,LIBRARIES,CPPFLAGS,LDLIBS): the doctest program of
# one folder under tests/
define unit-test
$(call program,tests/$(1)/$(1)_test,$(2),doctest-main $(3),-Ihost -Itests $(4),$(5))
unit-tests += $$(O)/tests/$(1)/$(1)_test
endef

$(eval $(call library,doctest-main,tests/doctest_main.cpp,))

include $(sort $(wildcard tests/*/build.mk))

check-unit: $(unit-tests)
