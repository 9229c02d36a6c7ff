// SPDX-License-Identifier: MIT
#pragma once

#include "cpu/kernel.hpp"

namespace cpu {

// One maker an operator that is worth a fast kernel and is not elementwise. The graph is valid
// (providers.md 1.8); null leaves types and shapes that are not to the reference.
using MakeKernel = std::unique_ptr<Kernel> (*)(const tosa::Graph&, const tosa::Operator&);

[[nodiscard]] std::unique_ptr<Kernel> make_avg_pool2d(const tosa::Graph& graph,
                                                      const tosa::Operator& op);
[[nodiscard]] std::unique_ptr<Kernel> make_conv2d(const tosa::Graph& graph,
                                                  const tosa::Operator& op);
[[nodiscard]] std::unique_ptr<Kernel> make_depthwise_conv2d(const tosa::Graph& graph,
                                                            const tosa::Operator& op);
[[nodiscard]] std::unique_ptr<Kernel> make_matmul(const tosa::Graph& graph,
                                                  const tosa::Operator& op);
[[nodiscard]] std::unique_ptr<Kernel> make_max_pool2d(const tosa::Graph& graph,
                                                      const tosa::Operator& op);
[[nodiscard]] std::unique_ptr<Kernel> make_move(const tosa::Graph& graph, const tosa::Operator& op);

// An upper bound on the size of every kernel, for the account of a program's memory.
inline constexpr std::size_t kMaxKernelBytes = 512;

template <class K, class... Args>
std::unique_ptr<Kernel> make(Args&&... args) {
    static_assert(sizeof(K) <= kMaxKernelBytes);
    return std::make_unique<K>(std::forward<Args>(args)...);
}

[[nodiscard]] inline const tosa::Value& input(const tosa::Graph& graph, const tosa::Operator& op,
                                              std::size_t i) {
    return graph.values[op.inputs[i]];
}
[[nodiscard]] inline const tosa::Value& output(const tosa::Graph& graph, const tosa::Operator& op) {
    return graph.values[op.outputs[0]];
}

// Empty of a value that is not constant.
[[nodiscard]] inline std::span<const std::byte> constant_contents(const tosa::Value& value) {
    return value.constant() ? value.data : std::span<const std::byte>{};
}

}  // namespace cpu
