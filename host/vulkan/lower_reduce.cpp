// SPDX-License-Identifier: MIT
#include "vulkan/fold.hpp"

namespace vulkan {
namespace {

using tosa::Op;
using tosa::ValueId;

// An invocation alone folds a line best, unless that leaves most of a large device idle and
// each of a workgroup has several elements to fold. Products may leave the range of floats in
// one order and not in another, so theirs is always the ascending one.
bool folds_together(const Lowerer& to, const Fold& fold, const Lines& lines, TensorId made) {
    return to.word_groups(made) < kManyGroups && lines.length >= 2 * to.grid.workgroup &&
           fold.join != shader::kMul;
}

// Into how many slices each line is cut, which divide it: where there are still few workgroups
// and each invocation of one has many elements to fold, so that the slices' own fold is small.
std::uint32_t slices_of(const Lowerer& to, const Fold& fold, const Lines& lines, TensorId made) {
    const std::uint32_t least = 16 * to.grid.workgroup;
    std::uint32_t slices = 1;
    if (fold.find || !folds_together(to, fold, lines, made)) return slices;
    while (lines.length % (2 * slices) == 0 && lines.length / (2 * slices) >= least &&
           std::uint64_t{to.count(made)} * slices < kManyGroups)
        slices *= 2;
    return slices;
}

Result<void> add_reduction(Lowerer& to, const tosa::Operator& op, std::int32_t axis,
                           const Fold& fold) {
    const ValueId in = op.inputs[0], made = op.outputs[0];
    std::uint32_t stride = 1;
    for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < to.value(in).rank(); ++i)
        stride *= to.extent(in, i);
    Lines lines{in, to.extent(in, static_cast<std::size_t>(axis)), stride};
    if (const std::uint32_t slices = slices_of(to, fold, lines, made); slices > 1) {
        const std::uint32_t type = fold.join == shader::kAdd ? shader::kFp32 : to.type(in);
        const auto folded = to.temporary(type, std::uint64_t{to.count(made)} * slices);
        if (!folded) return std::unexpected(folded.error());
        add_fold(
            to, fold, {in, lines.length / slices, stride}, type,
            {.writes = *folded,
             .chain = Chain{.count = to.count(*folded), .inputs = {{.find = shader::kComputed}}}});
        lines = {*folded, slices, stride};
    }
    add_fold(to, fold, lines, to.type(made),
             {.writes = made,
              .chain = Chain{.dims = padded(to.value(made)),
                             .count = to.count(made),
                             .inputs = {{.find = shader::kComputed}}}});
    return {};
}

Result<bool> has_floats(const Lowerer& to, const tosa::Operator& op) {
    const ValueId tensors[] = {op.inputs[0], op.outputs[0]};
    if (auto fits = to.check(tensors); !fits) return std::unexpected(fits.error());
    return shader::is_float(to.type(op.inputs[0]));
}

template <class Attribute>
Result<void> add_extremum(Lowerer& to, const tosa::Operator& op, std::uint32_t of_floats,
                          std::uint32_t of_integers, bool find = false) {
    const auto floats = has_floats(to, op);
    if (!floats) return std::unexpected(floats.error());
    const auto* attribute = op.serialized->attribute_as<Attribute>();
    return add_reduction(to, op, attribute->axis(),
                         {.join = *floats ? of_floats : of_integers,
                          .nan_mode = nan_mode(attribute->nan_mode()),
                          .find = find});
}

Result<void> add_reduce_max(Lowerer& to, const tosa::Operator& op) {
    return add_extremum<tosa::fbs::ReduceMaxAttribute>(to, op, shader::kMaximum,
                                                       shader::kIntMaximum);
}

Result<void> add_reduce_min(Lowerer& to, const tosa::Operator& op) {
    return add_extremum<tosa::fbs::ReduceMinAttribute>(to, op, shader::kMinimum,
                                                       shader::kIntMinimum);
}

Result<void> add_argmax(Lowerer& to, const tosa::Operator& op) {
    return add_extremum<tosa::fbs::ArgmaxAttribute>(to, op, shader::kMaximum, shader::kIntMaximum,
                                                    true);
}

template <class Attribute>
Result<void> add_plain(Lowerer& to, const tosa::Operator& op, std::uint32_t of_floats,
                       std::uint32_t of_integers) {
    const auto floats = has_floats(to, op);
    if (!floats) return std::unexpected(floats.error());
    return add_reduction(to, op, op.serialized->attribute_as<Attribute>()->axis(),
                         {.join = *floats ? of_floats : of_integers});
}

// Of the operators below, TOSA has only floats or no floats of some.
Result<void> add_reduce_sum(Lowerer& to, const tosa::Operator& op) {
    return add_plain<tosa::fbs::ReduceSumAttribute>(to, op, shader::kAdd, shader::kIntAdd);
}

Result<void> add_reduce_product(Lowerer& to, const tosa::Operator& op) {
    return add_plain<tosa::fbs::ReduceProductAttribute>(to, op, shader::kMul, shader::kMul);
}

Result<void> add_reduce_all(Lowerer& to, const tosa::Operator& op) {
    return add_plain<tosa::fbs::ReduceAllAttribute>(to, op, shader::kAnd, shader::kAnd);
}

Result<void> add_reduce_any(Lowerer& to, const tosa::Operator& op) {
    return add_plain<tosa::fbs::ReduceAnyAttribute>(to, op, shader::kOr, shader::kOr);
}

constexpr LowerRow kRows[] = {
    {Op::Argmax, add_argmax},        {Op::ReduceAll, add_reduce_all},
    {Op::ReduceAny, add_reduce_any}, {Op::ReduceMax, add_reduce_max},
    {Op::ReduceMin, add_reduce_min}, {Op::ReduceProduct, add_reduce_product},
    {Op::ReduceSum, add_reduce_sum},
};

}  // namespace

void add_fold(Lowerer& to, const Fold& fold, const Lines& lines, std::uint32_t type, Step step) {
    const bool together = folds_together(to, fold, lines, step.writes);
    step.kernel = Kernel::Reduce;
    step.constants = {0,
                      0,
                      to.type(lines.tensor),
                      type,
                      lines.length,
                      lines.stride,
                      fold.join,
                      fold.nan_mode,
                      fold.find,
                      together,
                      to.grid.edge};
    step.reads = {{lines.tensor, 0}};
    step.groups = together ? to.words(step.writes) : to.word_groups(step.writes);
    to.push(std::move(step));
}

std::span<const LowerRow> reduce_rows() {
    return kRows;
}

}  // namespace vulkan
