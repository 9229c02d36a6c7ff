// SPDX-License-Identifier: MIT
#include "tosa/checks.hpp"

namespace tosa {

fbs::NanPropagationMode nan_mode_of(const Operator& op) {
    const fbs::TosaOperator& serialized = *op.serialized;
    switch (op.op) {
        case Op::Argmax:
            return serialized.attribute_as_ArgmaxAttribute()->nan_mode();
        case Op::MaxPool2d:
            return serialized.attribute_as_MaxPool2dAttribute()->nan_mode();
        case Op::Clamp:
            return serialized.attribute_as_ClampAttribute()->nan_mode();
        case Op::Maximum:
            return serialized.attribute_as_MaximumAttribute()->nan_mode();
        case Op::Minimum:
            return serialized.attribute_as_MinimumAttribute()->nan_mode();
        case Op::ReduceMax:
            return serialized.attribute_as_ReduceMaxAttribute()->nan_mode();
        case Op::ReduceMin:
            return serialized.attribute_as_ReduceMinAttribute()->nan_mode();
        default:
            return fbs::NanPropagationMode::UNKNOWN;
    }
}

std::int32_t axis_of(const Operator& op) {
    const fbs::TosaOperator& serialized = *op.serialized;
    switch (op.op) {
        case Op::Argmax:
            return serialized.attribute_as_ArgmaxAttribute()->axis();
        case Op::ReduceAll:
            return serialized.attribute_as_ReduceAllAttribute()->axis();
        case Op::ReduceAny:
            return serialized.attribute_as_ReduceAnyAttribute()->axis();
        case Op::ReduceMax:
            return serialized.attribute_as_ReduceMaxAttribute()->axis();
        case Op::ReduceMin:
            return serialized.attribute_as_ReduceMinAttribute()->axis();
        case Op::ReduceProduct:
            return serialized.attribute_as_ReduceProductAttribute()->axis();
        case Op::ReduceSum:
            return serialized.attribute_as_ReduceSumAttribute()->axis();
        case Op::Concat:
            return serialized.attribute_as_ConcatAttribute()->axis();
        case Op::Reverse:
            return serialized.attribute_as_ReverseAttribute()->axis();
        default:
            return -1;  // no operator has such an axis
    }
}

DType accumulator_of(const Operator& op) {
    const auto type = [&] {
        const fbs::TosaOperator& serialized = *op.serialized;
        switch (op.op) {
            case Op::AvgPool2d:
                return serialized.attribute_as_AvgPool2dAttribute()->acc_type();
            case Op::Conv2d:
                return serialized.attribute_as_Conv2dAttribute()->acc_type();
            case Op::Conv3d:
                return serialized.attribute_as_Conv3dAttribute()->acc_type();
            case Op::DepthwiseConv2d:
                return serialized.attribute_as_DepthwiseConv2dAttribute()->acc_type();
            case Op::TransposeConv2d:
                return serialized.attribute_as_TransposeConv2dAttribute()->acc_type();
            default:
                return fbs::DType::UNKNOWN;
        }
    };
    return static_cast<DType>(type());
}

Checked<void> check_axis(const Subject& subject) {
    const std::int32_t axis = axis_of(subject.op);
    const std::size_t rank = subject.input(0).rank();
    if (static_cast<std::uint32_t>(axis) < rank) return {};  // a negative one becomes too large
    return bad_attribute("axis {} is none of an input of rank {}", axis, rank);
}

Checked<void> check_nan_mode(const Subject& subject) {
    const fbs::NanPropagationMode mode = nan_mode_of(subject.op);
    if (mode == fbs::NanPropagationMode::PROPAGATE || mode == fbs::NanPropagationMode::IGNORE)
        return {};
    return bad_attribute("{} is no NaN mode", static_cast<std::uint32_t>(mode));
}

Checked<void> check_axis_and_nan_mode(const Subject& subject) {
    if (auto axis = check_axis(subject); !axis) return axis;
    return check_nan_mode(subject);
}

}  // namespace tosa
