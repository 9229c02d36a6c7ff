// SPDX-License-Identifier: MIT
//
// TOSA files: whatever the bytes, parsing ends, and a graph that is accepted can be relied
// on without a further look at the file.
#include <algorithm>
#include <vector>

#include "fuzz/input.hpp"
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
    fuzz::require(!value.constant() || value.data.size() == value.bytes,
                  "a constant has the size of its value");
    fuzz::require(std::ranges::all_of(value.dims, [](std::int32_t extent) { return extent >= 1; }),
                  "no extent is below 1");
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
        for (const tosa::ValueId id : op.inputs)
            fuzz::require(id < there.size() && there[id], "an operand is made before its use");
        for (const tosa::ValueId id : op.outputs) {
            fuzz::require(id < there.size() && !there[id] && graph.values[id].producer == place,
                          "a result is made once, where its value says");
            there[id] = true;
        }
    }
    for (const auto& ids : {graph.inputs, graph.outputs})
        for (const tosa::ValueId id : ids)
            fuzz::require(id < there.size() && there[id], "an input or output is there");
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
