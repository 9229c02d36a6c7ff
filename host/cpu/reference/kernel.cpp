// SPDX-License-Identifier: MIT
#include "cpu/reference/kernel.hpp"

#include <algorithm>
#include <vector>

#include "cpu/kernels/kernels.hpp"
#include "cpu/reference/rows.hpp"

namespace cpu::reference {
namespace {

using Types = std::vector<Type>;

Types types_of(const tosa::Graph& graph, std::span<const tosa::ValueId> ids) {
    Types types;
    types.reserve(ids.size());
    for (const tosa::ValueId id : ids) {
        const tosa::Value& value = graph.values[id];
        types.push_back({value.type, value.dims, value.elements});
    }
    return types;
}

class ReferenceKernel final : public Kernel {
 public:
    ReferenceKernel(const Row& row, const tosa::fbs::TosaOperator& op, Types inputs, Types outputs)
        : Kernel(outputs[0].elements, cost(row, op, inputs, outputs)),
          function_(row.function),
          op_(op),
          inputs_(std::move(inputs)),
          outputs_(std::move(outputs)) {}

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        std::vector<Input> inputs;
        std::vector<Output> outputs;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            inputs.push_back({inputs_[i], operands.input<std::byte>(i)});
        for (std::size_t i = 0; i < outputs_.size(); ++i)
            outputs.push_back({outputs_[i], operands.output<std::byte>(i)});
        function_({op_, inputs, outputs}, first, last);
    }

 private:
    // Without contents: costs follow from shapes and attributes alone.
    static std::uint64_t cost(const Row& row, const tosa::fbs::TosaOperator& op,
                              const Types& input_types, const Types& output_types) {
        std::vector<Input> inputs;
        std::vector<Output> outputs;
        for (const Type& type : input_types)
            inputs.push_back({type, nullptr});
        for (const Type& type : output_types)
            outputs.push_back({type, nullptr});
        return std::max<std::uint64_t>(1, row.cost({op, inputs, outputs}));
    }

    Function function_;
    const tosa::fbs::TosaOperator& op_;
    Types inputs_;
    Types outputs_;
};

const Row* find(tosa::Op op) {
    for (const auto rows :
         {binary_rows(), cast_rows(), convolution_rows(), fourier_rows(), gather_rows(),
          layout_rows(), matmul_rows(), pooling_rows(), reduce_rows(), rescale_rows(),
          resize_rows(), select_rows(), table_rows(), unary_rows()}) {
        const auto row = std::ranges::find(rows, op, &Row::op);
        if (row != rows.end()) return &*row;
    }
    return nullptr;
}

}  // namespace

std::unique_ptr<Kernel> make_kernel(const tosa::Graph& graph, const tosa::Operator& op) {
    if (op.op == tosa::Op::Identity || op.op == tosa::Op::Reshape)
        return make_copy(graph.values[op.outputs[0]].bytes);
    const Row* row = find(op.op);
    if (row == nullptr) return nullptr;
    return make<ReferenceKernel>(*row, *op.serialized, types_of(graph, op.inputs),
                                 types_of(graph, op.outputs));
}

}  // namespace cpu::reference
