# SPDX-License-Identifier: MIT
# Networks as TOSA programs, for the tests and benchmarks of every provider.

$(eval $(call library,networks,$(addprefix tests/,networks/layers.cpp networks/mobilenet.cpp \
	tosa/attributes.cpp),-Ihost -Itests))

$(eval $(call unit-test,networks,$(addprefix tests/,networks/networks_test.cpp corpus/compare.cpp),\
	networks cpu provider tosa,))

$(networks-objects) $(tests/networks/networks_test-objects): | $(O)/gen/tosa_generated.h
