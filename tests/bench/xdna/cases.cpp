// SPDX-License-Identifier: MIT
#include "bench/xdna/cases.hpp"

#include <format>

#include "xdna/double/oracle.hpp"
#include "xdna/templates.hpp"
#include "xdna/xdna.hpp"

namespace xdna::bench {
namespace {

// Inputs of all encodings.
Case with_data(Case of) {
    const auto shapes = slots(of.kernel.spec);
    for (std::size_t input = 0; input + 1 < shapes.size(); ++input) {
        auto& bytes = of.kernel.inputs.emplace_back(shapes[input].bytes);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(37 * (i + input) + 11);
    }
    of.expected.resize(shapes.back().bytes);
    const std::vector<xrt_double::Bytes> inputs(of.kernel.inputs.begin(), of.kernel.inputs.end());
    xrt_double::compute(of.kernel.spec, inputs, of.expected);
    return of;
}

Case cast(std::int32_t elements) {
    constexpr std::int32_t kRow = 1024;
    return with_data({.name = std::format("fp8 e4m3 to bf16, {} elements", elements),
                      .kernel = {.spec = Fp8ToBf16{Fp8::E4M3, static_cast<std::uint32_t>(elements)},
                                 .file = test::cast(tosa::DType::Fp8E4M3, tosa::DType::Bf16,
                                                    {elements / kRow, kRow})
                                             .file(),
                                 .target = kTargets[1],
                                 .inputs = {}},
                      .work = elements * 3.0 / (1 << 30),
                      .unit = "GiB/s"});
}

Case product(std::size_t depth) {
    return with_data(
        {.name = std::format("int8 64x64x32, zero points -2 and 3, {} in flight", depth),
         .kernel = {.spec = Int8Matmul{{64, 64, 32}, -2, 3},
                    .file = test::matmul(test::kInt8Product, 64, 64, 32).file(),
                    .target = kTargets[2],
                    .inputs = {}},
         .work = 2.0 * 64 * 64 * 32 / 1e9,
         .unit = "GOPS",
         .depth = depth});
}

}  // namespace

std::vector<Case> cases() {
    return {cast(1024), cast(16384), cast(262144), cast(1048576), product(1), product(4)};
}

}  // namespace xdna::bench
