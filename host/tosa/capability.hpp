// SPDX-License-Identifier: MIT
//
// What a provider says it takes, for one exact target (providers.md 1.13). To be inside a
// descriptor makes it worth trying to load a graph; loading has the last word.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "tosa/conditions.hpp"
#include "tosa/graph.hpp"
#include "tosa/target.hpp"
#include "tosa/types.hpp"

namespace tosa {

inline constexpr std::uint32_t kRoleInput = 1U << 0;   // of the block
inline constexpr std::uint32_t kRoleOutput = 1U << 1;  // of the block
inline constexpr std::uint32_t kRoleConstant = 1U << 2;
inline constexpr std::uint32_t kRoleIntermediate = 1U << 3;
inline constexpr std::uint32_t kRoleAll = 15;

struct TypeCapability {
    DType type;
    std::uint32_t roles = 0;      // mask of kRole*
    bool parameter_only = false;  // constants of the type are parameters of operators only,
                                  // such as the shift of MUL
};

inline constexpr std::uint32_t kPropagatingNan = 1U << 0;
inline constexpr std::uint32_t kZeroPadding = 1U << 1;
inline constexpr std::uint32_t kConstantParameters = 1U << 2;  // not known at run time only
inline constexpr std::uint32_t kZeroZeroPoints = 1U << 3;
inline constexpr std::uint32_t kZeroShift = 1U << 4;

struct OperatorCapability {
    Op op;
    std::uint32_t constraints = 0;  // mask
};

// The bit of a condition in GraphEnvelope::conditions.
template <class T>
inline constexpr std::uint32_t kConditionBit = 1U << Condition(T{}).index();

struct GraphEnvelope {
    std::uint32_t max_regions = 1;
    std::uint32_t max_blocks = 1;
    bool dynamic_shapes = false;
    std::uint32_t conditions = 0;  // mask of kConditionBit
};

// None is published where no condition is allowed, and AdvisoryOnly where some are that a
// provider need not check.
enum class RuntimeConditions : std::uint8_t { None, AdvisoryOnly };

struct Descriptor {
    Target target;
    std::span<const TypeCapability> types;
    std::span<const OperatorCapability> operators;
    GraphEnvelope envelope;

    [[nodiscard]] constexpr RuntimeConditions runtime_conditions() const {
        return envelope.conditions == 0 ? RuntimeConditions::None : RuntimeConditions::AdvisoryOnly;
    }
};

// Whether an analysed graph lies inside, and if not, the first reason, as a sentence.
[[nodiscard]] std::expected<void, std::string> admits(const Descriptor& descriptor,
                                                      const Graph& graph);

}  // namespace tosa
