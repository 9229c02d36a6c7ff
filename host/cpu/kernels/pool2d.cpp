// SPDX-License-Identifier: MIT
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/window_isa.hpp"
#include "cpu/kernels/window_of.hpp"

namespace cpu {
namespace {

class Pool2d final : public Kernel {
 public:
    Pool2d(const Window& window, LinesFunction lines, const tosa::Value& in, bool zero_points,
           tosa::NanMode nan_mode)
        : Kernel(window.units(), cost(window)),
          window_(window),
          lines_(lines),
          in_bytes_(in.bytes / static_cast<std::uint64_t>(window.batch)),
          out_bytes_(static_cast<std::uint64_t>(window.y.out * window.x.out * window.channels) *
                     (in.bytes / in.elements)),
          zero_points_(zero_points),
          nan_mode_(nan_mode) {}

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        window_.for_each_image(first, last, [&](std::uint64_t image, auto from, auto to) {
            lines_({.window = &window_,
                    .first = from,
                    .last = to,
                    .in = operands.input<std::byte>(0) + image * in_bytes_,
                    .out = operands.output<std::byte>(0) + image * out_bytes_,
                    .in_zero = zero_points_ ? *operands.input<std::int8_t>(1) : 0,
                    .out_zero = zero_points_ ? *operands.input<std::int8_t>(2) : 0,
                    .nan_mode = nan_mode_});
        });
    }

 private:
    static std::uint64_t cost(const Window& window) {
        const std::int64_t taps = window.y.kernel * window.x.kernel;
        return static_cast<std::uint64_t>(Window::kUnitLines * window.x.out * window.channels) *
                   static_cast<std::uint64_t>(taps) / 8 +
               1;
    }

    Window window_;
    LinesFunction lines_;
    std::uint64_t in_bytes_;
    std::uint64_t out_bytes_;
    bool zero_points_;
    tosa::NanMode nan_mode_;
};

template <class Attribute>
std::unique_ptr<Kernel> pool(const tosa::Graph& graph, const tosa::Operator& op,
                             const Attribute& attribute, LinesFunction lines, bool zero_points,
                             tosa::NanMode nan_mode) {
    if (lines == nullptr) return nullptr;
    const tosa::Value& in = input(graph, op, 0);
    return make<Pool2d>(window_of(in, output(graph, op), attribute, attribute.kernel()->Get(0),
                                  attribute.kernel()->Get(1), nullptr),
                        lines, in, zero_points, nan_mode);
}

}  // namespace

std::unique_ptr<Kernel> make_avg_pool2d(const tosa::Graph& graph, const tosa::Operator& op) {
    const tosa::DType type = input(graph, op, 0).type;
    return pool(graph, op, *op.serialized->attribute_as_AvgPool2dAttribute(),
                window_isa().average(type), type == tosa::DType::Int8, tosa::NanMode::Propagate);
}

std::unique_ptr<Kernel> make_max_pool2d(const tosa::Graph& graph, const tosa::Operator& op) {
    const auto& attribute = *op.serialized->attribute_as_MaxPool2dAttribute();
    return pool(graph, op, attribute, window_isa().maximum(input(graph, op, 0).type), false,
                static_cast<tosa::NanMode>(attribute.nan_mode()));
}

}  // namespace cpu
