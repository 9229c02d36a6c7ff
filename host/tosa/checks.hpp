// SPDX-License-Identifier: MIT
//
// The rules of operators about attributes, contents of constants and shapes. Arity,
// roles, ranks and types have been checked before, and attributes before shapes.
#pragma once

#include <array>

#include "tosa/checks_faults.hpp"
#include "tosa/rules.hpp"

namespace tosa {

// A list attribute of exactly so many values: any other number is an error, and so is
// none at all.
template <std::size_t N>
[[nodiscard]] Checked<std::array<std::int32_t, N>> read_list(
    const flatbuffers::Vector<std::int32_t>* list, std::string_view what) {
    const std::size_t size = list == nullptr ? 0 : list->size();
    if (size != N) return bad_attribute("its {} has {} values, not {}", what, size, N);
    std::array<std::int32_t, N> values;
    for (unsigned i = 0; i < N; ++i)
        values[i] = list->Get(i);
    return values;
}

// Of a shape or constant operand. Without contents it is known at run time only, which
// check_operator() lets pass for targets with DYNAMIC: no rule about the contents applies.
[[nodiscard]] bool known(const Subject& subject, std::size_t input);

// Attributes that several operators have.
[[nodiscard]] std::int32_t axis_of(const Operator& op);
[[nodiscard]] fbs::NanPropagationMode nan_mode_of(const Operator& op);  // UNKNOWN: has none
[[nodiscard]] DType accumulator_of(const Operator& op);  // Unknown where there is none
[[nodiscard]] Checked<void> check_axis(const Subject& subject);
[[nodiscard]] Checked<void> check_nan_mode(const Subject& subject);
[[nodiscard]] Checked<void> check_axis_and_nan_mode(const Subject& subject);

// checks_elementwise.cpp
[[nodiscard]] Checked<void> check_same_shape(const Subject& subject);
[[nodiscard]] Checked<void> check_broadcast_of_two(const Subject& subject);
[[nodiscard]] Checked<void> check_broadcast_of_three(const Subject& subject);
[[nodiscard]] Checked<void> check_clamp_bounds(const Subject& subject);
[[nodiscard]] Checked<void> check_mul_shift(const Subject& subject);
[[nodiscard]] Checked<void> check_mul_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_table_shapes(const Subject& subject);

// checks_window.cpp
[[nodiscard]] Checked<void> check_avg_pool2d_attributes(const Subject& subject);
[[nodiscard]] Checked<void> check_avg_pool2d_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_max_pool2d_attributes(const Subject& subject);
[[nodiscard]] Checked<void> check_max_pool2d_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_conv2d_attributes(const Subject& subject);
[[nodiscard]] Checked<void> check_conv2d_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_conv3d_attributes(const Subject& subject);
[[nodiscard]] Checked<void> check_conv3d_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_depthwise_conv2d_attributes(const Subject& subject);
[[nodiscard]] Checked<void> check_depthwise_conv2d_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_transpose_conv2d_attributes(const Subject& subject);
[[nodiscard]] Checked<void> check_transpose_conv2d_shapes(const Subject& subject);

// checks_product.cpp
[[nodiscard]] Checked<void> check_matmul_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_fft2d_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_rfft2d_shapes(const Subject& subject);

// checks_reduction.cpp
[[nodiscard]] Checked<void> check_argmax_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_reduce_shapes(const Subject& subject);

// checks_layout.cpp
[[nodiscard]] Checked<void> check_concat_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_pad_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_reshape_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_slice_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_tile_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_perms(const Subject& subject);
[[nodiscard]] Checked<void> check_transpose_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_gather_shapes(const Subject& subject);
[[nodiscard]] Checked<void> check_scatter_shapes(const Subject& subject);

// checks_resize.cpp
[[nodiscard]] Checked<void> check_resize_mode(const Subject& subject);
[[nodiscard]] Checked<void> check_resize_shapes(const Subject& subject);

// checks_rescale.cpp
[[nodiscard]] Checked<void> check_rescale_attributes(const Subject& subject);
[[nodiscard]] Checked<void> check_rescale_constants(const Subject& subject);
[[nodiscard]] Checked<void> check_rescale_shapes(const Subject& subject);

// checks_graph.cpp
[[nodiscard]] Checked<void> check_const(const Subject& subject);
[[nodiscard]] Checked<void> check_custom_names(const Subject& subject);
[[nodiscard]] Checked<void> check_cond_if_names(const Subject& subject);
[[nodiscard]] Checked<void> check_condition(const Subject& subject);
[[nodiscard]] Checked<void> check_while_loop_names(const Subject& subject);
[[nodiscard]] Checked<void> check_written_variable(const Subject& subject);
[[nodiscard]] Checked<void> check_read_variable(const Subject& subject);

}  // namespace tosa
