# SPDX-License-Identifier: MIT
# A double of XRT. What is linked to XRT gets it where the loader finds it first, or has it
# already: by the name of XRT's own library.

# For who makes binaries that it runs: needs nothing of XRT.
$(eval $(call library,xdna-double-binaries,tests/xdna/double/binaries.cpp,-Ihost -Itests))

ifeq ($(shell pkg-config --exists xrt && echo yes),yes)

xdna-double := $(O)/tests/xdna/double/libxrt_coreutil.so.2
xdna-double-sources := $(filter-out %_test.cpp %/binaries.cpp,$(wildcard tests/xdna/double/*.cpp))
$(eval $(call library,xdna-double,$(xdna-double-sources),-Ihost -Itests))

$(xdna-double): $(xdna-double-objects) $(O)/libxdna-double-binaries.a $(O)/libxdna.a
	@mkdir -p $(@D)
	$(call say,link,$@)
	@$(CXX) $(LDFLAGS) -shared -Wl,-soname,$(@F) $(if $(SAN),,-Wl$(comma)-z$(comma)defs) \
		-o $@ $^ -luuid

# How a program of $(O)/tests/FOLDER, tests/xdna or tests/xdna/FOLDER is linked to it; as
# $$(xdna-double-ldlibs) where a definition is evaluated.
xdna-double-ldlibs := $(xdna-double) -luuid \
	-Wl,-rpath,'$$ORIGIN:$$ORIGIN/double:$$ORIGIN/../double:$$ORIGIN/../xdna/double'

$(eval $(call program,tests/xdna/double/double_test,$(wildcard tests/xdna/double/*_test.cpp) \
	tests/xdna/double/oracle.cpp,doctest-main xdna-double-binaries xdna,-Ihost -Itests,\
	$$(xdna-double-ldlibs)))
$(O)/tests/xdna/double/double_test: $(xdna-double)
unit-tests += $(O)/tests/xdna/double/double_test

endif
