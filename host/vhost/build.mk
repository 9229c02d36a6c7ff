# SPDX-License-Identifier: MIT
$(eval $(call library,vhost,\
	host/vhost/connection.cpp \
	host/vhost/descriptor_chain.cpp \
	host/vhost/fault_guard.cpp \
	host/vhost/memory.cpp \
	host/vhost/message.cpp \
	host/vhost/ring.cpp \
	host/vhost/ring_view.cpp \
	host/vhost/session.cpp \
	host/vhost/virtqueue.cpp,\
	-Ihost))
