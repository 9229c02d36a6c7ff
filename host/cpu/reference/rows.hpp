// SPDX-License-Identifier: MIT
//
// Which function computes which operator. Each file of functions has its rows.
#pragma once

#include <span>

#include "cpu/reference/call.hpp"

namespace cpu::reference {

struct Row {
    tosa::Op op;
    Function function;
    Cost cost;
};

inline std::uint64_t one_step(const Call& /*call*/) {
    return 1;
}

[[nodiscard]] std::span<const Row> binary_rows();
[[nodiscard]] std::span<const Row> cast_rows();
[[nodiscard]] std::span<const Row> convolution_rows();
[[nodiscard]] std::span<const Row> fourier_rows();
[[nodiscard]] std::span<const Row> gather_rows();
[[nodiscard]] std::span<const Row> layout_rows();
[[nodiscard]] std::span<const Row> matmul_rows();
[[nodiscard]] std::span<const Row> pooling_rows();
[[nodiscard]] std::span<const Row> reduce_rows();
[[nodiscard]] std::span<const Row> rescale_rows();
[[nodiscard]] std::span<const Row> resize_rows();
[[nodiscard]] std::span<const Row> select_rows();
[[nodiscard]] std::span<const Row> table_rows();
[[nodiscard]] std::span<const Row> unary_rows();

}  // namespace cpu::reference
