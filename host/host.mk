# SPDX-License-Identifier: MIT
# The host side. Each folder lists its own sources in a build.mk.

include $(sort $(wildcard host/*/build.mk host/*/*/build.mk))
