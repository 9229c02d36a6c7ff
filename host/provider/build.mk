# SPDX-License-Identifier: MIT
$(eval $(call library,provider,\
	host/provider/bindings.cpp \
	host/provider/tosa_artifact.cpp,\
	-Ihost))

$(eval $(call library,lane,$(wildcard host/provider/lane/*.cpp),-Ihost))

$(eval $(call library,mock,\
	host/provider/mock/artifact.cpp \
	host/provider/mock/mock.cpp,\
	-Ihost))

$(eval $(call library,fault,\
	host/provider/fault/audit.cpp \
	host/provider/fault/fault.cpp \
	host/provider/fault/script.cpp,\
	-Ihost))
