// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tosa/checks.hpp"
#include "tosa/encoding.hpp"

namespace tosa {
namespace {

std::optional<double> decode_bound(DType type, const flatbuffers::Vector<std::uint8_t>* bound) {
    if (bound == nullptr) return std::nullopt;
    return decode_scalar(type, std::as_bytes(std::span(bound->data(), bound->size())));
}

// The extent that `value` contributes to axis `axis` of an output of `rank`.
std::int32_t aligned_extent(const Value& value, std::size_t axis, std::size_t rank) {
    const std::size_t missing = rank - value.rank();
    return axis < missing ? 1 : value.dims[axis - missing];
}

// What an input may have beside an extent that others agreed on: nothing if they clash.
std::int32_t merge(std::int32_t agreed, std::int32_t extent) {
    if (agreed == 1 || agreed == extent) return extent;
    return extent == 1 ? agreed : 0;
}

bool broadcasts(const Subject& subject, std::size_t inputs) {
    const Value& out = subject.output(0);
    std::size_t rank = 0;
    for (std::size_t i = 0; i < inputs; ++i)
        rank = std::max(rank, subject.input(i).rank());
    if (out.rank() != rank) return false;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        std::int32_t agreed = 1;
        for (std::size_t i = 0; i < inputs && agreed != 0; ++i)
            agreed = merge(agreed, aligned_extent(subject.input(i), axis, rank));
        if (out.dims[axis] != agreed) return false;  // extents are not zero
    }
    return true;
}

}  // namespace

Checked<void> check_same_shape(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    if (std::ranges::equal(in, out)) return {};
    return bad_shape("the input has shape {}, the output {}", text(in), text(out));
}

Checked<void> check_broadcast_of_two(const Subject& subject) {
    if (broadcasts(subject, 2)) return {};
    return bad_shape("inputs of shapes {} and {} do not broadcast to {}",
                     text(subject.input(0).dims), text(subject.input(1).dims),
                     text(subject.output(0).dims));
}

Checked<void> check_broadcast_of_three(const Subject& subject) {
    if (broadcasts(subject, 3)) return {};
    return bad_shape("inputs of shapes {}, {} and {} do not broadcast to {}",
                     text(subject.input(0).dims), text(subject.input(1).dims),
                     text(subject.input(2).dims), text(subject.output(0).dims));
}

Checked<void> check_clamp_bounds(const Subject& subject) {
    if (auto mode = check_nan_mode(subject); !mode) return mode;
    const auto& attribute = subject.attribute<fbs::ClampAttribute>();
    const DType type = subject.input(0).type;
    const auto low = decode_bound(type, attribute.min_val());
    const auto high = decode_bound(type, attribute.max_val());
    if (!low || !high) return bad_attribute("a bound is not one {}", name(type));
    if (!(*low <= *high))  // also where either is NaN
        return bad_attribute("its bounds, {} and {}, are not in order", *low, *high);
    return {};
}

Checked<void> check_mul_shift(const Subject& subject) {
    const Value& shift = subject.input(2);
    if (shift.elements != 1 || !known(subject, 2)) return {};
    const int amount = static_cast<std::int8_t>(shift.data[0]);
    if (amount < 0 || amount > 63) return bad_constant("shift {} is outside 0 to 63", amount);
    if (amount != 0 && subject.input(0).type != DType::Int32)
        return bad_constant("shift {} is not zero, but the inputs are not INT32", amount);
    return {};
}

Checked<void> check_mul_shapes(const Subject& subject) {
    if (subject.input(2).elements != 1)
        return bad_shape("its shift has {} elements, not 1", subject.input(2).elements);
    return check_broadcast_of_two(subject);
}

Checked<void> check_table_shapes(const Subject& subject) {
    const std::uint64_t wanted = subject.input(0).type == DType::Int8 ? 256 : 513;
    if (subject.input(1).elements != wanted)
        return bad_shape("its table has {} entries, not {}", subject.input(1).elements, wanted);
    return check_same_shape(subject);
}

}  // namespace tosa
