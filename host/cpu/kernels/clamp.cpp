// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstring>
#include <limits>

#include "cpu/kernels/kernels.hpp"
#include "tosa_generated.h"

namespace cpu {
namespace {

class Clamp final : public Kernel {
 public:
    Clamp(std::uint64_t elements, float low, float high, bool propagate)
        : Kernel(elements, 1),
          low_(low),
          high_(high),
          nan_(propagate ? std::numeric_limits<float>::quiet_NaN() : low) {}

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        const float* in = operands.input<float>(0);
        float* out = operands.output<float>(0);
        for (std::uint64_t i = first; i < last; ++i)
            out[i] = clamp(in[i]);
    }

 private:
    // Which operand an equal comparison keeps matters for signed zeros: the first in
    // the maximum, the second in the minimum (providers.md 2.2).
    [[nodiscard]] float clamp(float x) const {
        if (std::isnan(x)) return nan_;
        const float raised = x >= low_ ? x : low_;
        return raised < high_ ? raised : high_;
    }

    float low_;
    float high_;
    float nan_;  // what NaN becomes; ignoring it leaves the lower bound
};

float bound(const flatbuffers::Vector<std::uint8_t>& bytes) {
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

}  // namespace

std::unique_ptr<Kernel> make_clamp(const tosa::Graph& graph, const tosa::Operator& op) {
    const tosa::Value& in = input(graph, op, 0);
    if (in.type != tosa::DType::Fp32) return nullptr;
    const auto& attribute = *op.serialized->attribute_as_ClampAttribute();
    return make<Clamp>(in.elements, bound(*attribute.min_val()), bound(*attribute.max_val()),
                       attribute.nan_mode() == tosa::fbs::NanPropagationMode::PROPAGATE);
}

}  // namespace cpu
