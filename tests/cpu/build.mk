# SPDX-License-Identifier: MIT

# For the fuzzer as well.
$(eval $(call library,random-graph,tests/cpu/random_graph.cpp tests/tosa/attributes.cpp \
	tests/corpus/compare.cpp,-Ihost -Itests))
$(random-graph-objects): | $(O)/gen/tosa_generated.h

$(eval $(call unit-test,cpu,$(filter-out tests/cpu/random_graph.cpp,$(wildcard tests/cpu/*.cpp)),\
	random-graph cpu provider tosa,))

$(tests/cpu/cpu_test-objects): | $(O)/gen/tosa_generated.h
