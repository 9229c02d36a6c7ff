// SPDX-License-Identifier: MIT
//
// Graphs computed here and by the CPU provider's reference engine, and what both have to
// say about them.
#pragma once

#include <cmath>
#include <random>
#include <utility>

#include "cpu/tensor.hpp"
#include "vulkan/oracle.hpp"

namespace vulkan::test {

using Contents = cpu::test::Tensor;  // type and extents included
using tosa::NanMode;

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

    // Numbers may differ by that much, or by that part of them.
    void check(const GraphBuilder& graph, const std::vector<Contents>& inputs,
               double tolerance = 0) {
        std::vector<Bytes> bytes;
        for (const Contents& input : inputs)
            bytes.push_back(input.data);
        oracle_.check(graph, bytes, {{.absolute = tolerance, .relative = tolerance}});
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
        check(graph, inputs, tolerance);
    }

 private:
    Oracle oracle_{rig};
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
