# SPDX-License-Identifier: MIT
$(eval $(call unit-test,vhost,\
	tests/vhost/front_end.cpp \
	tests/vhost/lifecycle_test.cpp \
	tests/vhost/memory_test.cpp \
	tests/vhost/message_test.cpp \
	tests/vhost/rig.cpp \
	tests/vhost/ring_test.cpp \
	tests/vhost/session_test.cpp \
	tests/vhost/takeover_test.cpp,\
	vhost))
