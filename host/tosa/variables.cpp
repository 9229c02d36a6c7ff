// SPDX-License-Identifier: MIT
#include "tosa/variables.hpp"

#include <algorithm>

namespace tosa {
namespace {

bool has_variables(const Target& target) {
    return (target.extensions & kExtensionVariable) != 0;
}

std::unexpected<GraphError> disagree(const Graph& graph, const Value& first, const Value& second,
                                     std::string_view what) {
    return malformed(
        Code::InvalidVariable, "{}: variable {}: {} and {} of {} are not of the same {}",
        block_place(graph, second.block), quoted(second.variable_name), quoted(second.name),
        quoted(first.name), block_place(graph, first.block), what);
}

}  // namespace

Checked<void> check_variable(const Value& value, const Target& target) {
    if (!value.variable) {
        if (value.variable_name.empty()) return {};
        return malformed(Code::InvalidVariable,
                         "tensor {}: it has a variable name, but is no variable",
                         quoted(value.name));
    }
    if (!has_variables(target))
        return malformed(Code::InvalidVariable, "tensor {}: a variable needs EXT-VARIABLE",
                         quoted(value.name));
    if (value.variable_name.empty())
        return malformed(Code::InvalidVariable, "tensor {}: it is a variable without a name",
                         quoted(value.name));
    return {};
}

Checked<void> check_variables_agree(const Graph& graph) {
    std::vector<ValueId> variables;
    variables.reserve(static_cast<std::size_t>(
        std::ranges::count_if(graph.values, [](const Value& value) { return value.variable; })));
    for (ValueId id = 0; id < graph.values.size(); ++id)
        if (graph.values[id].variable) variables.push_back(id);
    std::ranges::sort(variables, {},
                      [&](ValueId id) { return std::pair(graph.values[id].variable_name, id); });
    const Value* first = nullptr;    // of the same variable
    const Value* initial = nullptr;  // the first with contents
    for (const ValueId id : variables) {
        const Value& value = graph.values[id];
        if (first == nullptr || first->variable_name != value.variable_name) {
            first = &value;
            initial = nullptr;
        }
        if (first->type != value.type || first->unranked != value.unranked)
            return disagree(graph, *first, value, "type");
        if (!std::ranges::equal(first->dims, value.dims))
            return disagree(graph, *first, value, "shape");
        if (value.data.empty()) continue;
        if (initial == nullptr) initial = &value;
        if (!std::ranges::equal(initial->data, value.data))
            return disagree(graph, *initial, value, "initial value");
    }
    return {};
}

}  // namespace tosa
