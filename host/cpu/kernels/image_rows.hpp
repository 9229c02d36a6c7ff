// SPDX-License-Identifier: MIT
#pragma once

#include "cpu/kernels/gemm.hpp"
#include "cpu/kernels/window.hpp"

namespace cpu {

// The left operand that makes a convolution a matrix product: a row for each output pixel,
// with what its window sees, (ky, kx, channel) in ascending order. Padding is the zero point.
// Never there as a whole: rows are put together as they are packed.
class ImageRows final : public GemmLeft {
 public:
    ImageRows(const std::byte* data, Element element, const Window& window, std::int32_t zero);

    LeftRows find(const GemmIsa& isa, const LeftPart& part, std::byte* to) const override;

 private:
    // Part of a row that lies in one line of the image.
    struct Piece {
        std::int64_t y;
        std::int64_t x;      // of the run's first tap
        std::int64_t begin;  // in the run
        std::int64_t end;
    };
    // From `piece` on; line_x is where the window begins.
    void pack_row(const GemmIsa& isa, std::int64_t batch, std::int64_t line_x, Piece piece,
                  std::int64_t depth, std::byte* to) const;
    [[nodiscard]] bool is_inside(std::int64_t y, std::int64_t x) const;
    void pack_piece(const GemmIsa& isa, std::int64_t batch, const Piece& piece,
                    std::byte* to) const;

    const std::byte* data_;
    Element element_;
    const Window& window_;
    int fill_;
    std::size_t packed_size_;  // bytes of a packed value
    std::int64_t run_taps_;    // how many taps of a line lie side by side: all, or one
    std::int64_t run_;         // values in a run
    std::int64_t runs_a_line_;
    bool may_stay_;  // rows whose windows lie in the image as a whole need not be packed
    bool pointwise_;
};

}  // namespace cpu
