# SPDX-License-Identifier: MIT
#
# make run                      build everything, boot a guest, run the digits model in it on
#                               the host's accelerator [VULKAN_DEVICE=NAME]
# make check                    every test, ending with "N passed, N failed, N skipped":
# make lint                       formatting, licence lines, the kernel's style and sparse
# make check-unit                 unit tests of the C++ side [SAN=asan|tsan]
# make check-daemon               of these, virtio-acceld from outside [SOAK=1] [SAN=]
# make check-tosa                 of these, what reads and computes TOSA programs [SAN=]
# make check-vulkan               and the Vulkan provider, on VULKAN_DEVICE=llvmpipe or another;
#                               VIRTIO_ACCEL_VULKAN_REQUIRE_DEVICE=1: a missing one is a failure
# make check-xdna                 and the XDNA provider, on a double of its device [SAN=]
# make check-xdna-hardware      the XDNA provider on an NPU, which is skipped where there is none,
#                               or fails with VIRTIO_ACCEL_XDNA_REQUIRE_HARDWARE=1; its kernels
#                               by XDNA_CATALOGUE=, XDNA_COMPILER= and XDNA_CACHE=
# make check-lane                 of these, the dispatch lane [SAN=]
# make check-fuzz                 libFuzzer targets [FUZZ_SECONDS=60]
# make check-install              the daemon from where `make install` puts it
# make check-conformance          what providers have to do [PROVIDER=mock|cpu|vulkan|xdna] [SAN=]
# make check-guest                kselftests in a guest [GUEST_KERNEL=newest|lts|all]
# make check-faults               a daemon that stops to answer under a guest; not in check, as it
#                               depends on how soon the host hears of it [GUEST_KERNEL=]
# make check-hostile              the driver against a device that lies [GUEST_KERNEL=]
# make check-lifecycle            lives and configurations of the driver, in guests [LIVES=quick]
# make check-e2e                  models from guest to provider, and all that can go wrong
# make check-debug-kernel       the kselftests under KASAN, lockdep and fault injection; not in
#                               check, as it builds a kernel once [FUZZ_SECONDS=5]
# make corpus                     writes tests/corpus/data anew
# make abi                      put a change of the uapi on record; lint compares
# make dkms                     the driver's sources as a DKMS package, in build/dkms
# make bench-engine             what a command costs between ring and provider
# make bench-daemon             the same from kick to interrupt, and what a neighbour costs
# make bench-guest              what the driver costs in a guest, as ratios
# make bench-cpu                the CPU provider's products beside OpenBLAS and oneDNN [THREADS=1]
# make bench-vulkan             the Vulkan provider on VULKAN_DEVICE, beside what the device can
#                               do [ARGS=--quick], or another option of vulkan_bench --help
# make bench-xdna               the XDNA provider on an NPU [XDNA=double: on a double of XRT]
# make bench-lane               what the dispatch lane costs a job, by depth
# make bench-tosa               what a TOSA file costs to read, by operators and by constants
# make format, make tidy        clang-format in place; clang-tidy, which is slow
# make install                  [DESTDIR=] [PREFIX=/usr/local]
# make clean

.DEFAULT_GOAL := all
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec

goals := all run check check-unit check-daemon check-containment check-install check-fuzz check-conformance check-lane \
	check-guest check-faults check-hostile check-lifecycle check-e2e check-debug-kernel \
	bench-engine bench-daemon bench-guest bench-tosa bench-cpu bench-vulkan bench-xdna bench-lane \
	fuzz-seeds corpus check-tosa check-vulkan check-xdna \
	check-xdna-hardware abi dkms lint tidy format install clean help
.PHONY: $(goals)

# Build in the Debian 13 root, unless this machine is one with all packages.
inside := $(or $(VIRTIO_ACCEL_IN_ROOT),$(shell .ci/build-root native && echo native))

ifeq ($(inside),)

# Hand the command line to one make inside the root.
requested := $(or $(MAKECMDGOALS),all)
outside := clean help install
handed := $(filter-out $(outside),$(requested))
in-root = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL .ci/build-root enter \
	make --no-print-directory $(MAKEOVERRIDES)

.PHONY: enter $(handed)
$(handed): enter ; @:
enter: | $(filter clean,$(requested)) ; @$(in-root) $(handed)

# The root's file system is not this machine's: install into the tree, then copy from there.
install:
	@rm -rf build/stage
	@$(in-root) install DESTDIR=build/stage
	@mkdir -p '$(DESTDIR)/' && cp -r --no-preserve=ownership build/stage/. '$(DESTDIR)/'

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
comma := ,
san-flags := $(if $(filter asan,$(SAN)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all) \
	$(if $(filter tsan,$(SAN)),-fsanitize=thread)
# Sanitizers cost so much that optimising more would not pay for the time to compile.
OPT ?= $(if $(SAN),-O1 -g1,-O2 -g)
CXXFLAGS := -std=c++23 $(OPT) $(san-flags) -fPIC -fvisibility=hidden -pthread \
	-Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual \
	$(if $(CI),-Werror) $(EXTRA_CXXFLAGS)
CPPFLAGS := -MMD -MP -Iuapi -I$(O)/gen -D_FORTIFY_SOURCE=$(if $(SAN),0,2)
LDFLAGS := $(san-flags) -pthread -Wl,-z,relro,-z,now -Wl,--as-needed

say = @printf '%-8s %s\n' '$(1)' '$(2)'

all: modules

# $(call library,NAME,SOURCES,CPPFLAGS): a static library of objects from one folder
define library
$(1)-objects := $$(patsubst %.cpp,$$(O)/%.o,$(2))
$$($(1)-objects): CPPFLAGS += $(3)
$$(O)/lib$(1).a: $$($(1)-objects)
	@rm -f $$@; ar rcs $$@ $$^
sources += $(2)
endef

# $(call program,PATH,SOURCES,LIBRARIES,CPPFLAGS,LDLIBS): an executable; libraries of ours
# name the system's that they need in NAME-ldlibs
define program
$(1)-objects := $$(patsubst %.cpp,$$(O)/%.o,$(2))
$$($(1)-objects): CPPFLAGS += $(4)
$$(O)/$(1): $$($(1)-objects) $$(foreach l,$(3),$$(O)/lib$$(l).a)
	@mkdir -p $$(@D)
	$$(call say,link,$$@)
	@$$(CXX) $$(LDFLAGS) -o $$@ $$($(1)-objects) $$(foreach l,$(3),$$(O)/lib$$(l).a) $(5) \
		$$(foreach l,$(3),$$($$(l)-ldlibs))
sources += $(2)
endef

$(O)/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,c++,$<)
	@$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

VERSION := 0.1.0

sources :=
include uapi/uapi.mk host/host.mk libaccel/libaccel.mk kernel/kernel.mk selftests/selftests.mk tests/tests.mk

-include $(patsubst %.cpp,$(O)/%.d,$(sources))

# The drivers go where accel-vm looks for them: they belong to the guest, not to this machine.
PREFIX ?= /usr/local
installed-programs := $(O)/host/vm/accel-vm $(O)/host/ctl/acceld-ctl $(O)/host/inspect/accel-tosa
install: $(installed-programs) modules
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(installed-programs)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/udev/rules.d kernel/99-virtio-accel.rules
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/drm uapi/drm/virtio_accel.h
	$(foreach r,$(kernel-chosen),install -D -m 644 -t \
		$(DESTDIR)$(PREFIX)/lib/virtio-accel/module-$(r) build/module-$(r)/virtio_accel.ko;)

endif

clean:
	rm -rf build

help:
	@sed -n '3,/^$$/s/^#\( \|$$\)//p' Makefile
