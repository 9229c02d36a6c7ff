# SPDX-License-Identifier: MIT
$(eval $(call library,mock,\
	host/provider/mock/artifact.cpp \
	host/provider/mock/mock.cpp,\
	-Ihost))
