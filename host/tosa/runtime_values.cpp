// SPDX-License-Identifier: MIT
#include "tosa/runtime_values.hpp"

#include <algorithm>

#include "tosa/compile_time.hpp"
#include "tosa/encoding.hpp"
#include "tosa/limits.hpp"
#include "tosa/number.hpp"
#include "tosa_generated.h"

namespace tosa {
namespace {

using Kind = RuntimeValueError::Kind;
using Contents = std::span<const std::byte>;

// An operator whose compile-time inputs are all known, and have the size that their values
// have in the graph.
struct Call {
    const Graph& graph;
    const Operator& op;
    std::span<const RuntimeValue> values;

    [[nodiscard]] const Value& input(std::size_t i) const { return graph.values[op.inputs[i]]; }
    [[nodiscard]] const Value& output() const { return graph.values[op.outputs[0]]; }

    // Null where a dynamic value is not given.
    [[nodiscard]] const RuntimeValue* given(ValueId id) const {
        const auto found = std::ranges::lower_bound(values, id, {}, &RuntimeValue::value);
        return found == values.end() || found->value != id ? nullptr : &*found;
    }
    [[nodiscard]] Contents contents(std::size_t i) const {
        if (input(i).constant()) return input(i).data;
        return given(op.inputs[i])->contents;
    }
    [[nodiscard]] std::int64_t shape(std::size_t i, std::size_t index) const {
        return shape_value(contents(i), index);
    }
};

// Signed, as INT16 is stored.
constexpr std::int64_t kUnsignedMiddle = -32768;

bool valid_zero_point(const Call& call, std::size_t i) {
    const DType type = call.input(i).type;
    const std::byte* data = call.contents(i).data();
    if (call.input(i).elements != 1) return false;
    if (type == DType::Int8) return true;
    if (is_float(type)) return read_float(type, data, 0) == 0;
    const std::int64_t value = read_integer(type, data, 0);
    if (value == 0) return true;
    if (call.op.op != Op::Rescale || type != DType::Int16 || value != kUnsignedMiddle) return false;
    const auto& attribute = *call.op.serialized->attribute_as_RescaleAttribute();
    return i == 3 ? attribute.input_unsigned() : attribute.output_unsigned();
}

// The axes of the output that shape `i`, of `each` values an axis, has to fit.
template <class Fits>
bool every_axis(const Call& call, std::size_t i, std::size_t each, Fits fits) {
    const auto out = call.output().dims;
    if (call.input(i).elements != each * out.size()) return false;
    for (std::size_t axis = 0; axis < out.size(); ++axis)
        if (!fits(axis, std::int64_t{out[axis]})) return false;
    return true;
}

// For shapes that do not change the rank, with the extent of the input besides.
template <class Fits>
bool every_axis_of_both(const Call& call, std::size_t i, std::size_t each, Fits fits) {
    const auto in = call.input(0).dims;
    return in.size() == call.output().rank() &&
           every_axis(call, i, each, [&](std::size_t axis, std::int64_t out) {
               return fits(axis, std::int64_t{in[axis]}, out);
           });
}

bool valid_padding(const Call& call) {
    return every_axis_of_both(call, 1, 2, [&](std::size_t axis, std::int64_t in, std::int64_t out) {
        const std::int64_t before = call.shape(1, 2 * axis);
        const std::int64_t after = call.shape(1, 2 * axis + 1);
        // Held to `out` first, no sum overflows.
        return before >= 0 && before <= out && after >= 0 && after <= out &&
               before + in + after == out;
    });
}

bool equals_output(const Call& call, std::size_t i) {
    return every_axis(
        call, i, 1, [&](std::size_t axis, std::int64_t out) { return call.shape(i, axis) == out; });
}

// Its size has a check of its own, by which it is that of the output.
bool valid_start(const Call& call) {
    return every_axis_of_both(call, 1, 1, [&](std::size_t axis, std::int64_t in, std::int64_t out) {
        return call.shape(1, axis) >= 0 && call.shape(1, axis) <= in - out;
    });
}

bool valid_multiples(const Call& call) {
    return every_axis_of_both(call, 1, 1, [&](std::size_t axis, std::int64_t in, std::int64_t out) {
        const std::int64_t multiple = call.shape(1, axis);
        return multiple >= 1 && multiple <= out && in * multiple == out;
    });
}

// TOSA RESIZE, of one axis: scale n/d. In this order nothing overflows.
bool valid_resize_axis(std::int64_t n, std::int64_t d, std::int64_t offset, std::int64_t border,
                       std::int64_t in, std::int64_t out, Level level) {
    constexpr std::int64_t kEnd = 16384;
    if (in >= kEnd || out >= kEnd) return false;
    if (n <= 0 || n > 2048 || d <= 0 || d >= 16 * n ||
        n > std::int64_t{level_limits(level).resize_scale} * d)
        return false;
    if (offset < -n || offset >= 16 * n || border < -16 * n || border >= n) return false;
    const std::int64_t span = (in - 1) * n - offset + border;
    return span % d == 0 && span / d + 1 == out;
}

bool valid_resize(const Call& call) {
    const auto in = call.input(0).dims;
    const auto out = call.output().dims;
    const bool sized = in.size() == 4 && out.size() == 4 && call.input(1).elements == 4 &&
                       call.input(2).elements == 2 && call.input(3).elements == 2;
    for (std::size_t axis = 0; sized && axis < 2; ++axis)
        if (!valid_resize_axis(call.shape(1, 2 * axis), call.shape(1, 2 * axis + 1),
                               call.shape(2, axis), call.shape(3, axis), in[1 + axis],
                               out[1 + axis], call.graph.target.level))
            return false;
    return sized;
}

bool every_element(const Call& call, std::size_t i, std::int64_t low, std::int64_t high) {
    const Contents contents = call.contents(i);
    for (std::uint64_t index = 0; index < call.input(i).elements; ++index) {
        const std::int64_t value = read_integer(call.input(i).type, contents.data(), index);
        if (value < low || value > high) return false;
    }
    return true;
}

bool valid(const Call& call, const CompileTimeInput& row) {
    switch (row.use) {
        case ConstantUse::ZeroPoint:
            return valid_zero_point(call, row.input);
        case ConstantUse::Padding:
            return valid_padding(call);
        case ConstantUse::PadValue:
            return call.input(row.input).elements == 1;
        case ConstantUse::TargetShape:
        case ConstantUse::SliceSize:
            return equals_output(call, row.input);
        case ConstantUse::SliceStart:
            return valid_start(call);
        case ConstantUse::Multiples:
            return valid_multiples(call);
        case ConstantUse::Resize:
            return valid_resize(call);
        case ConstantUse::MulShift:
            return every_element(call, row.input, 0, call.input(0).type == DType::Int32 ? 63 : 0);
        case ConstantUse::RescaleMultiplier:
            return every_element(call, row.input, 0, std::numeric_limits<std::int32_t>::max());
        case ConstantUse::RescaleShift:
            return every_element(call, row.input, 2, 62);
        case ConstantUse::Table:
            break;
    }
    return true;
}

bool well_encoded(const Value& value, Contents contents) {
    return contents.size() == constant_bytes(value.type, value.elements) &&
           valid_encoding(value.type, contents);
}

// All inputs of the operator first: one check may want several.
std::expected<void, Kind> find_inputs(const Call& call, ValueId& at) {
    for (const CompileTimeInput& row : compile_time_inputs(call.op.op)) {
        at = call.op.inputs[row.input];
        if (call.input(row.input).constant()) continue;
        const RuntimeValue* given = call.given(at);
        if (given == nullptr) return std::unexpected(Kind::MissingValue);
        if (!well_encoded(call.input(row.input), given->contents))
            return std::unexpected(Kind::InvalidEncoding);
    }
    return {};
}

std::expected<void, Kind> check_inputs(const Call& call, RuntimeVerdict& verdict, ValueId& at) {
    for (const CompileTimeInput& row : compile_time_inputs(call.op.op)) {
        at = call.op.inputs[row.input];
        if (call.input(row.input).constant() || valid(call, row)) continue;
        if (required_error_check(row.use)) return std::unexpected(Kind::RequiredConditionFailed);
        verdict.unpredictable = true;
    }
    return {};
}

}  // namespace

std::expected<RuntimeVerdict, RuntimeValueError> validate_runtime_values(
    const Graph& graph, std::span<const RuntimeValue> values) {
    const auto unordered =
        std::ranges::adjacent_find(values, std::ranges::greater_equal{}, &RuntimeValue::value);
    if (unordered != values.end())
        return std::unexpected(RuntimeValueError{Kind::ValuesOutOfOrder, (unordered + 1)->value});

    RuntimeVerdict verdict;
    for (OperatorId id = 0; id < graph.operators.size(); ++id) {
        const Call call{graph, graph.operators[id], values};
        ValueId at = kNoId;
        const auto checked =
            find_inputs(call, at).and_then([&] { return check_inputs(call, verdict, at); });
        if (!checked) return std::unexpected(RuntimeValueError{checked.error(), at, id});
    }
    return verdict;
}

}  // namespace tosa
