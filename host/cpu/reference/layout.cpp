// SPDX-License-Identifier: MIT
//
// Operators that only place elements (TOSA CONCAT to TRANSPOSE), of any rank.
#include <array>

#include "cpu/reference/attribute.hpp"
#include "cpu/reference/move.hpp"
#include "cpu/reference/rows.hpp"
#include "tosa/limits.hpp"

namespace cpu::reference {
namespace {

using Position = std::array<std::int64_t, tosa::Limits{}.rank>;

Position position_of(const Type& type, std::uint64_t element) {
    Position at{};
    for (std::size_t axis = type.dims.size(); axis-- > 0; element /= type.extent(axis))
        at[axis] = static_cast<std::int64_t>(element % type.extent(axis));
    return at;
}

bool inside(const Type& type, const Position& at) {
    for (std::size_t axis = 0; axis < type.dims.size(); ++axis)
        if (at[axis] < 0 || at[axis] >= type.dims[axis]) return false;
    return true;
}

std::uint64_t element_at(const Type& type, const Position& at) {
    std::uint64_t element = 0;
    for (std::size_t axis = 0; axis < type.dims.size(); ++axis)
        element = element * type.extent(axis) + static_cast<std::uint64_t>(at[axis]);
    return element;
}

// Writes elements whose source source_of(output position) names in input 0.
template <class SourceOf>
void place(const Call& call, std::uint64_t first, std::uint64_t last, SourceOf source_of) {
    const Input& in = call.inputs[0];
    const Output& out = call.outputs[0];
    for (std::uint64_t i = first; i < last; ++i)
        move(out, i, in, element_at(in.is, source_of(position_of(out.is, i))));
}

void concat(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto axis = static_cast<std::size_t>(call.op.attribute_as_ConcatAttribute()->axis());
    const Output& out = call.outputs[0];
    for (std::uint64_t i = first; i < last; ++i) {
        Position at = position_of(out.is, i);
        std::size_t part = 0;
        for (; at[axis] >= call.inputs[part].is.dims[axis]; ++part)
            at[axis] -= call.inputs[part].is.dims[axis];
        move(out, i, call.inputs[part], element_at(call.inputs[part].is, at));
    }
}

void pad(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& in = call.inputs[0];
    const Input& padding = call.inputs[1];
    const Input& constant = call.inputs[2];
    const Output& out = call.outputs[0];
    for (std::uint64_t i = first; i < last; ++i) {
        Position at = position_of(out.is, i);
        for (std::size_t axis = 0; axis < out.is.dims.size(); ++axis)
            at[axis] -= padding.integer(2 * axis);
        if (inside(in.is, at))
            move(out, i, in, element_at(in.is, at));
        else
            move(out, i, constant, 0);
    }
}

void reverse(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto axis = static_cast<std::size_t>(call.op.attribute_as_ReverseAttribute()->axis());
    place(call, first, last, [&](Position at) {
        at[axis] = call.outputs[0].is.dims[axis] - 1 - at[axis];
        return at;
    });
}

void slice(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& start = call.inputs[1];
    place(call, first, last, [&](Position at) {
        for (std::size_t axis = 0; axis < call.outputs[0].is.dims.size(); ++axis)
            at[axis] += start.integer(axis);
        return at;
    });
}

void tile(const Call& call, std::uint64_t first, std::uint64_t last) {
    place(call, first, last, [&](Position at) {
        for (std::size_t axis = 0; axis < call.outputs[0].is.dims.size(); ++axis)
            at[axis] %= call.inputs[0].is.dims[axis];
        return at;
    });
}

void transpose(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto perms = list(call.op.attribute_as_TransposeAttribute()->perms());
    place(call, first, last, [&](const Position& at) {
        Position from{};
        for (std::size_t axis = 0; axis < perms.size(); ++axis)
            from[static_cast<std::size_t>(perms[axis])] = at[axis];
        return from;
    });
}

std::uint64_t cost(const Call& call) {
    return 8 * (1 + call.outputs[0].is.dims.size()) + call.inputs.size();
}

constexpr Row kRows[] = {
    {tosa::Op::Concat, concat, cost},   {tosa::Op::Pad, pad, cost},
    {tosa::Op::Reverse, reverse, cost}, {tosa::Op::Slice, slice, cost},
    {tosa::Op::Tile, tile, cost},       {tosa::Op::Transpose, transpose, cost},
};

}  // namespace

std::span<const Row> layout_rows() {
    return kRows;
}

}  // namespace cpu::reference
