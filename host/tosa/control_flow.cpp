// SPDX-License-Identifier: MIT
#include "tosa/control_flow.hpp"

#include <algorithm>

#include "tosa_generated.h"

namespace tosa {
namespace {

// What the operator calls its region 0 or 1.
std::string_view role(Op op, std::size_t i) {
    if (op == Op::CondIf) return i == 0 ? "then_graph" : "else_graph";
    return i == 0 ? "cond_graph" : "body_graph";
}

const flatbuffers::String* region_name(const Operator& op, std::size_t i) {
    if (op.op == Op::CondIf) {
        const auto& attribute = *op.serialized->attribute_as_CondIfAttribute();
        return i == 0 ? attribute.then_graph() : attribute.else_graph();
    }
    const auto& attribute = *op.serialized->attribute_as_WhileLoopAttribute();
    return i == 0 ? attribute.cond_graph() : attribute.body_graph();
}

Checked<void> check_regions_exist(const Operator& op) {
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
        if (op.regions.at(i) != kNoId) continue;
        const auto* name = region_name(op, i);
        if (name == nullptr || name->size() == 0)
            return malformed(Code::InvalidAttribute, "its {} is empty", role(op.op, i));
        return malformed(Code::UnknownControlFlowRegion, "no region is named {}, its {}",
                         quoted(name->string_view()), role(op.op, i));
    }
    return {};
}

// The control-flow operators of each region, in one array.
class Callers {
 public:
    explicit Callers(const Graph& graph) : graph_(graph), first_(graph.regions.size() + 1) {
        const auto each = [&](auto&& visit) {
            for (const Block& block : graph.blocks)
                for (OperatorId id = block.first_operator; id < block.end(); ++id)
                    if (is_control_flow(graph.operators[id].op)) visit(block.region, id);
        };
        each([&](RegionId region, OperatorId) { ++first_[region + 1]; });
        for (std::size_t region = 0; region < graph.regions.size(); ++region)
            first_[region + 1] += first_[region];
        operators_.reserve(first_.back());
        // Blocks come region by region, so this is sorted by region.
        each([&](RegionId, OperatorId id) { operators_.push_back(id); });
    }

    [[nodiscard]] std::span<const OperatorId> all() const { return operators_; }
    [[nodiscard]] std::span<const OperatorId> of(RegionId region) const {
        return std::span(operators_).subspan(first_[region], first_[region + 1] - first_[region]);
    }
    [[nodiscard]] const Operator& at(OperatorId id) const { return graph_.operators[id]; }

 private:
    const Graph& graph_;
    std::vector<std::uint32_t> first_;
    std::vector<OperatorId> operators_;
};

// Kahn's algorithm over regions, from those that none names, with the depth of each.
class Nesting {
 public:
    Nesting(const Graph& graph, const Callers& callers)
        : graph_(graph),
          callers_(callers),
          waiting_(graph.regions.size()),
          depth_(graph.regions.size()) {
        for (const OperatorId id : callers.all())
            for (const RegionId inner : callers.at(id).regions)
                ++waiting_[inner];
        ready_.reserve(graph.regions.size());
        for (RegionId region = 0; region < graph.regions.size(); ++region)
            if (waiting_[region] == 0) ready_.push_back(region);
    }

    [[nodiscard]] Checked<void> check(std::uint32_t deepest) && {
        for (std::size_t done = 0; done < ready_.size(); ++done)
            for (const OperatorId id : callers_.of(ready_[done]))
                for (const RegionId inner : callers_.at(id).regions) {
                    depth_[inner] = depth_[ready_[done]] + 1;  // the last caller is the deepest
                    if (depth_[inner] > deepest) return too_deep(id, inner, deepest);
                    if (--waiting_[inner] == 0) ready_.push_back(inner);
                }
        if (ready_.size() == graph_.regions.size()) return {};
        return cycle();
    }

 private:
    [[nodiscard]] std::unexpected<GraphError> too_deep(OperatorId caller, RegionId region,
                                                       std::uint32_t deepest) const {
        return malformed(
            Code::ControlFlowNestingLimit, "{}: region {} is nested deeper than the level's {}",
            operator_place(graph_, caller), quoted(graph_.regions[region].name), deepest);
    }

    // Names an operator on a cycle: a region left out is named by one that was left out
    // too, so walking from caller to caller meets itself.
    [[nodiscard]] std::unexpected<GraphError> cycle() const {
        std::vector<OperatorId> caller_of(graph_.regions.size(), kNoId);
        std::vector<RegionId> outer(graph_.regions.size(), kNoId);
        for (RegionId region = 0; region < graph_.regions.size(); ++region) {
            if (waiting_[region] == 0) continue;
            for (const OperatorId id : callers_.of(region))
                for (const RegionId inner : callers_.at(id).regions) {
                    caller_of[inner] = id;
                    outer[inner] = region;
                }
        }
        auto at = static_cast<RegionId>(
            std::ranges::find_if(waiting_, [](std::uint32_t n) { return n != 0; }) -
            waiting_.begin());
        for (std::vector<bool> visited(graph_.regions.size()); !visited[at]; at = outer[at])
            visited[at] = true;
        return malformed(Code::ControlFlowCycle, "{}: region {} leads back to itself",
                         operator_place(graph_, caller_of[at]), quoted(graph_.regions[at].name));
    }

    const Graph& graph_;
    const Callers& callers_;
    std::vector<std::uint32_t> waiting_;  // for so many callers
    std::vector<std::uint32_t> depth_;
    std::vector<RegionId> ready_;
};

using Ids = std::span<const ValueId>;

bool same_kind(const Value& a, const Value& b) {
    return a.type == b.type && std::ranges::equal(a.dims, b.dims);
}

std::string kind(const Value& value) {
    return std::format("{} {}", name(value.type), text(value.dims));
}

// Two lists that have to be of the same types and shapes.
Checked<void> match(const Graph& graph, Ids ours, std::string_view our_name, Ids theirs,
                    std::string_view their_name) {
    if (ours.size() != theirs.size())
        return malformed(Code::ControlFlowSignature, "{} {}, but {} {}", ours.size(), our_name,
                         theirs.size(), their_name);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const Value& a = graph.values[ours[i]];
        const Value& b = graph.values[theirs[i]];
        if (!same_kind(a, b))
            return malformed(Code::ControlFlowSignature, "{} is {}, but {} of the {} is {}",
                             quoted(a.name), kind(a), quoted(b.name), their_name, kind(b));
    }
    return {};
}

const Block& entry(const Graph& graph, RegionId region) {
    return graph.blocks[graph.regions[region].first_block];
}

// One region takes these inputs and gives these outputs.
Checked<void> match_region(const Subject& subject, std::size_t i, Ids inputs, Ids outputs) {
    const RegionId id = subject.op.regions.at(i);
    const Block& block = entry(subject.graph, id);
    const std::string region = quoted(subject.graph.regions[id].name);
    return match(subject.graph, inputs, "inputs", block.inputs, "inputs of region " + region)
        .and_then([&] {
            return match(subject.graph, outputs, "outputs", block.outputs,
                         "outputs of region " + region);
        });
}

Checked<void> check_cond_if(const Subject& subject) {
    const Operator& op = subject.op;
    const Ids list = op.inputs.subspan(1);
    return match_region(subject, 0, list, op.outputs).and_then([&] {
        return match_region(subject, 1, list, op.outputs);
    });
}

// The condition region reads what the body carries and gives one BOOL.
Checked<void> check_while_loop(const Subject& subject) {
    const Operator& op = subject.op;
    const Ids conditions = entry(subject.graph, op.regions[0]).outputs;
    const auto one_bool = [&](const Value& value) {
        return value.type == DType::Bool && value.elements == 1;
    };
    if (conditions.size() != 1 || !one_bool(subject.graph.values[conditions[0]]))
        return malformed(Code::ControlFlowSignature, "region {} does not give one BOOL",
                         quoted(subject.graph.regions[op.regions[0]].name));
    return match(subject.graph, op.inputs, "inputs", op.outputs, "outputs")
        .and_then([&] { return match_region(subject, 0, op.inputs, conditions); })
        .and_then([&] { return match_region(subject, 1, op.inputs, op.outputs); });
}

}  // namespace

Checked<void> check_region_references(const Graph& graph) {
    const Callers callers(graph);
    for (const OperatorId id : callers.all())
        if (const auto exist = check_regions_exist(graph.operators[id]); !exist)
            return std::unexpected(at(operator_place(graph, id), exist.error()));
    return Nesting(graph, callers).check(level_limits(graph.target.level).nesting);
}

Checked<void> check_signature(const Subject& subject) {
    return subject.op.op == Op::CondIf ? check_cond_if(subject) : check_while_loop(subject);
}

}  // namespace tosa
