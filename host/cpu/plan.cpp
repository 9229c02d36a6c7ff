// SPDX-License-Identifier: MIT
#include "cpu/plan.hpp"

#include <algorithm>
#include <format>
#include <optional>

#include "cpu/arena.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/reference/call.hpp"

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

class Planner {
 public:
    Planner(const tosa::Graph& graph, Engine engine)
        : graph_(graph), engine_(engine), places_(graph.values.size()) {}

    [[nodiscard]] std::expected<Plan, std::string> plan() && {
        place_slots();
        for (std::uint32_t at = 0; at < graph_.operators.size(); ++at) {
            const tosa::Operator& op = graph_.operators[at];
            if (op.dead() || op.op == tosa::Op::Const || op.op == tosa::Op::ConstShape) continue;
            auto kernel = make_kernel(engine_, graph_, op);
            if (!kernel) return std::unexpected(refusal(op));
            add_step(std::move(kernel), op);
            for (const tosa::ValueId id : op.inputs)
                release(id, at);
            for (const tosa::ValueId id : op.outputs)
                release(id, at);
        }
        copy_outputs();
        plan_.arena_bytes = arena_.size();
        return std::move(plan_);
    }

 private:
    void place_slots() {
        for (const tosa::ValueId id : graph_.inputs) {
            places_[id] = slot_place();
            add_slot(id, provider::Access::Read);
        }
        for (const tosa::ValueId id : graph_.outputs) {
            const bool computed = !places_[id] && !graph_.values[id].constant();
            if (computed) places_[id] = slot_place();
            add_slot(id, provider::Access::Write);
        }
    }

    [[nodiscard]] Place slot_place() const {
        return {.kind = Place::Kind::Slot, .index = plan_.slots.size()};
    }

    void add_slot(tosa::ValueId id, provider::Access access) {
        const tosa::Value& value = graph_.values[id];
        plan_.slots.push_back({value.bytes, element_alignment(value.type), access});
    }

    // A block output that no operator writes at its own slot: an input, a constant,
    // or an output that is listed twice.
    void copy_outputs() {
        for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
            const tosa::ValueId id = graph_.outputs[i];
            const Place slot{.kind = Place::Kind::Slot, .index = graph_.inputs.size() + i};
            const Place from = place(id);
            if (from.kind == Place::Kind::Slot && from.index == slot.index) continue;
            plan_.steps.push_back({.kernel = make_copy(graph_.values[id].bytes),
                                   .first = static_cast<std::uint32_t>(plan_.operands.size()),
                                   .inputs = 1,
                                   .outputs = 1});
            plan_.operands.push_back(from);
            plan_.operands.push_back(slot);
        }
    }

    void add_step(std::unique_ptr<Kernel> kernel, const tosa::Operator& op) {
        plan_.steps.push_back({.kernel = std::move(kernel),
                               .first = static_cast<std::uint32_t>(plan_.operands.size()),
                               .inputs = static_cast<std::uint32_t>(op.inputs.size()),
                               .outputs = static_cast<std::uint32_t>(op.outputs.size())});
        for (const tosa::ValueId id : op.inputs)
            plan_.operands.push_back(place(id));
        for (const tosa::ValueId id : op.outputs)
            plan_.operands.push_back(place(id));
    }

    // Where the value lies, decided when it is first asked for. A scalar's shape is a
    // constant of no bytes.
    const Place& place(tosa::ValueId id) {
        const tosa::Value& value = graph_.values[id];
        if (!places_[id])
            places_[id] = value.constant() || value.type == tosa::DType::Shape
                              ? constant(value)
                              : intermediate(value);
        return *places_[id];
    }

    Place intermediate(const tosa::Value& value) {
        return {.kind = Place::Kind::Arena, .index = arena_.allocate(value.bytes)};
    }

    Place constant(const tosa::Value& value) {
        const auto address = reinterpret_cast<std::uintptr_t>(value.data.data());
        if (address % element_alignment(value.type) == 0)
            return {.kind = Place::Kind::Constant, .constant = value.data.data()};
        const std::uint64_t offset = arena_.allocate(value.data.size());
        plan_.constant_copies.push_back({value.data, offset});
        return {.kind = Place::Kind::Arena, .index = offset};
    }

    // Gives an intermediate's memory back after its last reader. The place is
    // forgotten, so a value that an operator reads twice is given back once.
    void release(tosa::ValueId id, std::uint32_t position) {
        const tosa::Value& value = graph_.values[id];
        if (!places_[id] || places_[id]->kind != Place::Kind::Arena || value.constant() ||
            value.last_use > position)
            return;
        arena_.release(places_[id]->index, value.bytes);
        places_[id].reset();
    }

    [[nodiscard]] std::string refusal(const tosa::Operator& op) const {
        return std::format("{} of {} is not computed here", name(op.op),
                           name(output(graph_, op).type));
    }

    const tosa::Graph& graph_;
    Engine engine_;
    std::vector<std::optional<Place>> places_;
    ArenaLayout arena_;
    Plan plan_;
};

}  // namespace

std::uint64_t Plan::bytes() const {
    return arena_bytes + slots.capacity() * sizeof(provider::Slot) +
           steps.capacity() * (sizeof(Step) + kMaxKernelBytes) +
           operands.capacity() * (sizeof(Place) + sizeof(reference::Type)) + constant_copies.capacity() * sizeof(ConstantCopy);
}

std::expected<Plan, std::string> make_plan(const tosa::Graph& graph, Engine engine) {
    return Planner(graph, engine).plan();
}

}  // namespace cpu
