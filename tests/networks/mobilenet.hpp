// SPDX-License-Identifier: MIT
//
// MobileNet-v2 ("Inverted Residuals and Linear Bottlenecks", table 2) with random weights.
#pragma once

#include "networks/layers.hpp"

namespace networks {

// A row of that table: `repeat` blocks, of which the first has the stride.
struct Stage {
    std::int32_t expansion, channels, repeat, stride;
};
inline constexpr std::int32_t kStemChannels = 32;
inline constexpr Stage kMobileNetStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                                             {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                                             {6, 320, 1, 1}};
inline constexpr std::int32_t kHeadChannels = 1280;
// Of the whole network.
inline constexpr int kMobileNetConvolutions = 52;

struct MobileNet {
    double width = 1;  // what multiplies all numbers of channels
    std::int32_t side = 224;
    std::int32_t images = 1;
    std::int32_t classes = 1000;
};

// From "images" [images, side, side, 3] to "logits" [1, images, classes].
[[nodiscard]] tosa::test::GraphBuilder mobile_net(Arithmetic arithmetic,
                                                  const MobileNet& parameters = {});

}  // namespace networks
