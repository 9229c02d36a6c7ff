// SPDX-License-Identifier: MIT
//
// What is measured: a program with what goes in, made when its turn comes, as some are
// large.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "corpus/compare.hpp"
#include "tosa/target.hpp"
#include "tosa/types.hpp"

namespace vulkan::bench {

using corpus::Bytes;
using corpus::Tensor;

struct Case {
    tosa::Target target;  // the least that it needs
    Bytes program;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;  // without contents
    corpus::Tolerance tolerance{};
    double operations = 0;     // of arithmetic, where they are counted
    bool moves_bytes = false;  // which is all that takes time

    [[nodiscard]] double bytes() const;  // of inputs and outputs
};

struct Recipe {
    std::string name;
    std::function<Case()> make;
};

// How large the large ones are.
struct Scale {
    std::int32_t elements = 16 << 20;
    std::int32_t side = 2048;  // of the largest matrix
    double mobile_net_width = 1;
    std::int32_t mobile_net_side = 224;
};

[[nodiscard]] std::vector<Recipe> elementwise_recipes(const Scale& scale);
[[nodiscard]] std::vector<Recipe> product_recipes(const Scale& scale);
[[nodiscard]] std::vector<Recipe> convolution_recipes();
[[nodiscard]] std::vector<Recipe> network_recipes(const Scale& scale);

// y = x, FP32 [4]: there is hardly anything to compute.
[[nodiscard]] Case tiny();

// Eighths from -1 to 1, or bytes. Sums and products of these are exact in FP32 in any
// order, as long as no sum has more than 2^18 terms: results are right to the bit or wrong.
[[nodiscard]] Tensor random_tensor(tosa::DType type, std::vector<std::int32_t> shape,
                                   std::uint32_t seed);
// All bytes zero.
[[nodiscard]] Tensor zero_tensor(tosa::DType type, std::vector<std::int32_t> shape);

}  // namespace vulkan::bench
