# SPDX-License-Identifier: MIT
$(eval $(call unit-test,lane,$(wildcard tests/lane/*.cpp),lane,))

.PHONY: check-lane
check-lane: $(O)/tests/lane/lane_test
	@tests/unit.sh $<
