// SPDX-License-Identifier: MIT
#include "vulkan/lowerer.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

// What gather.comp moves: rows of `channels` elements, or of words where rows are whole ones.
struct Rows {
    std::uint32_t lanes, channels, count;
};

Rows rows_of(const Lowerer& to, ValueId made) {
    const std::uint32_t lanes = shader::lanes_of(to.type(made)), channels = to.extent(made, 2);
    if (channels % lanes != 0) return {lanes, channels, to.count(made)};
    return {1, channels / lanes, to.count(made) / lanes};
}

void add_lookup(Lowerer& to, ValueId made, std::vector<Place> reads, std::uint32_t rows,
                std::uint32_t made_rows, bool scatters) {
    const Rows moved = rows_of(to, made);
    to.push({.kernel = Kernel::Gather,
             .writes = made,
             .constants = {0, 0, 0, 0, 0, 0, 0, 0, moved.lanes, moved.count, moved.channels, rows,
                           made_rows, scatters},
             .reads = std::move(reads),
             .to = 6,
             .groups = to.groups((std::uint64_t{moved.count} + moved.lanes - 1) / moved.lanes)});
}

// values [N, K, C], indices [N, W] -> output [N, W, C]
Result<void> add_gather(Lowerer& to, const tosa::Operator& op) {
    const ValueId values = op.inputs[0], indices = op.inputs[1], made = op.outputs[0];
    const ValueId tensors[] = {values, indices, made};
    if (auto fits = to.check(tensors); !fits) return fits;
    add_lookup(to, made, {{values, 0}, {indices, 2}}, to.extent(values, 1), to.extent(made, 1),
               false);
    return {};
}

// values_in [N, K, C], indices [N, W], input [N, W, C] -> values_out [N, K, C]
Result<void> add_scatter(Lowerer& to, const tosa::Operator& op) {
    const ValueId values = op.inputs[0], indices = op.inputs[1], input = op.inputs[2];
    const ValueId made = op.outputs[0];
    const ValueId tensors[] = {values, indices, input, made};
    if (auto fits = to.check(tensors); !fits) return fits;
    add_lookup(to, made, {{input, 0}, {indices, 2}, {values, 4}}, to.extent(input, 1),
               to.extent(made, 1), true);
    return {};
}

Result<void> add_resize(Lowerer& to, const tosa::Operator& op) {
    const ValueId in = op.inputs[0], made = op.outputs[0];
    const ValueId tensors[] = {in, made};
    if (auto fits = to.check(tensors); !fits) return fits;
    const bool nearest =
        op.serialized->attribute_as_ResizeAttribute()->mode() == tosa::fbs::ResizeMode::NEAREST;
    const std::uint32_t from = to.type(in), into = to.type(made);
    const bool blends = (from == into && shader::is_float(from)) ||
                        (from == shader::kInt8 && into == shader::kInt32);
    const auto scale = integers(to.value(op.inputs[1])), offset = integers(to.value(op.inputs[2]));
    if (!(nearest ? from == into : blends) || !scale || !offset)
        return std::unexpected(ErrorKind::Unsupported);

    Step step{.kernel = Kernel::Resize,
              .writes = made,
              .constants = {0, 0, 0, 0, from, into, to.count(made), to.extent(made, 3), nearest},
              .reads = {{in, 0}},
              .to = 2,
              .groups = to.word_groups(made)};
    for (std::size_t i = 0; i < 2; ++i)
        step.constants.insert(step.constants.end(),
                              {to.extent(in, 1 + i), to.extent(made, 1 + i),
                               static_cast<std::uint32_t>((*scale)[2 * i]),
                               static_cast<std::uint32_t>((*scale)[2 * i + 1]),
                               static_cast<std::uint32_t>((*offset)[i])});
    to.push(std::move(step));
    return {};
}

constexpr LowerRow kRows[] = {
    {tosa::Op::Gather, add_gather},
    {tosa::Op::Resize, add_resize},
    {tosa::Op::Scatter, add_scatter},
};

}  // namespace

std::span<const LowerRow> lookup_rows() {
    return kRows;
}

}  // namespace vulkan
