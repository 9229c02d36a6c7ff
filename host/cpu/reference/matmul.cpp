// SPDX-License-Identifier: MIT
#include "cpu/reference/dot.hpp"
#include "cpu/reference/rows.hpp"

namespace cpu::reference {
namespace {

// TOSA MATMUL: [batch,m,k] by [batch,k,n], less their zero points.
struct Extents {
    std::uint64_t m;
    std::uint64_t k;
    std::uint64_t n;
};

Extents extents(const Call& call) {
    return {call.inputs[0].is.extent(1), call.inputs[0].is.extent(2), call.inputs[1].is.extent(2)};
}

void matmul(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto [m, k, n] = extents(call);
    const Input& a = call.inputs[0];
    const Input& b = call.inputs[1];
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t row = i / n;
        const std::uint64_t a_at = row * k;
        const std::uint64_t b_at = row / m * k * n + i % n;
        DotProduct dot(a, call.inputs[2], b, call.inputs[3]);
        for (std::uint64_t at = 0; at < k; ++at)
            dot.add(a_at + at, b_at + at * n);
        dot.put(call.outputs[0], i);
    }
}

constexpr Row kRows[] = {
    {tosa::Op::MatMul, matmul, [](const Call& call) { return extents(call).k * kProductCost; }},
};

}  // namespace

std::span<const Row> matmul_rows() {
    return kRows;
}

}  // namespace cpu::reference
