// SPDX-License-Identifier: MIT
#include "bench/vulkan/case.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "bench/vulkan/graph.hpp"
#include "tosa/encoding.hpp"
#include "tosa/number.hpp"

namespace vulkan::bench {
namespace {

// A linear congruential generator's upper bits: the same numbers in every run.
class Random {
 public:
    explicit Random(std::uint32_t seed) : state_(seed) {}
    std::uint32_t below(std::uint32_t bound) {
        state_ = state_ * 1664525 + 1013904223;
        return (state_ >> 16) % bound;
    }

 private:
    std::uint32_t state_;
};

}  // namespace

double Case::bytes() const {
    double sum = 0;
    for (const auto* tensors : {&inputs, &outputs})
        for (const Tensor& tensor : *tensors)
            sum += static_cast<double>(tensor.data.size());
    return sum;
}

Tensor zero_tensor(tosa::DType type, std::vector<std::int32_t> shape) {
    const std::uint64_t bytes = tosa::buffer_bytes(type, tosa::element_count(shape));
    return {type, std::move(shape), Bytes(bytes)};
}

Tensor random_tensor(tosa::DType type, std::vector<std::int32_t> shape, std::uint32_t seed) {
    Tensor made = zero_tensor(type, std::move(shape));
    Random random(seed);
    if (!tosa::is_float(type)) {
        for (std::byte& byte : made.data)
            byte = static_cast<std::byte>(random.below(256));
        return made;
    }
    constexpr int kEighths = 8;
    std::array<std::uint32_t, 2 * kEighths + 1> encodings{};
    for (int i = -kEighths; i <= kEighths; ++i)
        encodings[static_cast<std::size_t>(i + kEighths)] =
            tosa::encode_float(type, static_cast<double>(i) / kEighths);
    const auto width = static_cast<std::size_t>(tosa::buffer_bytes(type, 1));
    for (std::size_t at = 0; at < made.data.size(); at += width)
        std::memcpy(&made.data[at], &encodings[random.below(encodings.size())], width);
    return made;
}

Case tiny() {
    Graph graph(tosa::kFloatTarget);
    graph.input(tosa::DType::Fp32, {4});
    return graph.output(tosa::Op::Identity, {"in0"}, tosa::DType::Fp32, {4});
}

}  // namespace vulkan::bench
