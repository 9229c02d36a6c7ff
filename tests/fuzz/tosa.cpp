// SPDX-License-Identifier: MIT
//
// TOSA files: whatever the bytes, parsing ends, and a graph that is accepted can be relied
// on without a further look at the file.
#include <algorithm>
#include <vector>

#include "fuzz/input.hpp"
#include "fuzz/tosa_mutator.hpp"
#include "tosa/encoding.hpp"
#include "tosa/graph.hpp"

namespace {

constexpr tosa::Target kEverything{.profiles = tosa::kProfileInteger | tosa::kProfileFloat,
                                   .extensions = (1U << 11) - 1};

bool inside(std::span<const std::byte> part, std::span<const std::byte> whole) {
    return part.empty() || (part.data() >= whole.data() &&
                            part.data() + part.size() <= whole.data() + whole.size());
}

void check_value(const tosa::Value& value, std::span<const std::byte> file) {
    fuzz::require(inside(value.data, file) && inside(std::as_bytes(value.dims), file) &&
                      inside(std::as_bytes(std::span(value.name)), file),
                  "a value's views lie in the file");
    fuzz::require(value.data.empty() ||
                      value.data.size() == (value.type == tosa::DType::Shape
                                                ? value.bytes
                                                : tosa::constant_bytes(value.type, value.elements)),
                  "a constant has the size of its value");
    fuzz::require(value.data.empty() || value.constant() || value.variable,
                  "only constants and variables have contents");
    fuzz::require(value.producers < 2 || value.variable, "only a variable is made several times");
    fuzz::require(std::ranges::all_of(value.dims, [](std::int32_t extent) { return extent >= 1; }),
                  "no extent is below 1");
}

void check_blocks(const tosa::Graph& graph, const std::vector<bool>& there) {
    std::size_t values = 0;
    std::size_t operators = 0;
    for (const tosa::Block& block : graph.blocks) {
        fuzz::require(block.first_value == values && block.first_operator == operators &&
                          block.region < graph.regions.size(),
                      "blocks follow one another");
        values += block.values;
        operators += block.operators;
        for (const auto& ids : {block.inputs, block.outputs})
            for (const tosa::ValueId id : ids)
                fuzz::require(id - block.first_value < block.values && there[id],
                              "an input or output is there");
        for (const tosa::Operator& op : graph.operators_of(block))
            for (const auto& ids : {op.inputs, op.outputs})
                for (const tosa::ValueId id : ids)
                    fuzz::require(id - block.first_value < block.values,
                                  "operands are of the operator's block");
    }
    fuzz::require(values == graph.values.size() && operators == graph.operators.size(),
                  "blocks hold everything");
}

void check_graph(const tosa::Graph& graph, std::span<const std::byte> file) {
    for (const tosa::Value& value : graph.values)
        check_value(value, file);
    std::vector<bool> there(graph.values.size());
    for (std::size_t id = 0; id < graph.values.size(); ++id)
        there[id] = graph.values[id].producer == tosa::kNoId;
    for (std::size_t place = 0; place < graph.operators.size(); ++place) {
        const tosa::Operator& op = graph.operators[place];
        fuzz::require(op.serialized != nullptr, "an operator has its attribute");
        if (op.op == tosa::Op::CondIf || op.op == tosa::Op::WhileLoop)
            for (const tosa::RegionId region : op.regions)
                fuzz::require(region < graph.regions.size(), "a region is there");
        for (const tosa::ValueId id : op.inputs)
            fuzz::require(id < there.size() && there[id], "an operand is made before its use");
        for (const tosa::ValueId id : op.outputs) {
            fuzz::require(id < there.size() && there[id] == (graph.values[id].producer != place) &&
                              (!there[id] || graph.values[id].producers > 1),
                          "a result is made first where its value says, and once");
            there[id] = true;
        }
    }
    check_blocks(graph, there);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const std::vector<std::byte> file(bytes.begin(), bytes.end());
    for (const tosa::Target& target : {tosa::kFloatTarget, kEverything}) {
        const auto graph = tosa::build_graph(file, target);
        if (graph) check_graph(*graph, file);
        fuzz::require(graph || !graph.error().message.empty(), "a refusal has a reason");
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Half of the changes leave the file well formed.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
    std::minstd_rand random(seed);
    if (random() % 2 == 0 && fuzz::mutate_tosa({data, size}, random)) return size;
    return LLVMFuzzerMutate(data, size, max_size);
}
