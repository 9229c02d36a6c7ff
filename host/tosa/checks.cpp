// SPDX-License-Identifier: MIT
#include "tosa/checks.hpp"

#include <algorithm>
#include <cmath>

#include "tosa/encoding.hpp"
#include "tosa_generated.h"

namespace tosa {
namespace {

bool known(fbs::NanPropagationMode mode) {
    return mode == fbs::NanPropagationMode::PROPAGATE || mode == fbs::NanPropagationMode::IGNORE;
}

std::optional<double> decode_bound(DType type, const flatbuffers::Vector<std::uint8_t>* bound) {
    if (bound == nullptr) return std::nullopt;
    return decode_scalar(type, std::as_bytes(std::span(bound->data(), bound->size())));
}

// The extent that `value` contributes to axis `axis` of an output of `rank`.
std::int32_t aligned_extent(const Value& value, std::size_t axis, std::size_t rank) {
    const std::size_t missing = rank - value.rank();
    return axis < missing ? 1 : value.dims[axis - missing];
}

}  // namespace

Checked<void> check_broadcast(const Subject& subject) {
    const Value& a = subject.input(0);
    const Value& b = subject.input(1);
    const Value& out = subject.output(0);
    bool fits = out.rank() == std::max(a.rank(), b.rank());
    for (std::size_t axis = 0; fits && axis < out.rank(); ++axis) {
        const std::int32_t left = aligned_extent(a, axis, out.rank());
        const std::int32_t right = aligned_extent(b, axis, out.rank());
        fits =
            (left == right || left == 1 || right == 1) && out.dims[axis] == std::max(left, right);
    }
    if (fits) return {};
    return malformed("inputs of shapes {} and {} do not broadcast to {}", text(a.dims),
                     text(b.dims), text(out.dims));
}

Checked<void> check_clamp(const Subject& subject) {
    const auto& attribute = *subject.op.serialized->attribute_as_ClampAttribute();
    if (!known(attribute.nan_mode()))
        return malformed("{} is no NaN mode", static_cast<std::uint32_t>(attribute.nan_mode()));
    const DType type = subject.input(0).type;
    const auto low = decode_bound(type, attribute.min_val());
    const auto high = decode_bound(type, attribute.max_val());
    if (!low || !high) return malformed("a bound is not one {}", name(type));
    if (!(*low <= *high))  // also where either is NaN
        return malformed("its bounds, {} and {}, are not in order", *low, *high);
    return check_same_shape(subject);
}

Checked<void> check_const(const Subject& subject) {
    const Value& out = subject.output(0);
    // Only a shape may have no contents at all: that of a scalar.
    if (out.constant() || out.elements == 0) return {};
    return malformed("its output {} carries no data", quoted(out.name));
}

Checked<void> check_matmul(const Subject& subject) {
    const auto a = subject.input(0).dims;
    const auto b = subject.input(1).dims;
    const auto out = subject.output(0).dims;
    if (a[0] == b[0] && a[2] == b[1] && out[0] == a[0] && out[1] == a[1] && out[2] == b[2])
        return {};
    return malformed("{} by {} does not give {}", text(a), text(b), text(out));
}

Checked<void> check_reshape(const Subject& subject) {
    const Value& in = subject.input(0);
    const Value& shape = subject.input(1);
    const Value& out = subject.output(0);
    if (in.elements != out.elements)
        return malformed("{} has not as many elements as {}", text(in.dims), text(out.dims));
    bool equal = shape.elements == out.rank();
    for (std::size_t axis = 0; equal && axis < out.rank(); ++axis)
        equal = shape_value(shape.data, axis) == out.dims[axis];
    if (!equal)
        return malformed("the shape {} is not that of the output, {}", quoted(shape.name),
                         text(out.dims));
    return {};
}

Checked<void> check_same_shape(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    if (std::ranges::equal(in, out)) return {};
    return malformed("the input has shape {}, the output {}", text(in), text(out));
}

}  // namespace tosa
