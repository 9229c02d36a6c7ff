// SPDX-License-Identifier: MIT
//
// MATMUL, neither operand constant.
#include <format>

#include "bench/vulkan/graph.hpp"

namespace vulkan::bench {
namespace {

using enum tosa::DType;

// A type of operands, and what it takes.
struct Kind {
    DType in;
    DType out;
    tosa::Target target;
};
constexpr Kind kKinds[] = {
    {Fp32, Fp32, tosa::kFloatTarget},
    {Fp16, Fp16, tosa::kFloatTarget},
    {Fp8E4M3,
     Fp16,
     {.profiles = tosa::kProfileFloat,
      .extensions = tosa::kExtensionFp8E4M3 | tosa::kExtensionFp8E5M2}},
    {Int8, Int32, {.profiles = tosa::kProfileInteger}},
};

// Rows of `lhs`, what is summed, columns of `rhs`.
struct Sizes {
    std::int32_t batch, m, k, n;
};

Case product(const Kind& kind, const Sizes& sizes) {
    const auto& [batch, m, k, n] = sizes;
    Case made =
        Graph(kind.target)
            .input(kind.in, {batch, m, k})
            .input(kind.in, {batch, k, n})
            .constant("zero", no_zero_point(kind.in))
            .constant("zero too", no_zero_point(kind.in))
            .output(Op::MatMul, {"in0", "in1", "zero", "zero too"}, kind.out, {batch, m, n});
    made.operations = 2.0 * batch * m * k * n;
    return made;
}

}  // namespace

std::vector<Recipe> product_recipes(const Scale& scale) {
    std::vector<Recipe> all;
    const auto add = [&](const Kind& kind, const std::string& what, const Sizes& sizes) {
        all.push_back({std::format("MATMUL {} {}", tosa::name(kind.in), what),
                       [=] { return product(kind, sizes); }});
    };
    for (const Kind& kind : kKinds) {
        for (std::int32_t side = 256; side <= scale.side; side *= 2)
            add(kind, std::to_string(side), {1, side, side, side});
        add(kind, "16 of 256", {16, 256, 256, 256});
        for (const std::int32_t rows : {1, 8})
            add(kind, std::format("{}x4096x4096", rows), {1, rows, 4096, 4096});
        add(kind, "64x8192x64", {1, 64, 8192, 64});
    }
    return all;
}

}  // namespace vulkan::bench
