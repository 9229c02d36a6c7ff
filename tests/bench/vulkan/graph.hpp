// SPDX-License-Identifier: MIT
//
// Writes the small graphs that are measured.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "bench/vulkan/case.hpp"
#include "tosa/attributes.hpp"

namespace vulkan::bench {

using tosa::DType;
using tosa::Op;
using tosa::test::Attribute;
using tosa::test::Dims;
using tosa::test::Names;

class Graph {
 public:
    explicit Graph(const tosa::Target& target) { made_.target = target; }

    // Named in0, in1 and so on.
    Graph& input(DType type, const Dims& shape) {
        const auto number = made_.inputs.size();
        graph_.input("in" + std::to_string(number), shape, type);
        made_.inputs.push_back(random_tensor(type, shape, static_cast<std::uint32_t>(number + 1)));
        return *this;
    }
    Graph& constant(const std::string& name, const Tensor& tensor) {
        graph_.constant(name, tensor.shape, tensor.data, tensor.type);
        return *this;
    }
    Graph& step(Op op, const Names& in, const std::string& out, DType type, const Dims& shape,
                const Attribute& attribute = tosa::test::empty_attribute) {
        graph_.tensor(out, shape, type).op(op, in, {out}, attribute);
        return *this;
    }
    // The last operator, which makes the only output.
    Case output(Op op, const Names& in, DType type, const Dims& shape,
                const Attribute& attribute = tosa::test::empty_attribute) {
        graph_.output("out", shape, type).op(op, in, {"out"}, attribute);
        made_.outputs = {zero_tensor(type, shape)};
        made_.program = graph_.file();
        return std::move(made_);
    }

 private:
    tosa::test::GraphBuilder graph_;
    Case made_;
};

// The tensor that an operator takes for a zero point of 0.
[[nodiscard]] inline Tensor no_zero_point(DType type) {
    return zero_tensor(type, {1});
}

}  // namespace vulkan::bench
