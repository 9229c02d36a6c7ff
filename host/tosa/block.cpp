// SPDX-License-Identifier: MIT
#include "tosa/block.hpp"

#include <algorithm>
#include <utility>

#include "tosa/encoding.hpp"
#include "tosa/values.hpp"

namespace tosa {
namespace {

constexpr std::uint32_t kLastDraftOp = 98;

using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

std::size_t size(const auto* vector) {
    return vector == nullptr ? 0 : vector->size();
}

// The names of a block's values, sorted once, then searched for each reference.
class Symbols {
 public:
    [[nodiscard]] static Checked<Symbols> index(const std::vector<Value>& values) {
        Symbols symbols;
        symbols.sorted_.reserve(values.size());
        for (ValueId id = 0; id < values.size(); ++id)
            symbols.sorted_.emplace_back(values[id].name, id);
        std::ranges::sort(symbols.sorted_);
        const auto twice = std::ranges::adjacent_find(symbols.sorted_, {}, &Symbol::first);
        if (twice != symbols.sorted_.end())
            return malformed("two values are named {}", quoted(twice->first));
        return symbols;
    }

    [[nodiscard]] Checked<ValueId> find(const flatbuffers::String& name) const {
        const std::string_view wanted = name.string_view();
        const auto found = std::ranges::lower_bound(sorted_, wanted, {}, &Symbol::first);
        if (found == sorted_.end() || found->first != wanted)
            return malformed("no tensor or shape is named {}", quoted(wanted));
        return found->second;
    }

 private:
    using Symbol = std::pair<std::string_view, ValueId>;
    std::vector<Symbol> sorted_;
};

Checked<void> check_opcode(std::uint32_t number) {
    if (number == 0 || number > kLastDraftOp) return malformed("{} is no opcode", number);
    if (number > kLastStableOp)
        return unsupported("opcode {} is from a draft of a later version", number);
    return {};
}

Checked<void> check_attribute(const fbs::TosaOperator& op) {
    const auto tag = static_cast<std::uint32_t>(op.attribute_type());
    if (tag != static_cast<std::uint32_t>(op.op()))
        return malformed("its attribute is of opcode {}", tag);
    if (op.attribute() == nullptr) return malformed("its attribute is missing");
    return {};
}

class BlockReader {
 public:
    BlockReader(const fbs::TosaBasicBlock& block, Symbols symbols, std::vector<Value> values)
        : block_(block), symbols_(std::move(symbols)) {
        graph_.values = std::move(values);
    }

    [[nodiscard]] Checked<Graph> read() && {
        reserve();
        for (std::size_t i = 0; i < size(block_.operators()); ++i) {
            const fbs::TosaOperator& op = *block_.operators()->Get(static_cast<unsigned>(i));
            if (const auto read = read_operator(op); !read)
                return std::unexpected(
                    at(operator_place(i, static_cast<Op>(op.op())), read.error()));
        }
        if (const auto read = read_io(block_.inputs(), graph_.inputs); !read)
            return std::unexpected(at("block inputs", read.error()));
        if (const auto read = read_io(block_.outputs(), graph_.outputs); !read)
            return std::unexpected(at("block outputs", read.error()));
        return std::move(graph_);
    }

 private:
    // The operators' spans point into `operands`, which must therefore never grow.
    void reserve() {
        const auto* operators = block_.operators();
        graph_.operators.reserve(size(operators));
        std::size_t operands = 0;
        for (std::size_t i = 0; i < size(operators); ++i) {
            const fbs::TosaOperator& op = *operators->Get(static_cast<unsigned>(i));
            operands += size(op.inputs()) + size(op.outputs());
        }
        graph_.operands.reserve(operands);
    }

    [[nodiscard]] Checked<void> resolve(const Names* names, std::vector<ValueId>& ids) const {
        for (std::size_t i = 0; i < size(names); ++i) {
            const auto id = symbols_.find(*names->Get(static_cast<unsigned>(i)));
            if (!id) return std::unexpected(id.error());
            ids.push_back(*id);
        }
        return {};
    }

    [[nodiscard]] Checked<std::span<const ValueId>> read_operands(const Names* names) {
        const std::size_t first = graph_.operands.size();
        if (const auto resolved = resolve(names, graph_.operands); !resolved)
            return std::unexpected(resolved.error());
        return std::span(graph_.operands).subspan(first);
    }

    [[nodiscard]] Checked<void> read_operator(const fbs::TosaOperator& serialized) {
        if (auto known = check_opcode(static_cast<std::uint32_t>(serialized.op())); !known)
            return known;
        if (auto attribute = check_attribute(serialized); !attribute) return attribute;
        const auto inputs = read_operands(serialized.inputs());
        if (!inputs) return std::unexpected(inputs.error());
        const auto outputs = read_operands(serialized.outputs());
        if (!outputs) return std::unexpected(outputs.error());

        const auto id = static_cast<OperatorId>(graph_.operators.size());
        for (const ValueId input : *inputs)
            ++graph_.values[input].consumers;
        for (const ValueId output : *outputs) {
            Value& value = graph_.values[output];
            if (value.producer != kNoId)
                return malformed("{} already has a producer, operator {}", quoted(value.name),
                                 value.producer);
            value.producer = id;
        }
        graph_.operators.push_back({.op = static_cast<Op>(serialized.op()),
                                    .inputs = *inputs,
                                    .outputs = *outputs,
                                    .serialized = &serialized});
        return {};
    }

    [[nodiscard]] Checked<void> read_io(const Names* names, std::vector<ValueId>& ids) const {
        ids.reserve(size(names));
        if (auto resolved = resolve(names, ids); !resolved) return resolved;
        for (const ValueId id : ids)
            if (graph_.values[id].type == DType::Shape)
                return malformed("{} is a shape, not a tensor", quoted(graph_.values[id].name));
        return {};
    }

    const fbs::TosaBasicBlock& block_;
    Symbols symbols_;
    Graph graph_;
};

}  // namespace

Checked<Graph> read_block(const fbs::TosaBasicBlock& block, std::span<const std::byte> file,
                          const Limits& limits) {
    if (size(block.operators()) > limits.operators) return exceeded("operators", limits.operators);
    auto values = read_values(block, file, limits);
    if (!values) return std::unexpected(values.error());
    auto symbols = Symbols::index(*values);
    if (!symbols) return std::unexpected(symbols.error());
    return BlockReader(block, std::move(*symbols), std::move(*values)).read();
}

}  // namespace tosa
