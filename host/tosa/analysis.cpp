// SPDX-License-Identifier: MIT
#include "tosa/analysis.hpp"

#include <algorithm>

#include "tosa/control_flow.hpp"
#include "tosa/variables.hpp"

namespace tosa {
namespace {

bool has_effects(Op op) {
    return op == Op::Custom || is_control_flow(op) || is_variable_operator(op);
}

// Backwards from the block outputs. The first reader met is the last one.
void mark_liveness(Graph& graph, const Block& block, std::vector<bool>& needed) {
    const auto need = [&](ValueId id, OperatorId position) {
        Value& value = graph.values[id];
        if (!needed[id]) value.last_use = position;
        needed[id] = true;
        value.first_use = position;
    };
    for (const ValueId output : block.outputs)
        need(output, block.end());
    for (OperatorId position = block.end(); position-- > block.first_operator;) {
        Operator& op = graph.operators[position];
        const bool dead = !has_effects(op.op) &&
                          std::ranges::none_of(op.outputs, [&](ValueId id) { return needed[id]; });
        if (dead) {
            op.hints |= hint::kDead;
            continue;
        }
        for (const ValueId input : op.inputs)
            need(input, position);
    }
}

bool is_foldable(Op op) {
    return op == Op::Identity || op == Op::Reshape || op == Op::Transpose || op == Op::Reverse ||
           op == Op::Slice || op == Op::Tile || op == Op::Concat;
}

// In execution order, so that what folds makes its readers fold.
void mark_foldable(Graph& graph, Operator& op, std::uint64_t max_bytes) {
    if (!is_foldable(op.op)) return;
    const auto plain = [&](ValueId id) {
        return graph.values[id].constness != Constness::NonConstant;
    };
    if (!std::ranges::all_of(op.inputs, plain)) return;
    for (const ValueId id : op.outputs) {
        const Value& value = graph.values[id];
        if (value.variable || value.bytes > max_bytes) return;
        max_bytes -= value.bytes;
    }
    op.hints |= hint::kFoldConstant;
    for (const ValueId id : op.outputs)
        graph.values[id].constness = Constness::Foldable;
}

// The operator before does the same, and nobody else wants its result.
bool composes(const Graph& graph, const Operator& op) {
    const Value& in = graph.values[op.inputs[0]];
    return in.consumers == 1 && in.producers == 1 && graph.operators[in.producer].op == op.op;
}

std::uint32_t hints(const Graph& graph, const Operator& op) {
    switch (op.op) {
        case Op::Identity:
            return hint::kAliasInputZero;
        case Op::Reshape:
            return hint::kAliasInputZero | (composes(graph, op) ? hint::kComposeReshape : 0);
        case Op::Transpose:
            return composes(graph, op) ? hint::kComposeTranspose : 0;
        case Op::Custom:
            return hint::kCustom;
        case Op::CondIf:
        case Op::WhileLoop:
            return hint::kControlFlow;
        default:
            return 0;
    }
}

}  // namespace

void analyze(Graph& graph, const AnalysisOptions& options) {
    std::vector<bool> needed(graph.values.size());
    for (const Block& block : graph.blocks)
        mark_liveness(graph, block, needed);
    for (Operator& op : graph.operators) {
        op.hints |= hints(graph, op);
        mark_foldable(graph, op, options.max_folded_constant_bytes);
    }
}

}  // namespace tosa
