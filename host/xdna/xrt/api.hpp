// SPDX-License-Identifier: MIT
//
// XRT's headers. What they declare is XRT's, however well this library hides what is its own:
// an exception is only caught if both mean the same type.
#pragma once

#pragma GCC visibility push(default)
#include <xrt/experimental/xrt_ini.h>
#include <xrt/experimental/xrt_system.h>
#include <xrt/experimental/xrt_version.h>
#include <xrt/experimental/xrt_xclbin.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_hw_context.h>
#include <xrt/xrt_kernel.h>
#pragma GCC visibility pop
