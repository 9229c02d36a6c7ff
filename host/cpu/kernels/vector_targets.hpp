// SPDX-License-Identifier: MIT
//
// To be included before Highway: the instruction sets of x86 that are left out. They would
// add to the size of the program, but little speed.
#pragma once

#ifdef VIRTIO_ACCEL_FEW_TARGETS  // the least and the most
#define HWY_DISABLED_TARGETS \
    (HWY_AVX2 | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_AVX3_ZEN4 | HWY_AVX3_SPR)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_AVX3_ZEN4 | HWY_AVX3_SPR)
#endif
