#SPDX - License - Identifier : MIT
$(eval $(call unit-test,xdna-store,$(wildcard tests/xdna-store/*.cpp),\
	xdna-store xdna-store-client xdna provider tosa,))
