// SPDX-License-Identifier: MIT
#include "tosa/validate.hpp"

#include "tosa/control_flow.hpp"
#include "tosa/rules.hpp"

namespace tosa {
namespace {

Checked<void> check_ranked(const Subject& subject) {
    for (const auto ids : {subject.op.inputs, subject.op.outputs})
        for (const ValueId id : ids)
            if (const Value& value = subject.graph.values[id]; value.unranked)
                return malformed(Code::InvalidRank, "{} is unranked", quoted(value.name));
    return {};
}

Checked<void> check(const Subject& subject) {
    return check_ranked(subject).and_then([&] { return check_operator(subject); }).and_then([&] {
        return is_control_flow(subject.op.op) ? check_signature(subject) : Checked<void>{};
    });
}

}  // namespace

Checked<void> validate(const Graph& graph) {
    const LevelLimits level = level_limits(graph.target.level);
    SoundConstants sound;
    for (OperatorId id = 0; id < graph.operators.size(); ++id)
        if (const auto checked = check({graph, graph.operators[id], level, sound}); !checked)
            return std::unexpected(at(operator_place(graph, id), checked.error()));
    return {};
}

}  // namespace tosa
