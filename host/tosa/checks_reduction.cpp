// SPDX-License-Identifier: MIT
#include "tosa/checks.hpp"

namespace tosa {

Checked<void> check_argmax_shapes(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    const auto axis = static_cast<std::size_t>(axis_of(subject.op));
    for (std::size_t i = 0; i < out.size(); ++i)
        if (out[i] != in[i < axis ? i : i + 1])
            return bad_shape("{} without axis {} is not {}", text(in), axis, text(out));
    return {};
}

Checked<void> check_reduce_shapes(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    const auto axis = static_cast<std::size_t>(axis_of(subject.op));
    for (std::size_t i = 0; i < out.size(); ++i)
        if (out[i] != (i == axis ? 1 : in[i]))
            return bad_shape("{} reduced along axis {} is not {}", text(in), axis, text(out));
    return {};
}

}  // namespace tosa
