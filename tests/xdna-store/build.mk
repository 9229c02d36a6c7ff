# SPDX-License-Identifier: MIT
$(eval $(call unit-test,xdna-store,$(wildcard tests/xdna-store/*.cpp),\
	xdna-store xdna-store-client xdna provider tosa,))

# The tests run the program that was built beside them.
$(O)/tests/xdna-store/xdna-store_test: | $(O)/host/xdna/store/virtio-accel-xdna-store \
	$(O)/host/xdna/tool/accel-xdna
