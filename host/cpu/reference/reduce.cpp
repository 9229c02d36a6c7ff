// SPDX-License-Identifier: MIT
#include <cmath>
#include <functional>

#include "cpu/reference/elementwise.hpp"
#include "cpu/reference/extremum.hpp"
#include "cpu/reference/rows.hpp"

namespace cpu::reference {
namespace {

using tosa::NanMode;
using tosa::Op;

// The elements along one axis of the input that lead to one output element.
struct Line {
    std::uint64_t start;
    std::uint64_t stride;
    std::uint64_t length;

    [[nodiscard]] std::uint64_t at(std::uint64_t k) const { return start + k * stride; }
};

Line line(const Type& in, std::int32_t axis, std::uint64_t output) {
    const auto at = static_cast<std::size_t>(axis);
    std::uint64_t stride = 1;
    for (std::size_t inner = at + 1; inner < in.dims.size(); ++inner)
        stride *= in.extent(inner);
    const std::uint64_t length = in.extent(at);
    return {output / stride * stride * length + output % stride, stride, length};
}

template <class Attribute>
std::int32_t axis(const Call& call) {
    return call.op.attribute_as<Attribute>()->axis();
}

template <class Attribute>
NanMode mode(const Call& call) {
    return nan_mode(call.op.attribute_as<Attribute>()->nan_mode());
}

template <class Attribute>
std::uint64_t length(const Call& call) {
    return call.inputs[0].is.extent(static_cast<std::size_t>(axis<Attribute>(call)));
}

template <auto kRead, class T, class Function>
T fold(const Input& in, const Line& line, T result, Function function) {
    for (std::uint64_t k = 0; k < line.length; ++k)
        result = function(result, (in.*kRead)(line.at(k)));
    return result;
}

template <bool kAll>
void reduce_logical(const Call& call, std::uint64_t first, std::uint64_t last) {
    using Attribute =
        std::conditional_t<kAll, tosa::fbs::ReduceAllAttribute, tosa::fbs::ReduceAnyAttribute>;
    const Input& in = call.inputs[0];
    for (std::uint64_t i = first; i < last; ++i) {
        const Line along = line(in.is, axis<Attribute>(call), i);
        put(call.outputs[0], i, fold<&Input::integer>(in, along, kAll, [](bool so_far, auto next) {
                return kAll ? so_far && next != 0 : so_far || next != 0;
            }));
    }
}

template <bool kMax>
void reduce_extremum(const Call& call, std::uint64_t first, std::uint64_t last) {
    using Attribute =
        std::conditional_t<kMax, tosa::fbs::ReduceMaxAttribute, tosa::fbs::ReduceMinAttribute>;
    const Input& in = call.inputs[0];
    const auto better = [nan = mode<Attribute>(call)](auto a, auto b) {
        return kMax ? maximum(a, b, nan) : minimum(a, b, nan);
    };
    for (std::uint64_t i = first; i < last; ++i) {
        const Line along = line(in.is, axis<Attribute>(call), i);
        // From the first element on, which the fold then meets a second time.
        if (in.is.is_float())
            put(call.outputs[0], i, fold<&Input::real>(in, along, in.real(along.start), better));
        else
            put(call.outputs[0], i,
                fold<&Input::integer>(in, along, in.integer(along.start), better));
    }
}

void reduce_product(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& in = call.inputs[0];
    for (std::uint64_t i = first; i < last; ++i) {
        const Line along = line(in.is, axis<tosa::fbs::ReduceProductAttribute>(call), i);
        put(call.outputs[0], i, fold<&Input::real>(in, along, 1.0, std::multiplies{}));
    }
}

// An INT32 sum that does not fit, which TOSA leaves open, wraps. No sum of a tensor's
// INT32 leaves 64 bits.
void reduce_sum(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& in = call.inputs[0];
    for (std::uint64_t i = first; i < last; ++i) {
        const Line along = line(in.is, axis<tosa::fbs::ReduceSumAttribute>(call), i);
        if (in.is.is_float())
            put(call.outputs[0], i, fold<&Input::real>(in, along, 0.0, std::plus{}));
        else
            put(call.outputs[0], i, fold<&Input::integer>(in, along, std::int64_t{0}, std::plus{}));
    }
}

// Whether `next` takes the place of the best element before it (TOSA ARGMAX): NaN is
// larger than every number where it propagates, else smaller.
bool larger(double next, double best, NanMode nan) {
    if (std::isnan(next) || std::isnan(best))
        return nan == NanMode::Propagate ? !std::isnan(best) : !std::isnan(next);
    return next > best;
}

bool larger(std::int64_t next, std::int64_t best, NanMode /*nan*/) {
    return next > best;
}

template <auto kRead>
std::uint64_t index_of_largest(const Input& in, const Line& line, NanMode nan) {
    std::uint64_t best = 0;
    for (std::uint64_t k = 1; k < line.length; ++k)
        if (larger((in.*kRead)(line.at(k)), (in.*kRead)(line.at(best)), nan)) best = k;
    return best;
}

void argmax(const Call& call, std::uint64_t first, std::uint64_t last) {
    using Attribute = tosa::fbs::ArgmaxAttribute;
    const Input& in = call.inputs[0];
    const NanMode nan = mode<Attribute>(call);
    for (std::uint64_t i = first; i < last; ++i) {
        const Line along = line(in.is, axis<Attribute>(call), i);
        put(call.outputs[0], i,
            in.is.is_float() ? index_of_largest<&Input::real>(in, along, nan)
                             : index_of_largest<&Input::integer>(in, along, nan));
    }
}

constexpr Row kRows[] = {
    {Op::Argmax, argmax, length<tosa::fbs::ArgmaxAttribute>},
    {Op::ReduceAll, reduce_logical<true>, length<tosa::fbs::ReduceAllAttribute>},
    {Op::ReduceAny, reduce_logical<false>, length<tosa::fbs::ReduceAnyAttribute>},
    {Op::ReduceMax, reduce_extremum<true>, length<tosa::fbs::ReduceMaxAttribute>},
    {Op::ReduceMin, reduce_extremum<false>, length<tosa::fbs::ReduceMinAttribute>},
    {Op::ReduceProduct, reduce_product, length<tosa::fbs::ReduceProductAttribute>},
    {Op::ReduceSum, reduce_sum, length<tosa::fbs::ReduceSumAttribute>},
};

}  // namespace

std::span<const Row> reduce_rows() {
    return kRows;
}

}  // namespace cpu::reference
