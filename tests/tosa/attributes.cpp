// SPDX-License-Identifier: MIT
#include "tosa/attributes.hpp"

namespace tosa::test {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<flatbuffers::Vector<std::int32_t>> list(Builder& builder,
                                               const std::optional<Dims>& values) {
    if (!values) return 0;
    return builder.CreateVector(*values);
}

Offset<flatbuffers::Vector<std::uint8_t>> octets(Builder& builder,
                                                 const std::vector<std::byte>& data) {
    if (data.empty()) return 0;
    builder.ForceVectorAlignment(data.size(), 1, 8);
    return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
}

Offset<flatbuffers::String> string(Builder& builder, const Text& text) {
    if (!text) return 0;
    return builder.CreateString(*text);
}

template <class Create>
Offset<void> convolution(Builder& builder, const Fields& fields, Create create) {
    const auto pad = list(builder, fields.pad);
    const auto stride = list(builder, fields.stride);
    const auto dilation = list(builder, fields.dilation);
    return create(builder, pad, stride, dilation, fields.local_bound,
                  static_cast<fbs::DType>(fields.acc_type))
        .Union();
}

Offset<void> write_window(Builder& builder, Op op, const Fields& fields) {
    if (op == Op::Conv2d) return convolution(builder, fields, fbs::CreateConv2dAttribute);
    if (op == Op::Conv3d) return convolution(builder, fields, fbs::CreateConv3dAttribute);
    if (op == Op::DepthwiseConv2d)
        return convolution(builder, fields, fbs::CreateDepthwiseConv2dAttribute);
    const auto acc_type = static_cast<fbs::DType>(fields.acc_type);
    const auto stride = list(builder, fields.stride);
    if (op == Op::TransposeConv2d)
        return fbs::CreateTransposeConv2dAttribute(builder, list(builder, fields.out_pad), stride,
                                                   fields.local_bound, acc_type)
            .Union();
    const auto kernel = list(builder, fields.kernel);
    const auto pad = list(builder, fields.pad);
    if (op == Op::AvgPool2d)
        return fbs::CreateAvgPool2dAttribute(builder, kernel, stride, pad, acc_type).Union();
    return fbs::CreateMaxPool2dAttribute(builder, kernel, stride, pad,
                                         static_cast<fbs::NanPropagationMode>(fields.nan_mode))
        .Union();
}

Offset<void> write_axis(Builder& builder, Op op, std::int32_t axis) {
    switch (op) {
        case Op::ReduceAll:
            return fbs::CreateReduceAllAttribute(builder, axis).Union();
        case Op::ReduceAny:
            return fbs::CreateReduceAnyAttribute(builder, axis).Union();
        case Op::ReduceProduct:
            return fbs::CreateReduceProductAttribute(builder, axis).Union();
        case Op::ReduceSum:
            return fbs::CreateReduceSumAttribute(builder, axis).Union();
        case Op::Concat:
            return fbs::CreateConcatAttribute(builder, axis).Union();
        default:
            return fbs::CreateReverseAttribute(builder, axis).Union();
    }
}

Offset<void> write_nan_mode(Builder& builder, Op op, const Fields& fields) {
    const auto mode = static_cast<fbs::NanPropagationMode>(fields.nan_mode);
    switch (op) {
        case Op::Argmax:
            return fbs::CreateArgmaxAttribute(builder, fields.axis, mode).Union();
        case Op::ReduceMax:
            return fbs::CreateReduceMaxAttribute(builder, fields.axis, mode).Union();
        case Op::ReduceMin:
            return fbs::CreateReduceMinAttribute(builder, fields.axis, mode).Union();
        case Op::Maximum:
            return fbs::CreateMaximumAttribute(builder, mode).Union();
        case Op::Minimum:
            return fbs::CreateMinimumAttribute(builder, mode).Union();
        default: {
            const auto min = octets(builder, fields.min_val);
            const auto max = octets(builder, fields.max_val);
            return fbs::CreateClampAttribute(builder, min, max, mode).Union();
        }
    }
}

Offset<void> write_names(Builder& builder, Op op, const Fields& fields) {
    if (op == Op::CondIf) {
        const auto yes = string(builder, fields.then_graph);
        const auto no = string(builder, fields.else_graph);
        return fbs::CreateCondIfAttribute(builder, yes, no).Union();
    }
    if (op == Op::WhileLoop) {
        const auto cond = string(builder, fields.cond_graph);
        const auto body = string(builder, fields.body_graph);
        return fbs::CreateWhileLoopAttribute(builder, cond, body).Union();
    }
    const auto name = string(builder, fields.operator_name);
    const auto domain = string(builder, fields.domain_name);
    const auto attrs = octets(builder, fields.implementation_attrs);
    return fbs::CreateCustomAttribute(builder, name, domain, attrs).Union();
}

Offset<void> write(Builder& builder, Op op, const Fields& fields) {
    switch (op) {
        case Op::AvgPool2d:
        case Op::MaxPool2d:
        case Op::Conv2d:
        case Op::Conv3d:
        case Op::DepthwiseConv2d:
        case Op::TransposeConv2d:
            return write_window(builder, op, fields);
        case Op::ReduceAll:
        case Op::ReduceAny:
        case Op::ReduceProduct:
        case Op::ReduceSum:
        case Op::Concat:
        case Op::Reverse:
            return write_axis(builder, op, fields.axis);
        case Op::Argmax:
        case Op::ReduceMax:
        case Op::ReduceMin:
        case Op::Maximum:
        case Op::Minimum:
        case Op::Clamp:
            return write_nan_mode(builder, op, fields);
        case Op::Custom:
        case Op::CondIf:
        case Op::WhileLoop:
            return write_names(builder, op, fields);
        case Op::Fft2d:
            return fbs::CreateFft2dAttribute(builder, fields.inverse, fields.local_bound).Union();
        case Op::Rfft2d:
            return fbs::CreateRfft2dAttribute(builder, fields.local_bound).Union();
        case Op::ArithmeticRightShift:
            return fbs::CreateArithmeticRightShiftAttribute(builder, fields.round).Union();
        case Op::Transpose:
            return fbs::CreateTransposeAttribute(builder, list(builder, fields.perms)).Union();
        case Op::Resize:
            return fbs::CreateResizeAttribute(builder, static_cast<fbs::ResizeMode>(fields.mode))
                .Union();
        case Op::Rescale:
            return fbs::CreateRescaleAttribute(builder, fields.scale32,
                                               static_cast<fbs::RoundingMode>(fields.rounding_mode),
                                               fields.per_channel, fields.input_unsigned,
                                               fields.output_unsigned)
                .Union();
        default:
            return empty_attribute(builder);
    }
}

}  // namespace

Attribute attribute(Op op, Fields fields) {
    return
        [op, fields = std::move(fields)](Builder& builder) { return write(builder, op, fields); };
}

}  // namespace tosa::test
