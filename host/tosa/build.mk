# SPDX-License-Identifier: MIT
# The TOSA front end.

$(eval $(call library,tosa,$(wildcard host/tosa/*.cpp),-Ihost))

$(tosa-objects): | $(O)/gen/tosa_generated.h
