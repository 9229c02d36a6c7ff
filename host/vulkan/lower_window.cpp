// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "vulkan/lowerer.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

// Of window.glsl.
constexpr std::uint32_t kMostColumns = 4;
constexpr std::uint32_t kQuad = 4;
constexpr std::uint32_t kOwnConstants = 18;
constexpr std::uint32_t kStagesBuilt = 3;  // by build.mk, at most

// Fewer invocations would leave a large device idle.
constexpr std::uint64_t kEnoughItems = 1U << 16;

// Attributes of a window, of which `axes` are y and x. `pad` has what is before and after.
struct Window {
    std::array<std::int32_t, 2> kernel{}, stride{}, dilation{1, 1}, before{};
};

template <class List>
std::array<std::int32_t, 2> pair(const List* list, std::uint32_t every = 1) {
    return {list->Get(0), list->Get(every)};
}

// What an invocation does, and how many there are for that.
struct Items {
    std::uint32_t columns;
    std::uint64_t count;
};

Items items_of(const Lowerer& to, ValueId made, std::uint32_t most_columns) {
    const std::uint32_t channels = to.extent(made, 3), width = to.extent(made, 2);
    if (channels % kQuad != 0) return {1, (std::uint64_t{to.count(made)} + kQuad - 1) / kQuad};
    const std::uint64_t lines = to.count(made) / channels / width;
    for (std::uint32_t columns = most_columns;; columns /= 2) {
        const std::uint64_t count = lines * ((width + columns - 1) / columns) * (channels / kQuad);
        if (columns == 1 || (columns <= width && count >= kEnoughItems)) return {columns, count};
    }
}

// A step of a window kernel, but for the constants and the reads that only it has.
Step window_step(const Lowerer& to, const tosa::Operator& op, Kernel kernel, const Window& window,
                 std::uint32_t most_columns) {
    const ValueId in = op.inputs[0], made = op.outputs[0];
    const Items items = items_of(to, made, most_columns);
    Step step{
        .kernel = kernel,
        .writes = made,
        .chain = Chain{.dims = padded(to.value(made)),
                       .count = to.count(made),
                       .inputs = {{.find = shader::kComputed}},
                       .stages = {}},
        .constants = {0, 0, to.type(in), to.type(made), to.extent(made, 3), items.columns,
                      to.extent(in, 1), to.extent(in, 2), to.extent(made, 1), to.extent(made, 2)},
        .reads = {{in, 0}},
        .groups = to.groups(items.count),
        .most_stages = kStagesBuilt};
    for (const auto& axes : {window.kernel, window.stride, window.dilation, window.before})
        for (const std::int32_t axis : axes)
            step.constants.push_back(static_cast<std::uint32_t>(axis));
    return step;
}

// Two zero points, of operands `operand` and the next.
Result<std::array<std::uint32_t, 2>> zero_points(const Lowerer& to, const tosa::Operator& op,
                                                 std::size_t operand) {
    std::array<std::uint32_t, 2> zeros{};
    for (std::size_t i = 0; i < zeros.size(); ++i) {
        const auto zero = zero_point(to, op, operand + i);
        if (!zero) return std::unexpected(zero.error());
        zeros[i] = static_cast<std::uint32_t>(*zero);
    }
    return zeros;
}

Result<void> add_depthwise(Lowerer& to, const tosa::Operator& op) {
    const ValueId in = op.inputs[0], weight = op.inputs[1], bias = op.inputs[2];
    const ValueId made = op.outputs[0];
    const ValueId tensors[] = {in, weight, bias, made};
    if (auto fits = to.check(tensors); !fits) return fits;
    const bool integers = to.type(in) == shader::kInt8 && to.type(made) == shader::kInt32;
    const bool floats = shader::is_float(to.type(in)) && shader::is_float(to.type(made));
    if (!(integers || floats) || to.type(weight) != to.type(in) || to.type(bias) != to.type(made))
        return std::unexpected(ErrorKind::Unsupported);
    const auto zeros = zero_points(to, op, 3);
    if (!zeros) return std::unexpected(zeros.error());

    const auto* attribute = op.serialized->attribute_as_DepthwiseConv2dAttribute();
    const auto dims = to.value(weight).dims;
    Step step = window_step(to, op, Kernel::Depthwise,
                            {.kernel = {dims[0], dims[1]},
                             .stride = pair(attribute->stride()),
                             .dilation = pair(attribute->dilation()),
                             .before = pair(attribute->pad(), 2)},
                            kMostColumns);
    step.constants.insert(step.constants.end(), {0, 0, 0, 0, to.count(bias) == 1,
                                                 to.extent(weight, 3), (*zeros)[0], (*zeros)[1]});
    step.reads.push_back({weight, kOwnConstants});
    step.reads.push_back({bias, kOwnConstants + 2});
    to.push(std::move(step));
    return {};
}

struct Pool {
    Window window;
    std::uint32_t join_floats, join_integers;  // stages
    std::uint32_t nan_mode = shader::kPropagate;
};

Result<void> add_pool(Lowerer& to, const tosa::Operator& op, const Pool& pool) {
    const ValueId tensors[] = {op.inputs[0], op.outputs[0]};
    if (auto fits = to.check(tensors); !fits) return fits;
    const std::uint32_t type = to.type(op.inputs[0]);
    if (type != to.type(op.outputs[0]) || !(shader::is_float(type) || type == shader::kInt8))
        return std::unexpected(ErrorKind::Unsupported);
    const auto zeros = zero_points(to, op, 1);  // MAX_POOL2D has none
    if (!zeros) return std::unexpected(zeros.error());

    Step step = window_step(to, op, Kernel::Pool, pool.window, 1);
    step.constants.insert(step.constants.end(),
                          {shader::is_float(type) ? pool.join_floats : pool.join_integers,
                           pool.nan_mode, (*zeros)[0], (*zeros)[1]});
    to.push(std::move(step));
    return {};
}

template <class Attribute>
Window pool_window(const Attribute* attribute) {
    return {.kernel = pair(attribute->kernel()),
            .stride = pair(attribute->stride()),
            .before = pair(attribute->pad(), 2)};
}

Result<void> add_max_pool(Lowerer& to, const tosa::Operator& op) {
    const auto* attribute = op.serialized->attribute_as_MaxPool2dAttribute();
    return add_pool(to, op,
                    {.window = pool_window(attribute),
                     .join_floats = shader::kMaximum,
                     .join_integers = shader::kIntMaximum,
                     .nan_mode = nan_mode(attribute->nan_mode())});
}

Result<void> add_avg_pool(Lowerer& to, const tosa::Operator& op) {
    return add_pool(to, op,
                    {.window = pool_window(op.serialized->attribute_as_AvgPool2dAttribute()),
                     .join_floats = shader::kAdd,
                     .join_integers = shader::kIntAdd});
}

constexpr LowerRow kRows[] = {
    {tosa::Op::AvgPool2d, add_avg_pool},
    {tosa::Op::DepthwiseConv2d, add_depthwise},
    {tosa::Op::MaxPool2d, add_max_pool},
};

}  // namespace

std::span<const LowerRow> window_rows() {
    return kRows;
}

}  // namespace vulkan
