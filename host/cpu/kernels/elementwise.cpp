// SPDX-License-Identifier: MIT
#include "cpu/kernels/elementwise.hpp"

#include <algorithm>

#include "cpu/kernels/broadcast.hpp"
#include "cpu/kernels/kernels.hpp"
#include "tosa/encoding.hpp"

namespace cpu::elementwise {
namespace {

using Register = std::uint16_t;
constexpr std::size_t kRegisterBytes = kBlock * sizeof(std::int32_t);
constexpr std::size_t kNoLoad = ~std::size_t{0};

// An operand that comes from memory.
struct Load {
    Broadcast broadcast;
    Widen widen;
    std::uint64_t element_bytes;
    Register to;
    bool in_place;  // where its elements are lanes already, one for one
};

struct Source {
    std::size_t load = kNoLoad;
    Register in = 0;
};

struct Instruction {
    BlockFunction function;
    Parameters parameters;
    std::array<Source, 3> sources{};
    std::size_t source_count = 0;
    Register to = 0;
};

struct Recipe {
    std::vector<Load> loads;
    std::vector<Instruction> instructions;
    std::size_t registers = 0;
    std::uint64_t cost = 0;  // of an element
    std::uint64_t elements = 0;
    std::uint64_t element_bytes = 0;
    Narrow narrow = nullptr;
    bool out_in_place = false;
};

bool is_lanes(tosa::DType type) {
    return type == tosa::DType::Fp32 || type == tosa::DType::Int32;
}

class Elementwise final : public Kernel {
 public:
    explicit Elementwise(Recipe recipe)
        : Kernel((recipe.elements + kBlock - 1) / kBlock, kBlock * recipe.cost),
          recipe_(std::move(recipe)) {}

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        for (std::size_t i = 0; i < recipe_.loads.size(); ++i)
            if (recipe_.loads[i].broadcast.uniform())
                fetch(operands, i, 0, std::min<std::uint64_t>(kBlock, recipe_.elements));
        for (std::uint64_t block = first; block < last; ++block) {
            const std::uint64_t at = block * kBlock;
            run_block(operands, at, std::min<std::uint64_t>(kBlock, recipe_.elements - at));
        }
    }

    [[nodiscard]] std::uint64_t scratch_bytes() const override {
        return recipe_.registers * kRegisterBytes;
    }

    [[nodiscard]] std::uint64_t kept_bytes() const override {
        std::uint64_t bytes = recipe_.loads.capacity() * sizeof(Load) +
                              recipe_.instructions.capacity() * sizeof(Instruction);
        for (const Load& load : recipe_.loads)
            bytes += load.broadcast.heap_bytes();
        return bytes;
    }

 private:
    static std::byte* address(const Operands& operands, Register reg) {
        return operands.scratch + reg * kRegisterBytes;
    }

    // Vectors behind the last element of memory are nobody's to read or write.
    static bool whole(std::size_t count) { return count % kMaxLanes == 0; }

    void fetch(const Operands& operands, std::size_t index, std::uint64_t at,
               std::size_t count) const {
        const Load& load = recipe_.loads[index];
        const auto* from = operands.input<std::byte>(index);
        std::byte* to = address(operands, load.to);
        load.broadcast.walk(
            at, count,
            [&](std::uint64_t element, std::uint64_t run) {
                load.widen(from + element * load.element_bytes, to, run);
                to += run * sizeof(std::int32_t);
            },
            [&](std::uint64_t element, std::uint64_t run) {
                std::int32_t lane = 0;
                load.widen(from + element * load.element_bytes, &lane, 1);
                auto* lanes = reinterpret_cast<std::int32_t*>(to);
                std::fill_n(lanes, run, lane);
                to += run * sizeof(std::int32_t);
            });
    }

    [[nodiscard]] const void* source(const Operands& operands, const Source& source,
                                     std::uint64_t at, std::size_t count) const {
        if (source.load == kNoLoad) return address(operands, source.in);
        const Load& load = recipe_.loads[source.load];
        if (load.in_place && whole(count))
            return operands.input<std::byte>(source.load) + at * load.element_bytes;
        if (!load.broadcast.uniform()) fetch(operands, source.load, at, count);
        return address(operands, load.to);
    }

    void run_block(const Operands& operands, std::uint64_t at, std::size_t count) const {
        std::byte* out = operands.output<std::byte>(0) + at * recipe_.element_bytes;
        const bool straight_out = recipe_.out_in_place && whole(count);
        for (const Instruction& instruction : recipe_.instructions) {
            const bool is_last = &instruction == &recipe_.instructions.back();
            Arguments arguments{
                .in = {},
                .out = is_last && straight_out ? out : address(operands, instruction.to),
                .count = count,
                .parameters = instruction.parameters};
            for (std::size_t i = 0; i < instruction.source_count; ++i)
                arguments.in[i] = source(operands, instruction.sources[i], at, count);
            instruction.function(arguments);
        }
        if (!straight_out)
            recipe_.narrow(address(operands, recipe_.instructions.back().to), out, count);
    }

    Recipe recipe_;
};

// Gives registers to what is computed. Registers of blocks that were read are free again,
// those of uniform operands keep their contents.
class Builder {
 public:
    Builder(const tosa::Graph& graph, const tosa::Value& out) : graph_(graph), out_(out) {
        recipe_.elements = out.elements;
        recipe_.element_bytes = tosa::buffer_bytes(out.type, 1);
        recipe_.narrow = narrow_function(out.type);
        recipe_.out_in_place = is_lanes(out.type);
    }

    void append(const tosa::Operator& op, bool is_last) {
        const Lowered lowered = *lower(graph_, op);
        std::array<Source, 3> sources{};
        for (std::size_t i = 0; i < lowered.operand_count; ++i)
            sources[i] = source(lowered.operands[i]);
        recipe_.cost += lowered.cost + lowered.operand_count;
        for (std::size_t i = 0; i < lowered.part_count; ++i)
            add(lowered.parts[i], std::span(sources).first(i == 0 ? lowered.operand_count : 1));
        if (lowered.round && !is_last) {
            recipe_.cost += 4;
            add({*lowered.round}, std::span(sources).first(1));
        }
        computed_.push_back({op.outputs[0], sources[0].in});
    }

    [[nodiscard]] Chain done() && {
        recipe_.registers = next_;
        return {make<Elementwise>(std::move(recipe_)), std::move(inputs_)};
    }

 private:
    struct Computed {
        tosa::ValueId id;
        Register in;
    };

    // Reads the sources and leaves the result as the first of them.
    void add(const Part& part, std::span<Source> sources) {
        Instruction made{.function = block_function(part.code), .parameters = part.parameters};
        made.source_count = sources.size();
        std::ranges::copy(sources, made.sources.begin());
        for (const Source& read : sources)
            if (read.load == kNoLoad || !recipe_.loads[read.load].broadcast.uniform())
                free_.push_back(read.in);
        made.to = take();
        recipe_.instructions.push_back(made);
        sources[0] = {.in = made.to};
    }

    Source source(tosa::ValueId id) {
        const auto found = std::ranges::find(computed_, id, &Computed::id);
        if (found != computed_.end()) return {.in = found->in};
        const tosa::Value& value = graph_.values[id];
        Broadcast broadcast(value.dims, out_.dims);
        // A uniform operand is filled in before all else, so its register was nobody's.
        const Register to = broadcast.uniform() ? next_++ : take();
        const bool in_place = is_lanes(value.type) && broadcast.straight();
        recipe_.loads.push_back({.broadcast = std::move(broadcast),
                                 .widen = widen_function(value.type),
                                 .element_bytes = tosa::buffer_bytes(value.type, 1),
                                 .to = to,
                                 .in_place = in_place});
        inputs_.push_back(id);
        return {.load = recipe_.loads.size() - 1, .in = to};
    }

    Register take() {
        if (free_.empty()) return next_++;
        const Register reg = free_.back();
        free_.pop_back();
        return reg;
    }

    const tosa::Graph& graph_;
    const tosa::Value& out_;
    Recipe recipe_;
    std::vector<tosa::ValueId> inputs_;
    std::vector<Computed> computed_;
    std::vector<Register> free_;
    Register next_ = 0;
};

}  // namespace

BlockFunction block_function(Code code) {
    if (const BlockFunction found = float_function(code)) return found;
    if (const BlockFunction found = integer_function(code)) return found;
    return math_function(code);
}

Chain make_chain(const tosa::Graph& graph, std::span<const tosa::Operator* const> operators) {
    Builder builder(graph, graph.values[operators.back()->outputs[0]]);
    for (const tosa::Operator* op : operators)
        builder.append(*op, op == operators.back());
    return std::move(builder).done();
}

}  // namespace cpu::elementwise
