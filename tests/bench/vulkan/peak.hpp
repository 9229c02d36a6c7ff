// SPDX-License-Identifier: MIT
//
// What the processors of this machine can do at most: the ceiling of a software device,
// and the other side of a transfer.
#pragma once

namespace vulkan::bench {

// Fused multiply-adds of FP32 on independent numbers in registers, in operations a second;
// one counts as two.
[[nodiscard]] double multiply_add_peak(unsigned threads);

// memcpy of memory far larger than the caches: bytes read and written a second.
[[nodiscard]] double copy_peak(unsigned threads);

}  // namespace vulkan::bench
