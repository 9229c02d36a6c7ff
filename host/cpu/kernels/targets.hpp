// SPDX-License-Identifier: MIT
//
// Included before anything of Highway: SSE2, AVX2, AVX-512, and AVX-512 with the dot products
// of Ice Lake and Zen 4, which Highway leaves out unless it is asked. What lies between gains
// us nothing and costs time to compile.
#pragma once

#define HWY_WANT_AVX3_DL
#ifdef VIRTIO_ACCEL_FEW_TARGETS  // the least and the most
#define HWY_DISABLED_TARGETS \
    (HWY_AVX2 | HWY_AVX3 | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_ZEN4 | HWY_AVX3_SPR)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_ZEN4 | HWY_AVX3_SPR)
#endif
