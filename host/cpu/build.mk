# SPDX-License-Identifier: MIT
# The CPU provider.

$(eval $(call library,cpu,$(wildcard host/cpu/*.cpp host/cpu/*/*.cpp),-Ihost))

$(cpu-objects): | $(O)/gen/tosa_generated.h
