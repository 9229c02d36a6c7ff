// SPDX-License-Identifier: MIT
#include "cpu/plan.hpp"

#include <algorithm>
#include <format>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "cpu/arena.hpp"
#include "cpu/chains.hpp"
#include "cpu/kernels/elementwise.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/memory.hpp"
#include "cpu/reference/call.hpp"
#include "tosa/encoding.hpp"
#include "tosa/number.hpp"

namespace cpu {
namespace {

// The alignment that loading one element wants.
std::uint64_t element_alignment(tosa::DType type) {
    using enum tosa::DType;
    switch (type) {
        case Int16:
        case Fp16:
        case Bf16:
            return 2;
        case Int32:
        case Fp32:
            return 4;
        default:
            return 1;
    }
}

// Where the inputs and outputs of a block are handed over.
struct Ports {
    std::vector<Place> inputs;
    std::vector<Place> outputs;
};

class Planner {
 public:
    Planner(const tosa::Graph& graph, Engine engine)
        : graph_(graph),
          engine_(engine),
          ends_(engine == Engine::Fast ? chain_ends(graph) : each_alone(graph)),
          last_use_(graph.values.size()),
          places_(graph.values.size()),
          ports_(graph.regions.size()) {}

    // Each region has a sequence of its number, and memory of its own, which its callers'
    // is not part of. Only those are planned that some planned one calls.
    [[nodiscard]] std::expected<Plan, std::string> plan() && {
        find_last_uses();
        place_kept();
        plan_.sequences.resize(graph_.regions.size());
        ports_[0] = slot_ports();
        called_.push_back(0);
        while (!called_.empty()) {
            const tosa::RegionId region = called_.back();
            called_.pop_back();
            if (auto planned = plan_region(region); !planned)
                return std::unexpected(planned.error());
        }
        plan_.arena_bytes = base_;
        for (const Step& step : plan_.steps)
            if (step.kernel)
                plan_.scratch_bytes = std::max(plan_.scratch_bytes, step.kernel->scratch_bytes());
        plan_.scratch_bytes = (plan_.scratch_bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
        return std::move(plan_);
    }

 private:
    using Planned = std::expected<void, std::string>;
    using Steps = std::vector<Step>;

    static bool runs(const tosa::Operator& op) {
        return !op.dead() && op.op != tosa::Op::Const && op.op != tosa::Op::ConstShape &&
               op.op != tosa::Op::Variable;
    }

    static std::vector<tosa::OperatorId> each_alone(const tosa::Graph& graph) {
        std::vector<tosa::OperatorId> ends(graph.operators.size());
        std::iota(ends.begin(), ends.end(), 0);
        return ends;
    }

    // An operator reads when the last of its chain is computed. What a block is handed, or
    // hands over, is its caller's.
    void find_last_uses() {
        for (tosa::OperatorId at = 0; at < graph_.operators.size(); ++at) {
            if (graph_.operators[at].dead()) continue;
            for (const tosa::ValueId id : graph_.operators[at].inputs)
                last_use_[id] = std::max(last_use_[id], ends_[at]);
        }
        for (const tosa::Block& block : graph_.blocks)
            for (const auto ids : {block.inputs, block.outputs})
                for (const tosa::ValueId id : ids)
                    last_use_[id] = block.end();
    }

    // What is there before the first run comes first, so that no intermediate has been in
    // its memory before: constants that cannot be used in place, and variables. Any tensor
    // of a variable may carry its initial value.
    void place_kept() {
        std::map<std::string_view, std::span<const std::byte>> initial;
        for (const tosa::Value& value : graph_.values)
            if (value.variable && !value.data.empty())
                initial.try_emplace(value.variable_name, value.data);
        for (tosa::ValueId id = 0; id < graph_.values.size(); ++id) {
            const tosa::Value& value = graph_.values[id];
            if (value.constant() && !usable_in_place(value)) places_[id] = keep(value, value.data);
            if (value.variable && !variables_.contains(value.variable_name))
                variables_.emplace(value.variable_name, keep(value, initial[value.variable_name]));
        }
    }

    // INT48 takes eight bytes in a file and six in memory.
    static bool usable_in_place(const tosa::Value& value) {
        const auto address = reinterpret_cast<std::uintptr_t>(value.data.data());
        return value.type != tosa::DType::Int48 && address % element_alignment(value.type) == 0;
    }

    Place keep(const tosa::Value& value, std::span<const std::byte> contents) {
        const Place place = allocate(value.bytes);
        plan_.initial.push_back({value.type, contents, place.index});
        return place;
    }

    Planned plan_region(tosa::RegionId region) {
        if (graph_.regions[region].blocks != 1)
            return std::unexpected(std::format("{} blocks in a region, where 1 is supported",
                                               graph_.regions[region].blocks));
        const tosa::Block& block = graph_.blocks[graph_.regions[region].first_block];
        const Ports& ports = *ports_[region];
        for (std::size_t i = 0; i < block.inputs.size(); ++i)
            places_[block.inputs[i]] = ports.inputs[i];
        for (std::size_t i = 0; i < block.outputs.size(); ++i)
            if (const tosa::ValueId id = block.outputs[i];
                !places_[id] && !graph_.values[id].constant())
                places_[id] = ports.outputs[i];

        Steps steps;
        for (tosa::OperatorId at = block.first_operator; at < block.end(); ++at)
            if (auto planned = plan_operator(at, steps); !planned) return planned;
        // An output that no operator writes where it is handed over: an input, a constant,
        // or one that is listed twice.
        for (std::size_t i = 0; i < block.outputs.size(); ++i)
            add_copy(steps, place(block.outputs[i]), ports.outputs[i],
                     graph_.values[block.outputs[i]].bytes);
        plan_.sequences[region] = append(std::move(steps));
        base_ += arena_.size();
        arena_ = {};
        return {};
    }

    // Operators of a chain wait for the last one.
    Planned plan_operator(tosa::OperatorId at, Steps& steps) {
        const tosa::Operator& op = graph_.operators[at];
        if (!runs(op)) return {};
        std::vector<const tosa::Operator*>& together = waiting_[ends_[at]];
        together.push_back(&op);
        if (ends_[at] != at) return {};
        if (!compute(together, steps)) return std::unexpected(refusal(op));
        for (const tosa::Operator* done : together)
            release_operands(*done, at);
        waiting_.erase(at);
        return {};
    }

    // False for an operator that this provider does not compute.
    [[nodiscard]] bool compute(std::span<const tosa::Operator* const> together, Steps& steps) {
        const tosa::Operator& op = *together.back();
        switch (op.op) {
            case tosa::Op::CondIf:
                add_cond_if(op, steps);
                return true;
            case tosa::Op::WhileLoop:
                add_while_loop(op, steps);
                return true;
            case tosa::Op::VariableRead:
                add_copy(steps, variable(op.outputs[0]), place(op.outputs[0]),
                         graph_.values[op.outputs[0]].bytes);
                return true;
            case tosa::Op::VariableWrite:
                add_copy(steps, place(op.inputs[0]), variable(op.inputs[0]),
                         graph_.values[op.inputs[0]].bytes);
                return true;
            default:
                break;
        }
        if (engine_ == Engine::Fast && elementwise::lower(graph_, op)) {
            auto chain = elementwise::make_chain(graph_, together);
            add_step(steps, std::move(chain.kernel), chain.inputs, op.outputs);
            return true;
        }
        auto kernel = make_kernel(engine_, graph_, op);
        if (!kernel) return false;
        add_step(steps, std::move(kernel), op.inputs, op.outputs);
        return true;
    }

    void add_cond_if(const tosa::Operator& op, Steps& steps) {
        const auto arguments = op.inputs.subspan(1);
        Step step = conditional(Step::Kind::If, place(op.inputs[0]));
        for (std::size_t i = 0; i < step.sequences.size(); ++i)
            step.sequences[i] = add_call(op.regions[i], arguments, op.outputs);
        steps.push_back(std::move(step));
    }

    // The operator's outputs hold what goes from round to round.
    void add_while_loop(const tosa::Operator& op, Steps& steps) {
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            add_copy(steps, place(op.inputs[i]), place(op.outputs[i]),
                     graph_.values[op.inputs[i]].bytes);
        Step step = conditional(Step::Kind::While, ports_of(op.regions[0]).outputs[0]);
        step.sequences = {add_call(op.regions[0], op.outputs, {}),
                          add_call(op.regions[1], op.outputs, op.outputs)};
        steps.push_back(std::move(step));
    }

    Step conditional(Step::Kind kind, const Place& condition) {
        plan_.operands.push_back(condition);
        return {.kind = kind,
                .first = static_cast<std::uint32_t>(plan_.operands.size() - 1),
                .inputs = 1};
    }

    // A sequence that hands a region its inputs, runs it and takes its outputs.
    std::uint32_t add_call(tosa::RegionId region, std::span<const tosa::ValueId> inputs,
                           std::span<const tosa::ValueId> outputs) {
        const Ports& ports = ports_of(region);
        Steps steps;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            add_copy(steps, place(inputs[i]), ports.inputs[i], graph_.values[inputs[i]].bytes);
        steps.push_back({.kind = Step::Kind::Call, .sequences = {region}});
        for (std::size_t i = 0; i < outputs.size(); ++i)
            add_copy(steps, ports.outputs[i], place(outputs[i]), graph_.values[outputs[i]].bytes);
        plan_.sequences.push_back(append(std::move(steps)));
        return static_cast<std::uint32_t>(plan_.sequences.size() - 1);
    }

    Sequence append(Steps steps) {
        const auto first = static_cast<std::uint32_t>(plan_.steps.size());
        std::ranges::move(steps, std::back_inserter(plan_.steps));
        return {first, static_cast<std::uint32_t>(plan_.steps.size())};
    }

    [[nodiscard]] Ports slot_ports() {
        Ports ports;
        for (const tosa::ValueId id : graph_.inputs)
            ports.inputs.push_back(add_slot(id, provider::Access::Read));
        for (const tosa::ValueId id : graph_.outputs)
            ports.outputs.push_back(add_slot(id, provider::Access::Write));
        return ports;
    }

    Place add_slot(tosa::ValueId id, provider::Access access) {
        const tosa::Value& value = graph_.values[id];
        plan_.slots.push_back({value.bytes, element_alignment(value.type), access});
        return {.kind = Place::Kind::Slot, .index = plan_.slots.size() - 1};
    }

    // Of a region that is called, which is planned sooner or later.
    const Ports& ports_of(tosa::RegionId region) {
        std::optional<Ports>& ports = ports_[region];
        if (!ports) {
            const tosa::Block& block = graph_.blocks[graph_.regions[region].first_block];
            ports.emplace();
            for (const tosa::ValueId id : block.inputs)
                ports->inputs.push_back(allocate(graph_.values[id].bytes));
            for (const tosa::ValueId id : block.outputs)
                ports->outputs.push_back(allocate(graph_.values[id].bytes));
            called_.push_back(region);
        }
        return *ports;
    }

    // What carries the same variable name is the same memory.
    [[nodiscard]] const Place& variable(tosa::ValueId id) const {
        return variables_.at(graph_.values[id].variable_name);
    }

    void add_copy(Steps& steps, const Place& from, const Place& to, std::uint64_t bytes) {
        if (from == to) return;
        steps.push_back({.kernel = make_copy(bytes),
                         .first = static_cast<std::uint32_t>(plan_.operands.size()),
                         .inputs = 1,
                         .outputs = 1});
        plan_.operands.push_back(from);
        plan_.operands.push_back(to);
    }

    void add_step(Steps& steps, std::unique_ptr<Kernel> kernel,
                  std::span<const tosa::ValueId> inputs, std::span<const tosa::ValueId> outputs) {
        steps.push_back({.kernel = std::move(kernel),
                         .first = static_cast<std::uint32_t>(plan_.operands.size()),
                         .inputs = static_cast<std::uint32_t>(inputs.size()),
                         .outputs = static_cast<std::uint32_t>(outputs.size())});
        for (const tosa::ValueId id : inputs)
            plan_.operands.push_back(place(id));
        for (const tosa::ValueId id : outputs)
            plan_.operands.push_back(place(id));
    }

    // Where the value lies, decided when it is first asked for. A scalar's shape is a
    // constant of no bytes.
    const Place& place(tosa::ValueId id) {
        const tosa::Value& value = graph_.values[id];
        if (!places_[id])
            places_[id] = value.constant() || value.type == tosa::DType::Shape
                              ? Place{.kind = Place::Kind::Constant, .constant = value.data.data()}
                              : allocate(value.bytes);
        return *places_[id];
    }

    Place allocate(std::uint64_t bytes) {
        return {.kind = Place::Kind::Arena, .index = base_ + arena_.allocate(bytes)};
    }

    void release_operands(const tosa::Operator& op, tosa::OperatorId position) {
        for (const tosa::ValueId id : op.inputs)
            release(id, position);
        for (const tosa::ValueId id : op.outputs)
            release(id, position);
    }

    // Gives an intermediate's memory back after its last reader. The place is
    // forgotten, so a value that an operator reads twice is given back once.
    void release(tosa::ValueId id, std::uint32_t position) {
        const tosa::Value& value = graph_.values[id];
        if (!places_[id] || places_[id]->kind != Place::Kind::Arena || value.constant() ||
            last_use_[id] > position)
            return;
        arena_.release(places_[id]->index - base_, value.bytes);
        places_[id].reset();
    }

    [[nodiscard]] std::string refusal(const tosa::Operator& op) const {
        if (op.outputs.empty()) return std::format("{} is not computed here", name(op.op));
        return std::format("{} of {} is not computed here", name(op.op),
                           name(output(graph_, op).type));
    }

    const tosa::Graph& graph_;
    Engine engine_;
    std::vector<tosa::OperatorId> ends_;      // of each operator's chain
    std::vector<tosa::OperatorId> last_use_;  // of each value, by when it is computed
    std::map<tosa::OperatorId, std::vector<const tosa::Operator*>> waiting_;  // by the end
    std::vector<std::optional<Place>> places_;
    std::vector<std::optional<Ports>> ports_;  // of each region, once it is called
    std::vector<tosa::RegionId> called_;       // yet to be planned
    std::map<std::string_view, Place> variables_;
    ArenaLayout arena_;       // of the region that is being planned
    std::uint64_t base_ = 0;  // where in the whole arena it starts
    Plan plan_;
};

}  // namespace

void Plan::initialise(std::byte* arena) const {
    for (const auto& [type, from, arena_offset] : initial) {
        std::byte* const to = arena + arena_offset;
        if (type == tosa::DType::Int48)
            for (std::uint64_t i = 0; i < from.size() / sizeof(std::int64_t); ++i)
                tosa::write_integer(type, to, i, tosa::shape_value(from, i));
        else
            std::ranges::copy(from, to);
    }
}

unsigned Plan::most_threads(unsigned threads) const {
    unsigned most = 1;
    for (const Step& step : steps)
        if (step.kernel)
            most = std::max(most, step.kernel->worthwhile_threads(step.kernel->units(), threads));
    return most;
}

std::uint64_t Plan::bytes(unsigned threads) const {
    std::uint64_t kernels = 0;
    for (const Step& step : steps)
        if (step.kernel) kernels += kMaxKernelBytes + step.kernel->kept_bytes();
    return kernels + arena_bytes + scratch_bytes * most_threads(threads) +
           slots.capacity() * sizeof(provider::Slot) + steps.capacity() * sizeof(Step) +
           sequences.capacity() * sizeof(Sequence) +
           operands.capacity() * (sizeof(Place) + sizeof(reference::Type)) +
           initial.capacity() * sizeof(InitialContents);
}

std::expected<Plan, std::string> make_plan(const tosa::Graph& graph, Engine engine) {
    return Planner(graph, engine).plan();
}

}  // namespace cpu
