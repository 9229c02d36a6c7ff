// SPDX-License-Identifier: MIT
//
// Graphs of any target on the device, past the provider's admission, and what the CPU
// provider's reference engine makes of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "corpus/compare.hpp"
#include "cpu/plan_runner.hpp"
#include "tosa/attributes.hpp"
#include "tosa/encoding.hpp"
#include "tosa/graph.hpp"
#include "tosa/number.hpp"
#include "vulkan/objects.hpp"
#include "vulkan/rig.hpp"

namespace vulkan::test {

using corpus::Tolerance;
using tosa::DType;
using tosa::Op;
using tosa::test::attribute;
using tosa::test::Dims;
using tosa::test::Fields;
using tosa::test::Names;

class Oracle {
 public:
    explicit Oracle(Rig& rig) : rig_(rig) {}

    // What the outputs hold. The bytes behind each are checked to be left alone.
    std::vector<Bytes> on_device(const tosa::Graph& graph, const std::vector<Bytes>& inputs) {
        auto program = load(graph);
        const auto& slots = program->executable->slots();
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<Binding> bindings;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const bool reads = i < inputs.size();
            Bytes contents = reads ? inputs[i] : Bytes(slots[i].bytes);
            contents.resize(slots[i].bytes + kGuardBytes, kGuard);
            buffers.push_back(rig_.buffer(contents));
            bindings.push_back({buffers.back().get(), 0, slots[i].bytes,
                                static_cast<std::uint32_t>(i),
                                reads ? Access::Read : Access::Write});
        }
        rig_.finish(rig_.submit(*program, bindings));
        std::vector<Bytes> outputs;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            Bytes contents = rig_.read(*buffers[i], 0, slots[i].bytes + kGuardBytes);
            CHECK(std::all_of(contents.end() - kGuardBytes, contents.end(),
                              [](std::byte byte) { return byte == kGuard; }));
            contents.resize(slots[i].bytes);
            if (i >= inputs.size()) outputs.push_back(std::move(contents));
            rig_.free(std::move(buffers[i]));
        }
        rig_.unload(std::move(program));
        return outputs;
    }

    static std::vector<Bytes> on_reference(const tosa::Graph& graph,
                                           const std::vector<Bytes>& inputs) {
        const auto plan = cpu::make_plan(graph, cpu::Engine::Reference);
        REQUIRE_MESSAGE(plan.has_value(), plan.error());
        return cpu::test::run(*plan, inputs);
    }

    // That both give the same, each output within its tolerance or the last of them.
    void check(const GraphBuilder& builder, const std::vector<Bytes>& inputs,
               const std::vector<Tolerance>& tolerances = {Tolerance{}}) {
        const auto file = builder.file();
        const auto graph = tosa::build_graph(file, tosa::kEveryTarget);
        REQUIRE_MESSAGE(graph.has_value(), graph.error().message);
        const auto got = on_device(*graph, inputs);
        const auto expected = on_reference(*graph, inputs);
        REQUIRE(got.size() == expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            INFO("output " << builder.outputs[i]);
            const tosa::Value& value = graph->values[graph->outputs[i]];
            CHECK(corpus::difference(
                      {value.type, {value.dims.begin(), value.dims.end()}, expected[i]}, got[i],
                      tolerances[std::min(i, tolerances.size() - 1)]) == "");
        }
    }

    // One operator of the inputs `operands`, and of zero points and shifts of 0.
    struct Operand {
        DType type;
        Dims dims;
        Bytes contents;
    };
    void check(Op op, const std::vector<Operand>& operands, DType made, const Dims& dims,
               const Fields& fields = {}, Tolerance tolerance = {}) {
        CAPTURE(static_cast<int>(op));
        GraphBuilder graph;
        std::vector<Bytes> inputs;
        Names names;
        for (const Operand& operand : operands) {
            names.push_back("x" + std::to_string(names.size()));
            graph.input(names.back(), operand.dims, operand.type);
            inputs.push_back(operand.contents);
        }
        // What the specification wants to be known when the program is loaded.
        const auto constant = [&](DType type) {
            names.push_back("k" + std::to_string(names.size()));
            graph.constant(names.back(), {1}, Bytes(tosa::constant_bytes(type, 1)), type);
        };
        if (op == Op::Mul) constant(DType::Int8);
        if (op == Op::Negate) {
            constant(operands[0].type);
            constant(operands[0].type);
        }
        graph.output("y", dims, made).op(op, names, {"y"}, attribute(op, fields));
        check(graph, inputs, {tolerance});
    }

 private:
    static constexpr std::ptrdiff_t kGuardBytes = 64;
    static constexpr std::byte kGuard{0xA5};

    std::unique_ptr<Program> load(const tosa::Graph& graph) {
        const auto& state = static_cast<Context&>(*rig_.context).state;
        const Grid& grid = state->kernels->grid();
        const auto lowering = lower(graph, grid);
        REQUIRE(lowering);
        const auto plan = schedule(*lowering, grid);
        REQUIRE(plan);
        auto executable = Executable::create(state->kernels, state->transfer, *plan, ~0ULL);
        REQUIRE(executable);
        return std::make_unique<Program>(state, *state->programs.take(), std::move(*executable));
    }

    Rig& rig_;
};

inline Oracle::Operand vector_of(DType type, Bytes contents) {
    const auto elements = contents.size() / tosa::buffer_bytes(type, 1);
    return {type, {static_cast<std::int32_t>(elements)}, std::move(contents)};
}

// Every element of a type of up to 16 bits, by its bits.
inline Bytes every(DType type) {
    const bool wide = tosa::buffer_bytes(type, 1) == 2;
    Bytes bytes(wide ? 1U << 17 : 256);
    for (std::uint32_t i = 0; i < (wide ? 65536U : 256U); ++i)
        tosa::write_integer(wide ? DType::Int16 : DType::Int8, bytes.data(), i, i);
    return bytes;
}

}  // namespace vulkan::test
