// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>

#include "tosa/graph.hpp"

namespace tosa {

// What a compile-time input turned out to hold, stored as a constant in a file would be.
struct RuntimeValue {
    ValueId value = kNoId;
    std::span<const std::byte> contents;
};

struct RuntimeValueError {
    enum class Kind : std::uint8_t {
        ValuesOutOfOrder,  // value ids strictly increase
        MissingValue,
        InvalidEncoding,
        RequiredConditionFailed,
    };
    Kind kind = Kind::ValuesOutOfOrder;
    ValueId value = kNoId;
    OperatorId op = kNoId;  // that uses it; kNoId: values out of order

    friend bool operator==(const RuntimeValueError&, const RuntimeValueError&) = default;
};

struct RuntimeVerdict {
    bool unpredictable = false;  // a value breaks a rule that need not be checked

    friend bool operator==(const RuntimeVerdict&, const RuntimeVerdict&) = default;
};

// Holds the values of all DynamicInput conditions of an analysed graph against the rules
// that validation held constants against (providers.md 1.10). Other values are not looked
// at: what tensors hold is nobody's business here. Nothing is allocated.
[[nodiscard]] std::expected<RuntimeVerdict, RuntimeValueError> validate_runtime_values(
    const Graph& graph, std::span<const RuntimeValue> values);

}  // namespace tosa
