// SPDX-License-Identifier: MIT
#include "tosa/order.hpp"

#include <algorithm>

namespace tosa {
namespace {

// Which operators read each value, ascending, in one array.
class Readers {
 public:
    explicit Readers(const Graph& graph) : first_(graph.values.size() + 1) {
        for (std::size_t id = 0; id < graph.values.size(); ++id)
            first_[id + 1] = first_[id] + graph.values[id].consumers;
        readers_.resize(first_.back());
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (OperatorId op = 0; op < graph.operators.size(); ++op)
            for (const ValueId input : graph.operators[op].inputs)
                readers_[next[input]++] = op;
    }

    [[nodiscard]] std::span<const OperatorId> of(ValueId id) const {
        return std::span(readers_).subspan(first_[id], first_[id + 1] - first_[id]);
    }

 private:
    std::vector<std::uint32_t> first_;
    std::vector<OperatorId> readers_;
};

// Source indices in execution order. Operators on a cycle, or behind one, are left out.
std::vector<OperatorId> execution_order(const Graph& graph) {
    const Readers readers(graph);
    std::vector<std::uint32_t> waiting(graph.operators.size());
    std::vector<OperatorId> order;
    order.reserve(graph.operators.size());
    for (OperatorId id = 0; id < graph.operators.size(); ++id) {
        for (const ValueId input : graph.operators[id].inputs)
            waiting[id] += graph.values[input].producer != kNoId;
        if (waiting[id] == 0) order.push_back(id);
    }
    for (std::size_t done = 0; done < order.size(); ++done)
        for (const ValueId output : graph.operators[order[done]].outputs)
            for (const OperatorId reader : readers.of(output))
                if (--waiting[reader] == 0) order.push_back(reader);
    return order;
}

// Names one operator on a cycle: an operator left out has an input whose producer
// was left out too, so walking from producer to producer meets itself.
std::unexpected<GraphError> cycle(const Graph& graph, std::span<const OperatorId> order) {
    std::vector<bool> visited(graph.operators.size());
    for (const OperatorId id : order)
        visited[id] = true;
    auto id = static_cast<OperatorId>(std::ranges::find(visited, false) - visited.begin());
    const std::vector<bool> ordered = visited;
    const auto blocks = [&](ValueId input) {
        const OperatorId producer = graph.values[input].producer;
        return producer != kNoId && !ordered[producer];
    };
    while (!visited[id]) {
        visited[id] = true;
        id = graph.values[*std::ranges::find_if(graph.operators[id].inputs, blocks)].producer;
    }
    return malformed("{} waits for its own result", operator_place(id, graph.operators[id].op));
}

void apply(Graph& graph, std::span<const OperatorId> order) {
    std::vector<Operator> sorted;
    sorted.reserve(order.size());
    for (const OperatorId source : order) {
        for (const ValueId output : graph.operators[source].outputs)
            graph.values[output].producer = static_cast<OperatorId>(sorted.size());
        sorted.push_back(graph.operators[source]);
    }
    graph.operators = std::move(sorted);
}

bool has_effects(Op op) {
    return op == Op::Custom || op == Op::CondIf || op == Op::WhileLoop || op == Op::Variable ||
           op == Op::VariableWrite || op == Op::VariableRead;
}

// Backwards from the block outputs. The first reader met is the last one.
void mark_liveness(Graph& graph) {
    std::vector<bool> needed(graph.values.size());
    const auto need = [&](ValueId id, std::size_t position) {
        if (needed[id]) return;
        needed[id] = true;
        graph.values[id].last_use = static_cast<std::uint32_t>(position);
    };
    for (const ValueId output : graph.outputs)
        need(output, graph.operators.size());
    for (std::size_t position = graph.operators.size(); position-- > 0;) {
        Operator& op = graph.operators[position];
        op.dead = !has_effects(op.op) &&
                  std::ranges::none_of(op.outputs, [&](ValueId id) { return needed[id]; });
        if (op.dead) continue;
        for (const ValueId input : op.inputs)
            need(input, position);
    }
}

}  // namespace

Checked<void> order(Graph& graph) {
    const std::vector<OperatorId> order = execution_order(graph);
    if (order.size() != graph.operators.size()) return cycle(graph, order);
    apply(graph, order);
    mark_liveness(graph);
    return {};
}

}  // namespace tosa
