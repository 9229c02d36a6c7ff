// SPDX-License-Identifier: MIT
#include "tosa/block.hpp"

#include "tosa/values.hpp"

namespace tosa {
namespace {

constexpr std::uint32_t kLastDraftOp = 98;

using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

std::uint32_t size(const auto* vector) {
    return vector == nullptr ? 0 : vector->size();
}

Checked<void> check_opcode(std::uint32_t number) {
    if (number == 0 || number > kLastDraftOp)
        return malformed(Code::UnknownOperator, "{} is no opcode", number);
    if (number > kLastStableOp)
        return unsupported(Code::UnsupportedOperator,
                           "opcode {} is from a draft of a later version", number);
    return {};
}

Checked<void> check_attribute(const fbs::TosaOperator& op) {
    const auto tag = static_cast<std::uint32_t>(op.attribute_type());
    if (tag != 0 && tag != static_cast<std::uint32_t>(op.op()))
        return malformed(Code::AttributeMismatch, "its attribute is of opcode {}", tag);
    if (tag == 0 || op.attribute() == nullptr)
        return malformed(Code::MissingAttribute, "its attribute is missing");
    return {};
}

class BlockReader {
 public:
    BlockReader(const fbs::TosaBasicBlock& serialized, BlockScope& scope, Graph& graph)
        : serialized_(serialized), scope_(scope), graph_(graph), block_(graph.blocks.back()) {}

    [[nodiscard]] Checked<void> read() {
        if (auto indexed = read_symbols(); !indexed) return indexed;
        for (std::uint32_t i = 0; i < size(serialized_.operators()); ++i) {
            const fbs::TosaOperator& op = *serialized_.operators()->Get(i);
            if (const auto read = read_operator(op, i); !read)
                return std::unexpected(
                    at(operator_place(i, static_cast<Op>(op.op())), read.error()));
        }
        block_.operators = size(serialized_.operators());
        const auto inputs = resolve(serialized_.inputs());
        if (!inputs) return std::unexpected(at("block inputs", inputs.error()));
        block_.inputs = *inputs;
        const auto outputs = resolve(serialized_.outputs());
        if (!outputs) return std::unexpected(at("block outputs", outputs.error()));
        block_.outputs = *outputs;
        return {};
    }

 private:
    [[nodiscard]] Checked<void> read_symbols() {
        const auto id = static_cast<BlockId>(graph_.blocks.size() - 1);
        if (auto read = read_values(serialized_, id, scope_.source, graph_.values); !read)
            return read;
        block_.values = static_cast<std::uint32_t>(graph_.values.size()) - block_.first_value;
        scope_.symbols.clear();
        for (std::uint32_t i = 0; i < block_.values; ++i)
            scope_.symbols.add(graph_.values[block_.first_value + i].name, block_.first_value + i);
        if (const auto twice = scope_.symbols.sort())
            return malformed(Code::DuplicateName, "two values are named {}", quoted(*twice));
        return {};
    }

    [[nodiscard]] Checked<std::span<const ValueId>> resolve(const Names* names) {
        const std::size_t first = graph_.operands.size();
        for (std::uint32_t i = 0; i < size(names); ++i) {
            const auto name = scope_.source.use(*names->Get(i));
            if (!name) return std::unexpected(name.error());
            const auto id = scope_.symbols.find(*name);
            if (!id)
                return malformed(Code::UnknownSymbol, "no tensor or shape is named {}",
                                 quoted(*name));
            graph_.operands.push_back(*id);
        }
        return std::span(graph_.operands).subspan(first);
    }

    // Whether the region exists is a matter of validation.
    [[nodiscard]] Checked<RegionId> find_region(const flatbuffers::String* name) {
        if (name == nullptr) return kNoId;
        return scope_.source.use(*name).transform(
            [&](std::string_view used) { return scope_.regions.find(used).value_or(kNoId); });
    }

    [[nodiscard]] Checked<void> read_regions(Operator& op) {
        const auto set = [&](std::size_t i, const flatbuffers::String* name) {
            return find_region(name).transform([&](RegionId id) { op.regions.at(i) = id; });
        };
        if (op.op == Op::CondIf) {
            const auto& attribute = *op.serialized->attribute_as_CondIfAttribute();
            return set(0, attribute.then_graph()).and_then([&] {
                return set(1, attribute.else_graph());
            });
        }
        if (op.op == Op::WhileLoop) {
            const auto& attribute = *op.serialized->attribute_as_WhileLoopAttribute();
            return set(0, attribute.cond_graph()).and_then([&] {
                return set(1, attribute.body_graph());
            });
        }
        return {};
    }

    [[nodiscard]] Checked<void> read_operator(const fbs::TosaOperator& serialized,
                                              std::uint32_t source) {
        if (auto known = check_opcode(static_cast<std::uint32_t>(serialized.op())); !known)
            return known;
        if (auto attribute = check_attribute(serialized); !attribute) return attribute;
        const auto inputs = resolve(serialized.inputs());
        if (!inputs) return std::unexpected(inputs.error());
        const auto outputs = resolve(serialized.outputs());
        if (!outputs) return std::unexpected(outputs.error());
        Operator op{.op = static_cast<Op>(serialized.op()),
                    .source = source,
                    .inputs = *inputs,
                    .outputs = *outputs,
                    .serialized = &serialized};
        if (auto regions = read_regions(op); !regions) return regions;
        if (auto connected = connect(op); !connected) return connected;
        graph_.operators.push_back(op);
        return {};
    }

    // Counts uses and producers, of which only a variable may have several, each of another
    // operator.
    [[nodiscard]] Checked<void> connect(const Operator& op) {
        for (const ValueId input : op.inputs)
            ++graph_.values[input].consumers;
        const auto id = static_cast<OperatorId>(graph_.operators.size());
        for (const ValueId output : op.outputs) {
            Value& value = graph_.values[output];
            if (value.producers++ == 0)
                value.producer = id;
            else if (!value.variable || value.producer == id)
                return malformed(Code::MultipleProducers, "{} already has a producer, operator {}",
                                 quoted(value.name), value.producer - block_.first_operator);
        }
        return {};
    }

    const fbs::TosaBasicBlock& serialized_;
    BlockScope& scope_;
    Graph& graph_;
    Block& block_;
};

}  // namespace

Checked<void> read_block(const fbs::TosaBasicBlock& serialized, BlockScope& scope, Graph& graph) {
    return BlockReader(serialized, scope, graph).read();
}

}  // namespace tosa
