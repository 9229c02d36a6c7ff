# SPDX-License-Identifier: MIT
# The library that is linked to XRT, on the XRT that is installed. A program of its own: the
# other tests of the provider load a double by XRT's name, and there is one of a name.
$(eval $(call unit-test,xdna-xrt,tests/xdna-xrt/installed_test.cpp,xdna provider,$(xdna-contract)))

# Libraries that are not what they should be: of another contract, and one that needs what
# is not there.
xdna-wrong := $(addprefix $(O)/tests/xdna-xrt/,other_contract.so incomplete.so)
$(eval $(call library,xdna-wrong,\
	$(addprefix tests/xdna-xrt/,other_contract.cpp nowhere.cpp),-Ihost $(xdna-contract)))
$(O)/tests/xdna-xrt/other_contract.so: $(O)/tests/xdna-xrt/other_contract.o
	$(call say,link,$@)
	@$(CXX) $(LDFLAGS) -shared -o $@ $<
$(O)/tests/xdna-xrt/incomplete.so: $(O)/tests/xdna-xrt/other_contract.o $(O)/tests/xdna-xrt/nowhere.o
	$(call say,link,$@)
	@$(CXX) $(LDFLAGS) -shared -Wl,-soname,libxrt_nowhere.so.2 -o $(@D)/nowhere.so $(@D)/nowhere.o
	@$(CXX) $(LDFLAGS) -shared -Wl,--no-as-needed -o $@ $< $(@D)/nowhere.so

$(O)/tests/xdna-xrt/xdna-xrt_test: | $(xdna-wrong) $(xdna-xrt)
