# SPDX-License-Identifier: MIT
$(eval $(call library,model,$(addprefix tests/model/,\
	events.cpp frames.cpp generator.cpp minimise.cpp model.cpp puppet.cpp reset.cpp run.cpp schedule.cpp text.cpp),\
	-Ihost -Itests))

$(eval $(call unit-test,model,tests/model/model_test.cpp,model engine wire provider))
