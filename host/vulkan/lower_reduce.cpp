// SPDX-License-Identifier: MIT
#include <bit>
#include <limits>

#include "vulkan/lowerer.hpp"

namespace vulkan {
namespace {

using tosa::Op;
using tosa::ValueId;

// The stage that joins two elements, what joins any element to itself, and of whom.
struct Fold {
    std::uint32_t join;
    std::uint32_t nothing = 0;
    std::uint32_t nan_mode = shader::kPropagate;
    bool find = false;  // where the largest is: ARGMAX
};

constexpr std::uint32_t kNan = 0x7FC00000, kInfinity = 0x7F800000, kMinusInfinity = 0xFF800000;
constexpr auto kOne = std::bit_cast<std::uint32_t>(1.0F);
constexpr auto kLeast = std::bit_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::min());
constexpr auto kGreatest = std::bit_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());

Result<void> add_fold(Lowerer& to, const tosa::Operator& op, std::int32_t axis, const Fold& fold) {
    const ValueId in = op.inputs[0], made = op.outputs[0];
    std::uint32_t stride = 1;
    for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < to.value(in).rank(); ++i)
        stride *= to.extent(in, i);
    to.push({.kernel = Kernel::Reduce,
             .writes = made,
             .constants = {0, 0, 0, 0, to.type(in), to.type(made), to.count(made),
                           to.extent(in, static_cast<std::size_t>(axis)), stride, fold.join,
                           fold.nan_mode, fold.nothing, fold.find},
             .reads = {{in, 0}},
             .to = 2,
             .groups = to.word_groups(made)});
    return {};
}

Result<bool> has_floats(const Lowerer& to, const tosa::Operator& op) {
    const ValueId tensors[] = {op.inputs[0], op.outputs[0]};
    if (auto fits = to.check(tensors); !fits) return std::unexpected(fits.error());
    return shader::is_float(to.type(op.inputs[0]));
}

// REDUCE_MAX and REDUCE_MIN, which ignore NaN by starting from one.
template <class Attribute>
Result<void> add_extremum(Lowerer& to, const tosa::Operator& op, const Fold& of_floats,
                          const Fold& of_integers) {
    const auto floats = has_floats(to, op);
    if (!floats) return std::unexpected(floats.error());
    const auto* attribute = op.serialized->attribute_as<Attribute>();
    Fold fold = *floats ? of_floats : of_integers;
    fold.nan_mode = nan_mode(attribute->nan_mode());
    if (*floats && fold.nan_mode == shader::kIgnore) fold.nothing = kNan;
    return add_fold(to, op, attribute->axis(), fold);
}

Result<void> add_reduce_max(Lowerer& to, const tosa::Operator& op) {
    return add_extremum<tosa::fbs::ReduceMaxAttribute>(
        to, op, {.join = shader::kMaximum, .nothing = kMinusInfinity},
        {.join = shader::kIntMaximum, .nothing = kLeast});
}

Result<void> add_reduce_min(Lowerer& to, const tosa::Operator& op) {
    return add_extremum<tosa::fbs::ReduceMinAttribute>(
        to, op, {.join = shader::kMinimum, .nothing = kInfinity},
        {.join = shader::kIntMinimum, .nothing = kGreatest});
}

template <class Attribute>
Result<void> add_plain(Lowerer& to, const tosa::Operator& op, const Fold& of_floats,
                       const Fold& of_integers) {
    const auto floats = has_floats(to, op);
    if (!floats) return std::unexpected(floats.error());
    return add_fold(to, op, op.serialized->attribute_as<Attribute>()->axis(),
                    *floats ? of_floats : of_integers);
}

// Of the operators below, TOSA has only floats or no floats of some.
Result<void> add_reduce_sum(Lowerer& to, const tosa::Operator& op) {
    return add_plain<tosa::fbs::ReduceSumAttribute>(to, op, {.join = shader::kAdd},
                                                    {.join = shader::kIntAdd});
}

Result<void> add_reduce_product(Lowerer& to, const tosa::Operator& op) {
    const Fold fold{.join = shader::kMul, .nothing = kOne};
    return add_plain<tosa::fbs::ReduceProductAttribute>(to, op, fold, fold);
}

Result<void> add_reduce_all(Lowerer& to, const tosa::Operator& op) {
    const Fold fold{.join = shader::kAnd, .nothing = 1};
    return add_plain<tosa::fbs::ReduceAllAttribute>(to, op, fold, fold);
}

Result<void> add_reduce_any(Lowerer& to, const tosa::Operator& op) {
    const Fold fold{.join = shader::kOr};
    return add_plain<tosa::fbs::ReduceAnyAttribute>(to, op, fold, fold);
}

Result<void> add_argmax(Lowerer& to, const tosa::Operator& op) {
    const auto floats = has_floats(to, op);
    if (!floats) return std::unexpected(floats.error());
    const auto* attribute = op.serialized->attribute_as_ArgmaxAttribute();
    return add_fold(to, op, attribute->axis(),
                    {.join = *floats ? shader::kMaximum : shader::kIntMaximum,
                     .nan_mode = nan_mode(attribute->nan_mode()),
                     .find = true});
}

constexpr LowerRow kRows[] = {
    {Op::Argmax, add_argmax},        {Op::ReduceAll, add_reduce_all},
    {Op::ReduceAny, add_reduce_any}, {Op::ReduceMax, add_reduce_max},
    {Op::ReduceMin, add_reduce_min}, {Op::ReduceProduct, add_reduce_product},
    {Op::ReduceSum, add_reduce_sum},
};

}  // namespace

std::span<const LowerRow> reduce_rows() {
    return kRows;
}

}  // namespace vulkan
