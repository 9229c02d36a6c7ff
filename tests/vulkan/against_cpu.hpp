// SPDX-License-Identifier: MIT
//
// Graphs computed here and by the CPU provider's reference engine, and what both have to
// say about them.
#pragma once

#include <cmath>
#include <random>
#include <utility>

#include "cpu/rig.hpp"
#include "cpu/tensor.hpp"
#include "tosa/attributes.hpp"
#include "vulkan/plan.hpp"
#include "vulkan/rig.hpp"

namespace vulkan::test {

using Contents = cpu::test::Tensor;  // type and extents included
using tosa::DType;
using tosa::NanMode;
using tosa::Op;
using tosa::test::attribute;
using tosa::test::Dims;
using tosa::test::Fields;

// An operand, known at load or not.
struct Operand {
    Contents tensor;
    bool constant = false;
};

inline Operand constant(Contents tensor) {
    return {std::move(tensor), true};
}
inline Operand zero_point(DType type, double value = 0) {
    return constant({type, {1}, {value}});
}

// Eighths and small whole numbers: sums and products of them take no rounding.
inline Contents random_tensor(DType type, Dims dims, unsigned seed) {
    std::minstd_rand bits(seed);
    Contents tensor(type, std::move(dims));
    cpu::test::Reals values(tensor.size());
    for (double& value : values) {
        const auto drawn = static_cast<int>(bits() >> 8 & 0xFF) - 128;
        value = type == DType::Bool ? drawn & 1 : tosa::is_float(type) ? (drawn % 17) / 8.0 : drawn;
    }
    return {type, tensor.dims, values};
}

// Puts NaN where a seed says, about every third element.
inline Contents with_nan(Contents tensor, unsigned seed) {
    std::minstd_rand bits(seed);
    for (std::size_t i = 0; i < tensor.size(); ++i)
        if ((bits() >> 8) % 3 == 0) tosa::write_float(tensor.type, tensor.data.data(), i, NAN);
    return tensor;
}

class AgainstCpu {
 public:
    Rig rig;

    // Numbers may differ by that part of them, or of 1. NaN is any NaN; zeros have their sign.
    void check(const GraphBuilder& graph, const std::vector<Contents>& inputs,
               const Contents& output, double tolerance = 0) {
        std::vector<Bytes> bytes;
        for (const Contents& input : inputs)
            bytes.push_back(input.data);
        Contents made = output, expected = output;
        made.data = run(graph, bytes, output.data.size());
        auto program = cpu_.try_load(graph.file(), cpu::test::kNoCeiling, kTarget);
        REQUIRE(program);
        expected.data = cpu_.run(std::move(*program), bytes, {output.data.size()})[0];
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (close(made[i], expected[i], tolerance)) continue;
            if (++wrong == 1)
                FAIL_CHECK("element " << i << " is " << made[i] << " instead of " << expected[i]);
        }
        CHECK(wrong == 0);
    }

    // One operator, all by itself.
    void check(Op op, const Fields& fields, const std::vector<Operand>& operands,
               const Contents& output, double tolerance = 0) {
        GraphBuilder graph;
        std::vector<Contents> inputs;
        tosa::test::Names names;
        for (const auto& [tensor, known] : operands) {
            names.push_back("operand" + std::to_string(names.size()));
            if (tensor.type == DType::Shape) {
                graph.op(Op::ConstShape, {}, {names.back()});
                graph.shapes.push_back(
                    {names.back(), static_cast<std::uint32_t>(tensor.size()), tensor.data});
            } else if (known) {
                graph.constant(names.back(), tensor.dims, tensor.data, tensor.type);
            } else {
                graph.input(names.back(), tensor.dims, tensor.type);
                inputs.push_back(tensor);
            }
        }
        graph.output("made", output.dims, output.type);
        graph.op(op, names, {"made"}, attribute(op, fields));
        check(graph, inputs, output, tolerance);
    }

 private:
    static bool close(double a, double b, double tolerance) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
        if (a == b) return std::signbit(a) == std::signbit(b);
        return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
    }

    // The one output, in a buffer of which the rest must stay as it is.
    Bytes run(const GraphBuilder& graph, const std::vector<Bytes>& inputs, std::size_t size) {
        auto program = Rig::make(rig.try_load(graph.file()));
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<Binding> bindings;
        const auto bind = [&](const Bytes& contents, std::size_t bytes, Access access) {
            buffers.push_back(rig.buffer(contents));
            bindings.push_back({buffers.back().get(), 0, bytes,
                                static_cast<std::uint32_t>(bindings.size()), access});
        };
        for (const Bytes& input : inputs)
            bind(input, input.size(), Access::Read);
        bind(Bytes(size + kBeyond, std::byte{0xA5}), size, Access::Write);
        rig.finish(rig.submit(*program, bindings));

        Bytes made = rig.read(*buffers.back(), 0, size + kBeyond);
        CHECK(std::ranges::all_of(std::span(made).last(kBeyond),
                                  [](std::byte byte) { return byte == std::byte{0xA5}; }));
        made.resize(size);
        for (auto& buffer : buffers)
            rig.free(std::move(buffer));
        rig.unload(std::move(program));
        return made;
    }

    static constexpr std::size_t kBeyond = 16;
    cpu::test::Rig cpu_{{.engine = cpu::Engine::Reference}};
};

// As many dispatches as a graph takes.
inline std::size_t dispatches(const GraphBuilder& builder) {
    const Grid grid{
        .elements = 17, .workgroup = 256, .edge = 16, .max_groups = 65535, .max_range = 1U << 28};
    const auto file = builder.file();
    const auto graph = tosa::build_graph(file, kTarget);
    REQUIRE(graph);
    const auto lowering = lower(*graph, grid);
    REQUIRE(lowering);
    const auto plan = schedule(*lowering, grid);
    REQUIRE(plan);
    return plan->dispatches.size();
}

}  // namespace vulkan::test
