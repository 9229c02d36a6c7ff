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
	@$(CXX) $(LDFLAGS) -shared -Wl,-soname,$(@F) $(if $(SAN),,-Wl$(comma)-z$(comma)defs) -o $@ $^ -luuid

endif
