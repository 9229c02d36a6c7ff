# SPDX-License-Identifier: MIT
# The TOSA front end.

$(eval $(call library,tosa,$(addprefix host/tosa/,block.cpp checks.cpp diagnostic.cpp encoding.cpp \
	file.cpp graph.cpp names.cpp order.cpp rules.cpp target.cpp validate.cpp values.cpp),-Ihost))

$(tosa-objects): | $(O)/gen/tosa_generated.h
