// SPDX-License-Identifier: MIT
#include <functional>

#include "cpu/kernels/broadcast.hpp"
#include "cpu/kernels/kernels.hpp"

namespace cpu {
namespace {

class Add final : public Kernel {
 public:
    Add(std::uint64_t elements, const Broadcast& broadcast)
        : Kernel(elements, 1), broadcast_(broadcast) {}

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        broadcast_.apply(operands.input<float>(0), operands.input<float>(1),
                         operands.output<float>(0), first, last, std::plus<>());
    }

 private:
    Broadcast broadcast_;
};

}  // namespace

std::unique_ptr<Kernel> make_add(const tosa::Graph& graph, const tosa::Operator& op) {
    const tosa::Value& out = output(graph, op);
    if (out.type != tosa::DType::Fp32) return nullptr;
    return make<Add>(out.elements,
                     Broadcast(input(graph, op, 0).dims, input(graph, op, 1).dims, out.dims));
}

}  // namespace cpu
