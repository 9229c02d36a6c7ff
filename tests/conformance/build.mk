# SPDX-License-Identifier: MIT
# The suite, which knows no provider; a program that runs it on ours; and the proof that
# each of its cases can fail.

$(eval $(call library,conformance,$(addprefix tests/conformance/,bench.cpp resource_cases.cpp \
	submission_cases.cpp suite.cpp),-Ihost -Itests))

$(eval $(call program,tests/conformance/conformance,$(addprefix tests/conformance/,cpu_target.cpp \
	main.cpp mock_target.cpp vulkan_target.cpp),conformance cpu vulkan mock provider tosa \
	sandbox,-Itests $(vulkan-flags),-ldl -lseccomp))

$(tests/conformance/conformance-objects): | $(O)/gen/tosa_generated.h

$(eval $(call unit-test,conformance,$(addprefix tests/conformance/,defect_test.cpp mock_target.cpp),\
	conformance mock provider))

conformance-providers := $(if $(filter-out all,$(PROVIDER)),$(PROVIDER),mock cpu vulkan)

check-conformance: $(O)/tests/conformance/conformance
	@tests/conformance.sh $< $(conformance-providers)
