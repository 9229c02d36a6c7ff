// SPDX-License-Identifier: MIT
//
// Operators that move elements. Their ranks have been checked.
#include <algorithm>

#include "tosa/checks.hpp"
#include "tosa/encoding.hpp"

namespace tosa {
namespace {

Checked<void> check_length(const Subject& subject, std::size_t input, std::size_t wanted) {
    const Value& shape = subject.input(input);
    if (shape.elements == wanted) return {};
    return bad_shape("the shape {} has {} values, not {}", quoted(shape.name), shape.elements,
                     wanted);
}

std::int64_t value_of(const Subject& subject, std::size_t input, std::size_t index) {
    return shape_value(subject.input(input).data, index);
}

}  // namespace

Checked<void> check_concat_shapes(const Subject& subject) {
    const auto out = subject.output(0).dims;
    const auto axis = static_cast<std::size_t>(axis_of(subject.op));
    std::int64_t sum = 0;  // of at most 256 extents
    for (std::size_t i = 0; i < subject.op.inputs.size(); ++i) {
        const auto in = subject.input(i).dims;
        for (std::size_t k = 0; k < out.size(); ++k)
            if (k != axis && in[k] != out[k])
                return bad_shape("input {} of shape {} does not fit into {} along axis {}", i,
                                 text(in), text(out), axis);
        sum += in[axis];
    }
    if (sum == out[axis]) return {};
    return bad_shape("its inputs have {} elements along axis {}, not {}", sum, axis, out[axis]);
}

Checked<void> check_pad_shapes(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    if (auto length = check_length(subject, 1, 2 * in.size()); !length) return length;
    if (const Value& value = subject.input(2); value.elements != 1)
        return bad_shape("value {} to pad with has {} elements", quoted(value.name),
                         value.elements);
    if (!known(subject, 1)) return {};
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::int64_t before = value_of(subject, 1, 2 * i);
        const std::int64_t after = value_of(subject, 1, 2 * i + 1);
        const std::int64_t added = std::int64_t{out[i]} - in[i];
        // Where they are subtracted, 0 <= before <= added: so `after` is not negative, either.
        if (before < 0 || before > added || after != added - before)
            return bad_shape("{} padded by {} and {} along axis {} is not {}", text(in), before,
                             after, i, text(out));
    }
    return {};
}

Checked<void> check_reshape_shapes(const Subject& subject) {
    const Value& in = subject.input(0);
    const Value& shape = subject.input(1);
    const Value& out = subject.output(0);
    if (in.elements != out.elements)
        return bad_shape("{} has not as many elements as {}", text(in.dims), text(out.dims));
    bool equal = shape.elements == out.rank();
    for (std::size_t i = 0; equal && known(subject, 1) && i < out.rank(); ++i)
        equal = value_of(subject, 1, i) == out.dims[i];
    if (equal) return {};
    return bad_shape("the shape {} is not that of the output, {}", quoted(shape.name),
                     text(out.dims));
}

Checked<void> check_slice_shapes(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    for (const std::size_t input : {1U, 2U})
        if (auto length = check_length(subject, input, in.size()); !length) return length;
    const bool start_known = known(subject, 1);
    const bool size_known = known(subject, 2);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::int64_t start = start_known ? value_of(subject, 1, i) : 0;
        const std::int64_t size = size_known ? value_of(subject, 2, i) : out[i];
        if (start < 0 || size != out[i] || start > in[i] - size)
            return bad_shape("{} elements from {} on along axis {} of {} are not {}", size, start,
                             i, text(in), text(out));
    }
    return {};
}

Checked<void> check_tile_shapes(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    if (auto length = check_length(subject, 1, in.size()); !length) return length;
    if (!known(subject, 1)) return {};
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::int64_t multiple = value_of(subject, 1, i);
        // Bounded by an extent first, so that the product cannot overflow.
        if (multiple < 1 || multiple > out[i] || in[i] * multiple != out[i])
            return bad_shape("{} repeated {} times along axis {} is not {}", text(in), multiple, i,
                             text(out));
    }
    return {};
}

Checked<void> check_perms(const Subject& subject) {
    const auto* perms = subject.attribute<fbs::TransposeAttribute>().perms();
    const std::size_t rank = subject.input(0).rank();
    const std::size_t size = perms == nullptr ? 0 : perms->size();
    if (size != rank) return bad_attribute("its perms has {} values, not {}", size, rank);
    std::uint32_t seen = 0;  // a bit an axis: the rank is at most 32
    for (const std::int32_t axis : *perms) {
        if (axis < 0 || static_cast<std::size_t>(axis) >= rank || (seen >> axis & 1) != 0)
            return bad_attribute("its perms are no permutation of {} axes", rank);
        seen |= 1U << axis;
    }
    return {};
}

Checked<void> check_transpose_shapes(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    const auto& perms = *subject.attribute<fbs::TransposeAttribute>().perms();  // checked above
    for (unsigned i = 0; i < out.size(); ++i)
        if (out[i] != in[static_cast<std::size_t>(perms[i])])
            return bad_shape("{} with axis {} in place of axis {} is not {}", text(in), perms[i], i,
                             text(out));
    return {};
}

Checked<void> check_gather_shapes(const Subject& subject) {
    const auto values = subject.input(0).dims;   // [N, K, C]
    const auto indices = subject.input(1).dims;  // [N, W]
    const auto out = subject.output(0).dims;     // [N, W, C]
    if (indices[0] == values[0] && out[0] == values[0] && out[1] == indices[1] &&
        out[2] == values[2])
        return {};
    return bad_shape("{} at the indices {} does not give {}", text(values), text(indices),
                     text(out));
}

Checked<void> check_scatter_shapes(const Subject& subject) {
    const auto values = subject.input(0).dims;   // [N, K, C]
    const auto indices = subject.input(1).dims;  // [N, W]
    const auto in = subject.input(2).dims;       // [N, W, C]
    const auto out = subject.output(0).dims;
    if (indices[0] == values[0] && in[0] == values[0] && in[1] == indices[1] &&
        in[2] == values[2] && std::ranges::equal(out, values))
        return {};
    return bad_shape("{} with {} put at the indices {} does not give {}", text(values), text(in),
                     text(indices), text(out));
}

}  // namespace tosa
