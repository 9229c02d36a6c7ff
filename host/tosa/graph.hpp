// SPDX-License-Identifier: MIT
//
// A TOSA program ready for a provider: parsed, validated for a target, names
// turned into dense ids, operators in execution order.
//
// The graph borrows the artifact's bytes: names and constants are views into them,
// and the caller keeps them alive and unchanged for as long as the graph lives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "tosa/error.hpp"
#include "tosa/limits.hpp"
#include "tosa/target.hpp"
#include "tosa/types.hpp"

namespace tosa {

namespace fbs {  // generated from uapi/tosa/tosa.fbs
struct TosaOperator;
}

// Dense over the whole file: the tensors of a block, then its shapes, then the next block.
using RegionId = std::uint32_t;
using BlockId = std::uint32_t;
using ValueId = std::uint32_t;
using OperatorId = std::uint32_t;  // after build_graph() the execution position as well
inline constexpr std::uint32_t kNoId = 0xFFFFFFFF;

enum class Constness : std::uint8_t {
    NonConstant,
    Serialized,  // its contents are `data`, from a CONST or CONST_SHAPE
    Foldable,    // an operator with hint::kFoldConstant makes it of constants
};

// A tensor, or the value of a shape operand (type Shape: rank many int64 in `data`).
struct Value {
    std::string_view name{};
    DType type = DType::Unknown;
    Constness constness = Constness::NonConstant;
    bool unranked = false;  // no operator takes such a tensor
    bool variable = false;
    std::string_view variable_name{};
    std::span<const std::int32_t> dims{};  // tensor: extents, each >= 1. Rank 0 is a scalar
    std::span<const std::byte> data{};     // serialized constant, or a variable's initial
                                           // value, else empty
    std::uint64_t elements = 0;            // product of dims; a shape's rank; unranked: 0
    std::uint64_t bytes = 0;               // size of the contents in a buffer
    BlockId block = 0;
    OperatorId producer = kNoId;  // kNoId: a block input. The first of several
    std::uint32_t producers = 0;  // more than one for a variable only
    std::uint32_t consumers = 0;  // operand uses, a block output not counted

    // Execution positions of the first and the last operator that reads it, dead operators
    // not counted. A block output is read at the block's end, Block::end().
    std::uint32_t first_use = kNoId;
    std::uint32_t last_use = 0;

    [[nodiscard]] bool constant() const { return constness == Constness::Serialized; }
    [[nodiscard]] std::size_t rank() const { return dims.size(); }
};

// What an optimizer may do with an operator (providers.md 1.9). Nothing is rewritten.
namespace hint {
inline constexpr std::uint32_t kDead = 1U << 0;            // no block output depends on it
inline constexpr std::uint32_t kAliasInputZero = 1U << 1;  // the output is the first input
inline constexpr std::uint32_t kFoldConstant = 1U << 2;
inline constexpr std::uint32_t kComposeReshape = 1U << 3;  // with the operator before it
inline constexpr std::uint32_t kComposeTranspose = 1U << 4;
inline constexpr std::uint32_t kCustom = 1U << 5;
inline constexpr std::uint32_t kControlFlow = 1U << 6;
}  // namespace hint

struct Operator {
    Op op = Op::Identity;
    std::uint32_t source = 0;  // index in the file's list of the block's operators
    std::uint32_t hints = 0;   // mask of hint::k*
    std::span<const ValueId> inputs{};
    std::span<const ValueId> outputs{};
    // COND_IF: then and else. WHILE_LOOP: condition and body.
    std::array<RegionId, 2> regions{kNoId, kNoId};
    const fbs::TosaOperator* serialized = nullptr;  // for its attribute, whose tag was checked

    [[nodiscard]] bool dead() const { return (hints & hint::kDead) != 0; }
};

struct Region {
    std::string_view name;
    BlockId first_block = 0;  // its entry block, whose inputs and outputs are the region's
    std::uint32_t blocks = 0;
};

struct Block {
    std::string_view name;
    RegionId region = 0;
    ValueId first_value = 0;
    std::uint32_t values = 0;
    OperatorId first_operator = 0;
    std::uint32_t operators = 0;
    std::span<const ValueId> inputs{};
    std::span<const ValueId> outputs{};

    // The position behind its last operator.
    [[nodiscard]] OperatorId end() const { return first_operator + operators; }
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
    std::vector<Region> regions;  // at least one, with at least one block
    std::vector<Block> blocks;
    std::vector<Value> values;
    // Block after block, in execution order: producers come first.
    std::vector<Operator> operators;
    std::vector<ValueId> operands;     // storage behind the spans of operators and blocks
    std::span<const ValueId> inputs;   // of the entry block: region 0, block 0
    std::span<const ValueId> outputs;  // likewise

    [[nodiscard]] std::span<const Operator> operators_of(const Block& block) const {
        return std::span(operators).subspan(block.first_operator, block.operators);
    }
    [[nodiscard]] std::span<const Value> values_of(const Block& block) const {
        return std::span(values).subspan(block.first_value, block.values);
    }
};

struct AnalysisOptions {
    std::uint64_t max_folded_constant_bytes = 1U << 20;  // of all outputs of an operator
};

// Parses, validates and analyses. Reads each byte of `artifact` as often as it
// likes, so the bytes must be private to the caller, not guest memory. They start at
// an address divisible by 8; a constant in them is aligned to 4 at least where it is
// embedded, but anyhow where the file says "at this offset".
[[nodiscard]] std::expected<Graph, GraphError> build_graph(std::span<const std::byte> artifact,
                                                           const Target& target,
                                                           const Limits& limits = {},
                                                           const AnalysisOptions& options = {});

}  // namespace tosa
