# SPDX-License-Identifier: MIT
# The CPU provider.

$(eval $(call library,cpu,$(wildcard host/cpu/*.cpp host/cpu/*/*.cpp),-Ihost))

$(cpu-objects): | $(O)/gen/tosa_generated.h

# Results do not depend on whether the compiler finds a product and a sum to fuse.
$(O)/host/cpu/kernels/elementwise%.o: CXXFLAGS += -ffp-contract=off

# Vector code is unrolled so far that a sanitizer takes minutes to compile a file of it. The
# fuzzer's build, by Clang, has the checks of undefined behaviour that are left out here.
vector-objects := $(addprefix $(O)/host/cpu/kernels/,elementwise_float.o elementwise_integer.o \
	elementwise_math.o elementwise_storage.o gemm_isa.o window_isa.o)
$(vector-objects): CXXFLAGS += $(if $(SAN),-O1 -fno-sanitize=undefined -DVIRTIO_ACCEL_FEW_TARGETS)

cpu-ldlibs := -lhwy
