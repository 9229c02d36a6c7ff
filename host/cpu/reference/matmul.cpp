// SPDX-License-Identifier: MIT
#include "cpu/reference/rows.hpp"

namespace cpu::reference {
namespace {

// MATMUL (TOSA 2.4.7): [batch,m,k] by [batch,k,n], less their zero points.
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
    const Output& out = call.outputs[0];
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t row = i / n;
        const std::uint64_t a_at = row * k;
        const std::uint64_t b_at = row / m * k * n + i % n;
        if (a.is.is_float()) {
            double sum = 0;
            for (std::uint64_t at = 0; at < k; ++at)
                sum += a.real(a_at + at) * b.real(b_at + at * n);
            out.put_real(i, sum);
        } else {
            const std::int64_t a_zero = call.inputs[2].integer(0);
            const std::int64_t b_zero = call.inputs[3].integer(0);
            std::int64_t sum = 0;
            for (std::uint64_t at = 0; at < k; ++at)
                sum += (a.integer(a_at + at) - a_zero) * (b.integer(b_at + at * n) - b_zero);
            out.put_integer(i, sum);
        }
    }
}

constexpr Row kRows[] = {
    {tosa::Op::MatMul, matmul, [](const Call& call) { return extents(call).k; }},
};

}  // namespace

std::span<const Row> matmul_rows() {
    return kRows;
}

}  // namespace cpu::reference
