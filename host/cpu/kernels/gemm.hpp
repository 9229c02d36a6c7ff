// SPDX-License-Identifier: MIT
//
// Matrix products in blocks that fit the caches: [batch,m,k] by [batch,k,n] gives
// [batch,m,n], less zero points and plus a bias. FP32 sums for all floating-point types,
// INT32 that wraps for INT8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/kernels/gemm_isa.hpp"

namespace cpu {

struct GemmShape {
    std::uint64_t batch;
    std::uint64_t m;
    std::uint64_t k;
    std::uint64_t n;
};

// The right operand as it lies in memory. Strides are in elements, and one of them is 1.
struct GemmRight {
    const std::byte* data;
    std::uint64_t k_stride;
    std::uint64_t n_stride;
};

// Of the left operand, the rows of a tile from `row` on, and `depth` values from `k` on.
struct LeftPart {
    std::uint64_t row;
    std::uint64_t rows;
    std::uint64_t k;
    std::uint64_t depth;
};

// The left operand, whatever it is made of. find() gives rows as GemmIsa wants them: where they
// are if they lie so, else packed to `to`.
class GemmLeft {
 public:
    virtual LeftRows find(const GemmIsa& isa, const LeftPart& part, std::byte* to) const = 0;

 protected:
    ~GemmLeft() = default;
};

// Whether rows need not be packed: not if they lie so far apart that they could fall into the
// same sets of the cache.
[[nodiscard]] constexpr bool may_stay(Element element, std::size_t stride) {
    return element == Element::Fp32 && stride < 4096;
}

// A matrix of contiguous rows, of all batches one after another.
class GemmRows final : public GemmLeft {
 public:
    GemmRows(const std::byte* data, Element element, std::uint64_t k)
        : data_(data), element_(element), k_(k) {}

    LeftRows find(const GemmIsa& isa, const LeftPart& part, std::byte* to) const override;

 private:
    const std::byte* data_;
    Element element_;
    std::uint64_t k_;
};

struct GemmOperands {
    const GemmLeft& left;
    GemmRight right;          // not read where `packed` is not null
    const std::byte* packed;  // what pack() made of all of the right operand
    std::byte* out;
    const std::byte* bias;     // of the output's type; null where there is none
    std::uint64_t bias_count;  // 1 or n
    std::int32_t left_zero;    // INT8 only
    std::int32_t right_zero;
};

// Whether the instruction set allows it.
[[nodiscard]] inline bool computes(Element element) {
    return element != Element::Fp16 || gemm_isa().halves;
}

class Gemm {
 public:
    // Floating-point products are rounded once to `out`; those of INT8 are INT32 anyhow. Of a
    // right operand that is a constant its size is given, else 0.
    Gemm(const GemmShape& shape, Element in, Element out, std::size_t constant_bytes);

    [[nodiscard]] std::uint64_t units() const { return shape_.batch * m_tiles_ * n_tiles_; }
    // A vector at a time.
    [[nodiscard]] std::uint64_t unit_cost() const { return unit_macs() / 16 + 1; }
    [[nodiscard]] std::size_t scratch_bytes() const { return scratch_bytes_; }

    // Whether the right operand is packed before it is used first, with pack(), which a
    // constant is unless it is so narrow that mostly padding would be kept.
    [[nodiscard]] bool packed_ahead() const { return packed_ahead_; }
    [[nodiscard]] std::size_t packed_bytes() const { return shape_.batch * packed_batch_; }
    void pack(const GemmRight& right, std::byte* to) const;

    // `scratch` starts at a cache line.
    void run(const GemmOperands& operands, std::uint64_t first, std::uint64_t last,
             std::byte* scratch) const;

 private:
    struct Unit;

    void choose_tiles();
    void lay_out_scratch();
    void run_unit(const GemmOperands& operands, const Unit& unit, std::byte* scratch) const;
    void pack_panels(const GemmRight& right, std::uint64_t k, std::uint64_t depth, std::uint64_t n,
                     std::uint64_t columns, std::byte* to, std::size_t panel_stride,
                     std::int32_t* sums) const;
    void make_float_terms(const GemmOperands& operands, const Unit& unit, float* terms) const;
    void make_byte_terms(const GemmOperands& operands, const Unit& unit, const std::int32_t* sums,
                         std::int32_t* terms) const;

    [[nodiscard]] std::uint64_t unit_macs() const { return tile_m_ * tile_n_ * shape_.k; }
    [[nodiscard]] bool bytes() const { return in_ == Element::Int8; }
    // Values of k in a step.
    [[nodiscard]] std::uint64_t step_depth() const { return bytes() ? 4 : 1; }
    [[nodiscard]] std::uint64_t steps(std::uint64_t depth) const {
        return (depth + step_depth() - 1) / step_depth();
    }
    // The sum is kept in scratch memory until it is rounded.
    [[nodiscard]] bool narrows() const { return !bytes() && out_ != Element::Fp32; }

    const GemmIsa* isa_;
    GemmShape shape_;
    Element in_;
    Element out_;
    bool packed_ahead_ = false;
    std::uint64_t block_depth_ = 0;  // values of k at a time
    std::uint64_t tile_m_ = 0;
    std::uint64_t tile_n_ = 0;
    std::uint64_t m_tiles_ = 0;
    std::uint64_t n_tiles_ = 0;
    std::size_t packed_panels_ = 0;  // bytes of a batch's panels; INT8 column sums follow
    std::size_t packed_batch_ = 0;
    std::size_t row_terms_at_ = 0;  // in scratch memory
    std::size_t column_terms_at_ = 0;
    std::size_t sums_at_ = 0;
    std::size_t panels_at_ = 0;
    std::size_t tile_at_ = 0;
    std::size_t scratch_bytes_ = 0;
};

}  // namespace cpu
