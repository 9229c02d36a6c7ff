// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tosa/checks.hpp"
#include "tosa/number.hpp"

namespace tosa {
namespace {

Checked<void> check_rounding(const fbs::RescaleAttribute& attribute, std::uint64_t extensions) {
    using enum fbs::RoundingMode;
    const fbs::RoundingMode mode = attribute.rounding_mode();
    if (mode < SINGLE_ROUND || mode > DOUBLE_ROUND)
        return bad_attribute("{} is no rounding mode", static_cast<std::uint32_t>(mode));
    if (mode == DOUBLE_ROUND && (extensions & kExtensionDoubleRound) == 0)
        return bad_attribute("DOUBLE_ROUND needs EXT-DOUBLEROUND");
    if (mode == INEXACT_ROUND && (extensions & kExtensionInexactRound) == 0)
        return bad_attribute("INEXACT_ROUND needs EXT-INEXACTROUND");
    if (mode == DOUBLE_ROUND && !attribute.scale32())
        return bad_attribute("DOUBLE_ROUND does not go without scale32");
    return {};
}

Checked<void> check_signs(const fbs::RescaleAttribute& attribute, DType in, DType out) {
    const bool from_wide = in == DType::Int32 || in == DType::Int48;
    const bool wide = from_wide || out == DType::Int32;
    if (attribute.input_unsigned() && attribute.output_unsigned())
        return bad_attribute("input and output cannot both be unsigned");
    if (attribute.input_unsigned() && wide)
        return bad_attribute("an unsigned input does not go with {} to {}", name(in), name(out));
    if (attribute.output_unsigned() && wide)
        return bad_attribute("an unsigned output does not go with {} to {}", name(in), name(out));
    return {};
}

// `sound` says of one number whether it is in range: all of the constant must be.
template <class Sound>
Checked<void> check_all(const Subject& subject, std::size_t input, std::string_view what,
                        Sound sound) {
    const ValueId id = subject.op.inputs[input];
    if (!known(subject, input) || subject.sound.contain(id)) return {};
    const Value& value = subject.input(input);
    for (std::uint64_t i = 0; i < value.elements; ++i) {
        const std::int64_t number = read_integer(value.type, value.data.data(), i);
        if (!sound(number)) return bad_constant("{} {} is {}", what, i, number);
    }
    subject.sound.add(id);
    return {};
}

}  // namespace

Checked<void> check_rescale_attributes(const Subject& subject) {
    const auto& attribute = subject.attribute<fbs::RescaleAttribute>();
    const DType in = subject.input(0).type;
    const DType wanted = attribute.scale32() ? DType::Int32 : DType::Int16;
    if (subject.input(1).type != wanted)
        return bad_types("its multiplier is {}, not {}", name(subject.input(1).type), name(wanted));
    if (attribute.scale32() && in == DType::Int48)
        return bad_attribute("scale32 does not go with INT48");
    if (auto mode = check_rounding(attribute, subject.graph.target.extensions); !mode) return mode;
    return check_signs(attribute, in, subject.output(0).type);
}

Checked<void> check_rescale_constants(const Subject& subject) {
    if (auto multiplier =
            check_all(subject, 1, "multiplier", [](std::int64_t number) { return number >= 0; });
        !multiplier)
        return multiplier;
    return check_all(subject, 2, "shift",
                     [](std::int64_t number) { return number >= 2 && number <= 62; });
}

Checked<void> check_rescale_shapes(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const bool per_channel = subject.attribute<fbs::RescaleAttribute>().per_channel();
    if (per_channel && in.empty()) return bad_shape("a scalar has no channels");
    const std::int32_t wanted = per_channel ? in.back() : 1;
    for (const std::size_t input : {1U, 2U})
        if (const std::int32_t length = subject.input(input).dims[0]; length != wanted)
            return bad_shape("{} has {} elements, not {}", input == 1 ? "multiplier" : "shift",
                             length, wanted);
    return check_same_shape(subject);
}

}  // namespace tosa
