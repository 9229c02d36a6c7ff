// SPDX-License-Identifier: MIT
//
// libaccel: a C++ interface to virtio-accel devices.
//
// Every object is move-only and releases what it stands for when it is destroyed.
// Every call reports failure as a value; no exception leaves the library. A call is
// one system call, repeated only when a signal interrupted it.
#pragma once

#include "accel/device.hpp"  // IWYU pragma: export
