// SPDX-License-Identifier: MIT
#include <cstring>

#include "cpu/kernels/kernels.hpp"

namespace cpu {
namespace {

class Copy final : public Kernel {
 public:
    explicit Copy(std::uint64_t bytes) : Kernel(bytes, 1) {}

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        std::memcpy(operands.output<std::byte>(0) + first, operands.input<std::byte>(0) + first,
                    last - first);
    }
};

}  // namespace

std::unique_ptr<Kernel> make_copy(std::uint64_t bytes) {
    return make<Copy>(bytes);
}

// IDENTITY and RESHAPE: the elements stay as and where they are, whatever they mean.
std::unique_ptr<Kernel> make_move(const tosa::Graph& graph, const tosa::Operator& op) {
    return make_copy(output(graph, op).bytes);
}

}  // namespace cpu
