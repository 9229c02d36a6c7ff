# SPDX-License-Identifier: MIT
# The FlatBuffers schema of a TOSA artifact, as C++ accessors, and the binary interface
# of the driver, which no compiler, language or word size may see differently.
#
# make lint-abi      compare uapi/drm/virtio_accel.abi with the header
# make abi           write it anew, after a change that was meant

$(O)/gen/tosa_generated.h: uapi/tosa/tosa.fbs
	@mkdir -p $(@D)
	$(call say,flatc,$<)
	@flatc --cpp --scoped-enums -o $(@D) $<

abi-file := uapi/drm/virtio_accel.abi
abi-variants := $(foreach cc,gcc clang,$(foreach m,64 32,$(foreach x,c c++,$(cc)-$m-$x)))
abi-dumps := $(abi-variants:%=build/abi/%.abi)
abi-cflags := -pedantic -Wall -Wextra -Werror -Iuapi -isystem /usr/include/drm

build/abi/values.c: uapi/drm/virtio_accel.h uapi/abi.py
	@mkdir -p $(@D)
	@python3 uapi/abi.py source >$@

# $* is COMPILER-WORDSIZE-LANGUAGE.
build/abi/%.abi: build/abi/values.c
	@set -- $(subst -, ,$*); $$1 -m$$2 -x $$3 -std=$${3}11 \
		$(abi-cflags) -c -o $(@:.abi=.o) $<
	@objcopy -O binary -j .abi $(@:.abi=.o) $(@:.abi=.values)
	@python3 uapi/abi.py dump $(@:.abi=.values) >$@

.PHONY: abi lint-abi
abi: $(firstword $(abi-dumps))
	@cp $< $(abi-file)

lint-abi: $(abi-dumps)
	@for dump in $^; do diff -u --label $(abi-file) --label $$dump $(abi-file) $$dump; done
