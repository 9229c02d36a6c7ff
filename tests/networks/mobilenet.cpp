// SPDX-License-Identifier: MIT
#include "networks/mobilenet.hpp"

#include <algorithm>

namespace networks {
namespace {

// The multiple of eight that is nearest, but not less than nine tenths, as its authors round.
std::int32_t scaled(std::int32_t channels, double width) {
    constexpr std::int32_t kMultiple = 8;
    const double exact = width * channels;
    const auto rounded = static_cast<std::int32_t>(exact + kMultiple / 2) / kMultiple * kMultiple;
    const std::int32_t made = std::max(kMultiple, rounded);
    return made < .9 * exact ? made + kMultiple : made;
}

Activation inverted_residual(Network& network, const Activation& x, std::int32_t expansion,
                             std::int32_t channels, std::int32_t stride) {
    Activation wide = x;
    if (expansion > 1) wide = network.convolution(x, expansion * x.shape[3], 1, 1, Bound::Relu6);
    wide = network.depthwise(wide, 3, stride, Bound::Relu6);
    const Activation narrow = network.convolution(wide, channels, 1, 1, Bound::None);
    return stride == 1 && channels == x.shape[3] ? network.add(x, narrow) : narrow;
}

}  // namespace

tosa::test::GraphBuilder mobile_net(Arithmetic arithmetic, const MobileNet& parameters) {
    const auto& [width, side, images, classes] = parameters;
    Network network(arithmetic);
    Activation x = network.input("images", {images, side, side, 3});
    x = network.convolution(x, scaled(kStemChannels, width), 3, 2, Bound::Relu6);
    for (const auto& [expansion, channels, repeat, first_stride] : kMobileNetStages)
        for (std::int32_t i = 0; i < repeat; ++i)
            x = inverted_residual(network, x, expansion, scaled(channels, width),
                                  i == 0 ? first_stride : 1);
    x = network.convolution(x, scaled(kHeadChannels, std::max(width, 1.0)), 1, 1, Bound::Relu6);
    network.classifier(network.average(x), "logits", classes);
    return std::move(network.graph);
}

}  // namespace networks
