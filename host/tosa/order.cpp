// SPDX-License-Identifier: MIT
#include "tosa/order.hpp"

#include <algorithm>

#include "tosa/control_flow.hpp"
#include "tosa/variables.hpp"

namespace tosa {
namespace {

// A variable that several operators write in place. Nobody reads it before the first of
// them; who reads what after that, source order says.
bool is_shared(const Value& value) {
    return value.producers > 1;
}

// What waits for what. An operator waits for the producers of its inputs, and, where it
// touches variables, for the one before it in its block that does so as well.
class Dependencies {
 public:
    explicit Dependencies(const Graph& graph) : graph_(graph), first_(graph.values.size() + 1) {
        for (std::size_t id = 0; id < graph.values.size(); ++id)
            first_[id + 1] = first_[id] + graph.values[id].consumers;
        readers_.resize(first_.back());
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (OperatorId op = 0; op < graph.operators.size(); ++op)
            for (const ValueId input : graph.operators[op].inputs)
                readers_[next[input]++] = op;
        if (std::ranges::any_of(graph.operators, is_variable_operator, &Operator::op) ||
            std::ranges::any_of(graph.values, is_shared))
            chain_state();
    }

    [[nodiscard]] std::uint32_t count(OperatorId op) const {
        std::uint32_t producers = before(op) != kNoId;
        for (const ValueId input : graph_.operators[op].inputs)
            producers += graph_.values[input].producer != kNoId;
        return producers;
    }

    // Calls back with each operator that waits for this one.
    void each_waiting(OperatorId op, auto&& visit) const {
        for (const ValueId output : graph_.operators[op].outputs) {
            if (graph_.values[output].producer != op) continue;
            for (std::uint32_t i = first_[output]; i < first_[output + 1]; ++i)
                visit(readers_[i]);
        }
        if (!after_.empty() && after_[op] != kNoId) visit(after_[op]);
    }

    // One that `op` waits for and that `left_out` holds of.
    [[nodiscard]] OperatorId find(OperatorId op, auto&& left_out) const {
        for (const ValueId input : graph_.operators[op].inputs)
            if (const OperatorId id = graph_.values[input].producer; id != kNoId && left_out(id))
                return id;
        return before(op);
    }

 private:
    [[nodiscard]] OperatorId before(OperatorId op) const {
        return before_.empty() ? kNoId : before_[op];
    }

    [[nodiscard]] bool touches_state(const Operator& op) const {
        const auto shared = [&](ValueId id) { return is_shared(graph_.values[id]); };
        return is_variable_operator(op.op) || is_control_flow(op.op) ||
               std::ranges::any_of(op.inputs, shared) || std::ranges::any_of(op.outputs, shared);
    }

    void chain_state() {
        before_.resize(graph_.operators.size(), kNoId);
        after_.resize(graph_.operators.size(), kNoId);
        for (const Block& block : graph_.blocks) {
            OperatorId last = kNoId;
            for (OperatorId id = block.first_operator; id < block.end(); ++id) {
                if (!touches_state(graph_.operators[id])) continue;
                if (last != kNoId) after_[last] = id;
                before_[id] = last;
                last = id;
            }
        }
    }

    const Graph& graph_;
    std::vector<std::uint32_t> first_;  // of each value's readers
    std::vector<OperatorId> readers_;
    std::vector<OperatorId> before_;  // the chains of what touches variables, else empty
    std::vector<OperatorId> after_;
};

// Names one operator on a cycle: an operator left out waits for one that was left out too,
// so walking backwards meets itself.
std::unexpected<GraphError> cycle(const Graph& graph, const Dependencies& dependencies,
                                  const Block& block, std::span<const OperatorId> order) {
    std::vector<bool> ordered(graph.operators.size());
    for (const OperatorId id : order)
        ordered[id] = true;
    std::vector<bool> visited = ordered;
    auto id = static_cast<OperatorId>(
        std::find(visited.begin() + block.first_operator, visited.end(), false) - visited.begin());
    while (!visited[id]) {
        visited[id] = true;
        id = dependencies.find(id, [&](OperatorId other) { return !ordered[other]; });
    }
    return malformed(Code::DataflowCycle, "{} waits for its own result", operator_place(graph, id));
}

}  // namespace

Checked<std::vector<OperatorId>> execution_order(const Graph& graph) {
    const Dependencies dependencies(graph);
    std::vector<std::uint32_t> waiting(graph.operators.size());
    std::vector<OperatorId> order;
    order.reserve(graph.operators.size());
    for (const Block& block : graph.blocks) {
        for (OperatorId id = block.first_operator; id < block.end(); ++id) {
            waiting[id] = dependencies.count(id);
            if (waiting[id] == 0) order.push_back(id);
        }
        for (std::size_t done = block.first_operator; done < order.size(); ++done) {
            const auto before = static_cast<std::ptrdiff_t>(order.size());
            dependencies.each_waiting(order[done], [&](OperatorId reader) {
                if (--waiting[reader] == 0) order.push_back(reader);
            });
            std::sort(order.begin() + before, order.end());  // whatever they wait for
        }
        if (order.size() != block.end()) return cycle(graph, dependencies, block, order);
    }
    return order;
}

void apply_order(Graph& graph, std::span<const OperatorId> order) {
    std::vector<Operator> sorted;
    sorted.reserve(order.size());
    for (const OperatorId source : order)
        sorted.push_back(graph.operators[source]);
    graph.operators = std::move(sorted);
    // Backwards, so that of several producers the first one stays.
    for (std::size_t id = graph.operators.size(); id-- > 0;)
        for (const ValueId output : graph.operators[id].outputs)
            graph.values[output].producer = static_cast<OperatorId>(id);
}

}  // namespace tosa
