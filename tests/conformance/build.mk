# SPDX-License-Identifier: MIT
# The suite, which knows no provider; a program that runs it on ours; and the proof that
# each of its cases can fail.

$(eval $(call library,conformance,$(addprefix tests/conformance/,bench.cpp resource_cases.cpp \
	submission_cases.cpp suite.cpp),-Ihost -Itests))

$(eval $(call program,tests/conformance/conformance,$(addprefix tests/conformance/,cpu_target.cpp \
	main.cpp mock_target.cpp vulkan_target.cpp xdna_target.cpp),conformance cpu vulkan mock xdna \
	xdna-double-binaries lane provider tosa sandbox,-Itests $(vulkan-flags),-ldl -lseccomp))

$(tests/conformance/conformance-objects): | $(O)/gen/tosa_generated.h
$(O)/tests/conformance/conformance: | $(xdna-xrt) \
	$(if $(xdna-xrt),$(O)/tests/xdna/double/libxrt_coreutil.so.2)

$(eval $(call unit-test,conformance,$(addprefix tests/conformance/,defect_test.cpp mock_target.cpp),\
	conformance mock provider))

conformance-providers := $(if $(filter-out all,$(PROVIDER)),$(PROVIDER),mock cpu vulkan xdna)

check-conformance: $(O)/tests/conformance/conformance
	@tests/conformance.sh $< $(conformance-providers)
