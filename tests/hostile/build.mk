# SPDX-License-Identifier: MIT
# A device that lies, and the lane that attaches it to the driver.
$(eval $(call program,tests/hostile/hostile-device,\
	tests/hostile/answer.cpp \
	tests/hostile/device.cpp \
	tests/hostile/front_end.cpp \
	tests/hostile/lie.cpp \
	tests/hostile/main.cpp,\
	acceld vhost engine wire mock provider,-Ihost -Itests))
