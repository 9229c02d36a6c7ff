// SPDX-License-Identifier: MIT
#pragma once

// Marks what libaccel.so exports; everything else is hidden.
#define ACCEL_API [[gnu::visibility("default")]]
