// SPDX-License-Identifier: MIT
//
// XRT's own headers, with what they declare visible to who loads the double: also the vtables
// and type names of exceptions, which no attribute of theirs exports.
#pragma once

#pragma GCC visibility push(default)
#include <xrt/experimental/xrt_system.h>
#include <xrt/experimental/xrt_version.h>
#include <xrt/experimental/xrt_xclbin.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_hw_context.h>
#include <xrt/xrt_kernel.h>
#include <xrt/xrt_uuid.h>
#pragma GCC visibility pop
