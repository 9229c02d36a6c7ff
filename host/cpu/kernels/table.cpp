// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cpu/kernels/kernels.hpp"
#include "cpu/reference/kernel.hpp"

namespace cpu {
namespace {

struct Row {
    tosa::Op op;
    MakeKernel make;
};

constexpr Row kRows[] = {
    {tosa::Op::AvgPool2d, make_avg_pool2d},
    {tosa::Op::Conv2d, make_conv2d},
    {tosa::Op::DepthwiseConv2d, make_depthwise_conv2d},
    {tosa::Op::MatMul, make_matmul},
    {tosa::Op::MaxPool2d, make_max_pool2d},
    {tosa::Op::Reshape, make_move},
    {tosa::Op::Identity, make_move},
};

}  // namespace

std::unique_ptr<Kernel> make_kernel(Engine engine, const tosa::Graph& graph,
                                    const tosa::Operator& op) {
    const auto* row = std::ranges::find(kRows, op.op, &Row::op);
    if (engine == Engine::Fast && row != std::end(kRows))
        if (auto kernel = row->make(graph, op)) return kernel;
    return reference::make_kernel(graph, op);
}

}  // namespace cpu
