# SPDX-License-Identifier: MIT
# The CPU provider.

$(eval $(call library,cpu,$(addprefix host/cpu/,arena.cpp kernels/add.cpp kernels/clamp.cpp \
	kernels/copy.cpp kernels/matmul.cpp kernels/table.cpp lane.cpp load.cpp plan.cpp provider.cpp),-Ihost))

$(cpu-objects): | $(O)/gen/tosa_generated.h
