# SPDX-License-Identifier: MIT
# libFuzzer targets, built with clang apart from everything else: the parts of a library are
# those that its folder lists, each compiled once more with the fuzzer's eyes in it.
#
#   make check-fuzz [FUZZ_SECONDS=n]   crashes that were found, seeds, then n seconds of each
#   make fuzz-seeds                    writes tests/fuzz/seeds anew

FUZZ_SECONDS ?= 60
fuzz-flags := -std=c++23 -O1 -g -fno-omit-frame-pointer -Wall -Wextra -Wconversion -Wshadow \
	$(if $(CI),-Werror) $(EXTRA_CXXFLAGS)
fuzz-san := address,undefined -fno-sanitize-recover=all
fuzz-targets :=

build/fuzz/%.o: %.cpp | $(O)/gen/tosa_generated.h
	@mkdir -p $(@D)
	$(call say,fuzz,$<)
	@$(if $(shell command -v ccache),ccache) clang++ -MMD -MP -Iuapi -Ihost -Itests -I$(O)/gen \
		$(fuzz-flags) -fsanitize=fuzzer-no-link,$(fuzz-san) -c -o $@ $<

# $(call fuzz-library,NAME): the library of that name, for fuzz targets
define fuzz-library
build/fuzz/lib$(1).a: $$(patsubst $$(O)/%,build/fuzz/%,$$($(1)-objects))
	@rm -f $$@; ar rcs $$@ $$^
endef
$(foreach l,cpu engine model provider random-graph test-driver tosa vhost wire,$(eval $(call fuzz-library,$l)))

# $(call fuzz-target,NAME,LIBRARIES): tests/fuzz/NAME.cpp
define fuzz-target
build/fuzz/$(1): build/fuzz/tests/fuzz/$(1).o $$(patsubst %,build/fuzz/lib%.a,$(2))
	$$(call say,link,$$@)
	@clang++ -fsanitize=fuzzer,$$(fuzz-san) -o $$@ $$^ $$(foreach l,$(2),$$($$l-ldlibs))
fuzz-targets += build/fuzz/$(1)
endef

$(eval $(call fuzz-target,frame,wire))
$(eval $(call fuzz-target,response,test-driver wire))
$(eval $(call fuzz-target,commands,model engine wire provider))
$(eval $(call fuzz-target,engines,random-graph cpu provider tosa))
$(eval $(call fuzz-target,overlap,model test-driver engine wire provider))
$(eval $(call library,tosa-mutator,tests/fuzz/tosa_mutator.cpp,-Itests))
$(eval $(call fuzz-library,tosa-mutator))
$(eval $(call fuzz-target,tosa,tosa-mutator tosa))
$(eval $(call fuzz-target,chain,vhost))
$(eval $(call fuzz-target,ring,vhost))
$(eval $(call fuzz-target,vhost_user,vhost))
# Of this library a target takes one part; others are built with flags of their own.
xdna-binary-objects := $(O)/host/xdna/binary.o
$(eval $(call fuzz-library,xdna-binary))
$(eval $(call fuzz-target,xdna_binary,xdna-binary))

-include $(shell find build/fuzz -name '*.d' 2>/dev/null)

$(eval $(call program,tests/fuzz/seeds,tests/fuzz/seeds.cpp,xdna,-Ihost -Itests))
$(tests/fuzz/seeds-objects): | $(O)/gen/tosa_generated.h
fuzz-seeds: $(O)/tests/fuzz/seeds
	@$< tests/fuzz/seeds

check-fuzz: $(fuzz-targets)
	@tests/fuzz/fuzz.sh $(FUZZ_SECONDS) $^
