# SPDX-License-Identifier: MIT
#
# make run     build everything, boot a guest, run the digits model on the host's accelerator
# make check   every test, ending with "N passed, N failed, N skipped"
# make help    the other goals

.DEFAULT_GOAL := all
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec

goals := all run check check-unit check-guest check-e2e lint format install clean help
.PHONY: $(goals)

# Build in the Debian 13 root, unless this machine is one with all packages.
inside := $(or $(VIRTIO_ACCEL_IN_ROOT),$(shell .ci/build-root native && echo native))

ifeq ($(inside),)

# Hand the whole command line to one make inside the root.
requested := $(or $(MAKECMDGOALS),all)
outside := clean help
handed := $(filter-out $(outside),$(requested))

.PHONY: enter $(handed)
$(handed): enter ; @:
enter: ; @env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL .ci/build-root enter \
	make --no-print-directory $(MAKEOVERRIDES) $(handed)

else

ifeq ($(filter --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:

# SAN=asan|tsan builds the C++ side with sanitizers, apart from the plain build.
SAN ?=
O := build$(if $(SAN),/$(SAN))

CXX := $(if $(shell command -v ccache),ccache )g++
san-flags := $(if $(filter asan,$(SAN)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all) \
	$(if $(filter tsan,$(SAN)),-fsanitize=thread)
comma := ,
OPT ?= -O2 -g
CXXFLAGS := -std=c++23 $(OPT) $(san-flags) -fPIC -fvisibility=hidden -pthread \
	-Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual \
	$(if $(CI),-Werror) $(EXTRA_CXXFLAGS)
CPPFLAGS := -MMD -MP -Iuapi -I$(O)/gen -D_FORTIFY_SOURCE=$(if $(SAN),0,2)
LDFLAGS := $(san-flags) -pthread -Wl,-z,relro,-z,now -Wl,--as-needed

say = @printf '%-8s %s\n' '$(1)' '$(2)'

all:

# $(call library,NAME,SOURCES,CPPFLAGS): a static library of objects from one folder
define library
$(1)-objects := $$(patsubst %.cpp,$$(O)/%.o,$(2))
$$($(1)-objects): CPPFLAGS += $(3)
$$(O)/lib$(1).a: $$($(1)-objects)
	@rm -f $$@; ar rcs $$@ $$^
sources += $(2)
endef

# $(call program,PATH,SOURCES,LIBRARIES,CPPFLAGS,LDLIBS): an executable
define program
$(1)-objects := $$(patsubst %.cpp,$$(O)/%.o,$(2))
$$($(1)-objects): CPPFLAGS += $(4)
$$(O)/$(1): $$($(1)-objects) $$(foreach l,$(3),$$(O)/lib$$(l).a)
	@mkdir -p $$(@D)
	$$(call say,link,$$@)
	@$$(CXX) $$(LDFLAGS) -o $$@ $$($(1)-objects) $$(foreach l,$(3),$$(O)/lib$$(l).a) $(5)
sources += $(2)
endef

$(O)/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,c++,$<)
	@$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

sources :=
include uapi/uapi.mk host/host.mk libaccel/libaccel.mk kernel/kernel.mk tests/tests.mk

-include $(patsubst %.cpp,$(O)/%.d,$(sources))

endif

clean:
	rm -rf build

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile
	@echo "make check-unit [SAN=asan|tsan]               unit tests of the C++ side"
	@echo "make check-guest [GUEST_KERNEL=newest|lts|all] kselftests in a guest"
	@echo "make check-e2e                                the run goal, with its numbers asserted"
	@echo "make lint | format | clean"
	@echo "make install DESTDIR= PREFIX=/usr/local"
