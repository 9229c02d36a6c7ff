// SPDX-License-Identifier: MIT
//
// A TOSA program ready for a provider: parsed, validated for a target, names
// turned into dense ids, operators in execution order.
//
// The graph borrows the artifact's bytes: names and constants are views into them,
// and the caller keeps them alive and unchanged for as long as the graph lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tosa/limits.hpp"
#include "tosa/target.hpp"
#include "tosa/types.hpp"

namespace tosa {

namespace fbs {  // generated from uapi/tosa/tosa.fbs
struct TosaOperator;
}

using ValueId = std::uint32_t;
using OperatorId = std::uint32_t;
inline constexpr std::uint32_t kNoId = 0xFFFFFFFF;

// A tensor, or the value of a shape operand (type Shape: rank many int64 in `data`).
struct Value {
    std::string_view name{};
    DType type = DType::Unknown;
    std::span<const std::int32_t> dims{};  // tensor: extents, each >= 1. Rank 0 is a scalar
    std::span<const std::byte> data{};     // serialized constant, else empty
    std::uint64_t elements = 0;            // product of dims; a shape's rank
    std::uint64_t bytes = 0;               // size of the contents in a buffer
    OperatorId producer = kNoId;           // index into Graph::operators; kNoId: a block input
    std::uint32_t consumers = 0;           // operand uses, a block output not counted
    std::uint32_t last_use = 0;            // last execution position that reads it, dead
                                           // operators not counted; operators.size() for
                                           // a block output

    [[nodiscard]] bool constant() const { return !data.empty(); }
    [[nodiscard]] std::size_t rank() const { return dims.size(); }
};

struct Operator {
    Op op = Op::Identity;
    std::span<const ValueId> inputs;
    std::span<const ValueId> outputs;
    const fbs::TosaOperator* serialized = nullptr;  // for its attribute, whose tag was checked
    bool dead = false;                              // no block output depends on it
};

// Move-only: a copy's operators would point into the operands of the original.
// Binding slots are inputs 0..N-1 in declared order, then outputs N..N+M-1.
struct Graph {
    Graph() = default;
    Graph(Graph&&) = default;
    Graph& operator=(Graph&&) = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() = default;

    Target target;
    std::vector<Value> values;
    std::vector<Operator> operators;  // in execution order: producers come first
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    std::vector<ValueId> operands;  // storage behind the operators' spans
};

// What is wrong with an artifact, as one sentence with the region, block, operator
// or symbol that it concerns, and the class of defect for the wire.
struct GraphError {
    enum class Kind : std::uint8_t {
        Malformed,      // not a well-formed TOSA file, or not a valid graph
        Unsupported,    // valid, but uses something that this build does not know
        LimitExceeded,  // one of the parser's limits
        OutOfMemory,
    };
    Kind kind = Kind::Malformed;
    std::string message;
};

// Parses, validates and analyses. Reads each byte of `artifact` as often as it
// likes, so the bytes must be private to the caller, not guest memory. They start at
// an address divisible by 8; a constant in them is aligned to 4 at least where it is
// embedded, but anyhow where the file says "at this offset".
[[nodiscard]] std::expected<Graph, GraphError> build_graph(std::span<const std::byte> artifact,
                                                           const Target& target,
                                                           const Limits& limits = {});

}  // namespace tosa
