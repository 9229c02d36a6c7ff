# SPDX-License-Identifier: MIT
# Where compiled kernels come from. What serves a guest links the client alone.
$(eval $(call library,xdna-store-client,\
	host/xdna/store/channel.cpp \
	host/xdna/store/client.cpp,\
	-Ihost))
