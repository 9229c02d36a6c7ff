// SPDX-License-Identifier: MIT
#include "cpu/chains.hpp"

#include <algorithm>
#include <numeric>

#include "cpu/kernels/elementwise.hpp"

namespace cpu {
namespace {

class Chains {
 public:
    explicit Chains(const tosa::Graph& graph)
        : graph_(graph),
          reader_(graph.values.size(), kNobody),
          end_(graph.operators.size()),
          length_(graph.operators.size(), 1) {
        std::iota(end_.begin(), end_.end(), 0);
    }

    [[nodiscard]] std::vector<tosa::OperatorId> ends() && {
        find_readers();
        // Readers first: each has its end when what it reads is looked at.
        for (auto at = static_cast<tosa::OperatorId>(graph_.operators.size()); at-- > 0;)
            join_reader(at);
        return std::move(end_);
    }

 private:
    static constexpr tosa::OperatorId kNobody = tosa::kNoId;
    static constexpr tosa::OperatorId kSeveral = tosa::kNoId - 1;

    void find_readers() {
        for (tosa::OperatorId at = 0; at < graph_.operators.size(); ++at) {
            if (graph_.operators[at].dead()) continue;
            for (const tosa::ValueId id : graph_.operators[at].inputs)
                reader_[id] = reader_[id] == kNobody ? at : kSeveral;
        }
        for (const tosa::Block& block : graph_.blocks)
            for (const tosa::ValueId id : block.outputs)
                reader_[id] = kSeveral;
    }

    void join_reader(tosa::OperatorId at) {
        const tosa::Operator& op = graph_.operators[at];
        if (op.dead() || op.outputs.size() != 1) return;
        // What reads a variable's tensor must not wait until it is written again.
        if (std::ranges::any_of(op.inputs,
                                [&](tosa::ValueId id) { return graph_.values[id].producers > 1; }))
            return;
        const tosa::OperatorId reader = reader_[op.outputs[0]];
        if (reader == kNobody || reader == kSeveral) return;
        const tosa::OperatorId end = end_[reader];
        if (length_[end] == elementwise::kMaxChain || !same_shape(op, graph_.operators[reader]))
            return;
        if (!elementwise::lower(graph_, op) ||
            !elementwise::lower(graph_, graph_.operators[reader]))
            return;
        end_[at] = end;
        ++length_[end];
    }

    // A result that is broadcast would be computed again and again.
    [[nodiscard]] bool same_shape(const tosa::Operator& a, const tosa::Operator& b) const {
        return std::ranges::equal(graph_.values[a.outputs[0]].dims,
                                  graph_.values[b.outputs[0]].dims);
    }

    const tosa::Graph& graph_;
    std::vector<tosa::OperatorId> reader_;  // of each value
    std::vector<tosa::OperatorId> end_;     // of each operator
    std::vector<std::size_t> length_;       // of the chain that ends with an operator
};

}  // namespace

std::vector<tosa::OperatorId> chain_ends(const tosa::Graph& graph) {
    return Chains(graph).ends();
}

}  // namespace cpu
