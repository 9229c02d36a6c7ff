// SPDX-License-Identifier: MIT
#include <algorithm>

#include "vulkan/lowerer.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

constexpr std::size_t kParts = 4;  // inputs that concat.comp takes

// How an output is put together from an input (move.comp).
struct Move {
    Extents dims{}, source{}, strides{}, before{};
    std::uint32_t first = 0;
    bool tiled = false;
    TensorId padding = kNoTensor;
};

void add_move(Lowerer& to, TensorId from, TensorId into, const Move& move) {
    const std::uint32_t lanes = shader::lanes_of(to.type(into));
    const bool padded = move.padding != kNoTensor;
    const bool plain = move.dims == Extents{};
    Step step{.kernel = Kernel::Move,
              .writes = into,
              .constants = {0, 0, 0, 0, 0, 0, lanes, to.count(into), plain, move.tiled, padded,
                            move.first},
              .reads = {{from, 0}},
              .to = 2,
              .groups = to.word_groups(into)};
    for (std::size_t i = 0; i < kMostDims; ++i)
        step.constants.insert(step.constants.end(),
                              {move.dims[i], move.source[i], move.strides[i], move.before[i]});
    if (padded) step.reads.push_back({move.padding, 4});
    to.push(std::move(step));
}

// Everything of the input in its place, of an output with the extents of `made`.
Move in_place(const Lowerer& to, ValueId from, ValueId made) {
    const Extents source = padded(to.value(from));
    return {.dims = padded(to.value(made)), .source = source, .strides = strides_of(source)};
}

// The dimension of the kernel that an axis of the tensor is.
std::size_t dimension(const tosa::Value& tensor, std::size_t axis) {
    return kMostDims - tensor.rank() + axis;
}

Result<void> check_operands(const Lowerer& to, const tosa::Operator& op) {
    const ValueId operands[] = {op.inputs[0], op.outputs[0]};
    return to.check(operands);
}

Result<void> add_transpose(Lowerer& to, const tosa::Operator& op) {
    if (auto fits = check_operands(to, op); !fits) return fits;
    const ValueId in = op.inputs[0], made = op.outputs[0];
    const auto* perms = op.serialized->attribute_as_TransposeAttribute()->perms();
    Move move = in_place(to, in, made);
    const Extents strides = move.strides;
    move.source = move.dims;
    for (std::uint32_t axis = 0; axis < perms->size(); ++axis)
        move.strides[dimension(to.value(made), axis)] =
            strides[dimension(to.value(in), static_cast<std::size_t>(perms->Get(axis)))];
    add_move(to, in, made, move);
    return {};
}

Result<void> add_reverse(Lowerer& to, const tosa::Operator& op) {
    if (auto fits = check_operands(to, op); !fits) return fits;
    const ValueId in = op.inputs[0], made = op.outputs[0];
    Move move = in_place(to, in, made);
    const auto axis =
        static_cast<std::size_t>(op.serialized->attribute_as_ReverseAttribute()->axis());
    const std::size_t at = dimension(to.value(in), axis);
    move.first = (move.dims[at] - 1) * move.strides[at];
    move.strides[at] = 0 - move.strides[at];
    add_move(to, in, made, move);
    return {};
}

// The operand's value for each of the kernel's dimensions, `every` values apart.
Result<Extents> shape_operand(const Lowerer& to, const tosa::Operator& op, std::size_t operand,
                              std::size_t every = 1) {
    const auto values = integers(to.value(op.inputs[operand]));
    const tosa::Value& in = to.value(op.inputs[0]);
    if (!values || values->size() < in.rank() * every)
        return std::unexpected(ErrorKind::Unsupported);
    Extents dims{};
    for (std::size_t axis = 0; axis < in.rank(); ++axis)
        dims[dimension(in, axis)] = static_cast<std::uint32_t>((*values)[axis * every]);
    return dims;
}

Result<void> add_slice(Lowerer& to, const tosa::Operator& op) {
    if (auto fits = check_operands(to, op); !fits) return fits;
    const auto start = shape_operand(to, op, 1);
    if (!start) return std::unexpected(start.error());
    Move move = in_place(to, op.inputs[0], op.outputs[0]);
    for (std::size_t i = 0; i < kMostDims; ++i)
        move.first += (*start)[i] * move.strides[i];
    move.source = move.dims;
    add_move(to, op.inputs[0], op.outputs[0], move);
    return {};
}

Result<void> add_tile(Lowerer& to, const tosa::Operator& op) {
    if (auto fits = check_operands(to, op); !fits) return fits;
    Move move = in_place(to, op.inputs[0], op.outputs[0]);
    move.tiled = true;
    add_move(to, op.inputs[0], op.outputs[0], move);
    return {};
}

Result<void> add_pad(Lowerer& to, const tosa::Operator& op) {
    if (auto fits = check_operands(to, op); !fits) return fits;
    const auto before = shape_operand(to, op, 1, 2);
    if (!before) return std::unexpected(before.error());
    Move move = in_place(to, op.inputs[0], op.outputs[0]);
    move.before = *before;
    move.padding = op.inputs[2];
    add_move(to, op.inputs[0], op.outputs[0], move);
    return {};
}

Result<void> add_concat(Lowerer& to, const tosa::Operator& op) {
    const ValueId made = op.outputs[0];
    if (auto fits = to.check(op.inputs); !fits) return fits;
    if (auto fits = to.check(made); !fits) return fits;
    const auto axis =
        static_cast<std::size_t>(op.serialized->attribute_as_ConcatAttribute()->axis());
    const auto row = [&](ValueId id) {
        std::uint32_t elements = 1;
        for (std::size_t i = axis; i < to.value(id).rank(); ++i)
            elements *= to.extent(id, i);
        return elements;
    };
    const std::uint32_t lanes = shader::lanes_of(to.type(made));
    std::uint32_t begin = 0;
    for (std::size_t at = 0; at < op.inputs.size(); at += kParts) {
        Step step{.kernel = Kernel::Concat,
                  .writes = made,
                  .constants = {0, 0, lanes, to.count(made), row(made), begin},
                  .to = 0,
                  .groups = to.word_groups(made)};
        for (const ValueId id : op.inputs.subspan(at, std::min(kParts, op.inputs.size() - at))) {
            step.reads.push_back({id, static_cast<std::uint32_t>(step.constants.size())});
            step.constants.insert(step.constants.end(), {0, 0, row(id)});
            begin += row(id);
        }
        to.push(std::move(step));
    }
    return {};
}

constexpr LowerRow kRows[] = {
    {tosa::Op::Concat, add_concat},   {tosa::Op::Pad, add_pad},
    {tosa::Op::Reverse, add_reverse}, {tosa::Op::Slice, add_slice},
    {tosa::Op::Tile, add_tile},       {tosa::Op::Transpose, add_transpose},
};

}  // namespace

void add_copy(Lowerer& to, TensorId from, TensorId into) {
    add_move(to, from, into, {});
}

std::span<const LowerRow> move_rows() {
    return kRows;
}

}  // namespace vulkan
