// SPDX-License-Identifier: MIT
#include "cpu/kernels/gemm.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/memory.hpp"

namespace cpu {
namespace {

// Of the left operand, what fills half of a usual second-level cache together with a panel
// of the right one; of the right operand, what the rest of the caches holds.
constexpr std::uint64_t kMostRows = 240;
constexpr std::uint64_t kMostColumns = 512;
constexpr std::uint64_t kLeastTileRows = 6;  // GemmIsa::rows
// So many units that every thread gets its share, but none too small to be worth its packing.
constexpr std::uint64_t kWantedUnits = 32;
constexpr std::uint64_t kLeastMacs = std::uint64_t{1} << 20;
// What an interruption has to wait for: some milliseconds.
constexpr std::uint64_t kMostMacs = std::uint64_t{1} << 27;

// What may be kept of a constant, beside its size.
constexpr std::size_t kMostGrowth = 4;
constexpr std::size_t kSmall = std::size_t{1} << 16;

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}
constexpr std::uint64_t round_up(std::uint64_t a, std::uint64_t b) {
    return divide_up(a, b) * b;
}

template <class T>
T load(const std::byte* from, std::uint64_t index) {
    T value;
    std::memcpy(&value, from + index * sizeof value, sizeof value);
    return value;
}

}  // namespace

struct Gemm::Unit {
    std::uint64_t batch;
    std::uint64_t m;
    std::uint64_t rows;
    std::uint64_t n;
    std::uint64_t columns;
};

LeftRows GemmRows::find(const GemmIsa& isa, const LeftPart& part, std::byte* to) const {
    const std::size_t size = bytes_of(element_);
    const std::byte* from = data_ + (part.row * k_ + part.k) * size;
    const std::size_t stride = k_ * size;
    if (may_stay(element_, stride)) return {.at = from, .stride = stride};
    isa.load_rows[static_cast<std::size_t>(element_)](from, stride, part.rows, part.depth, to,
                                                      kRowStride);
    return {.at = to};
}

Gemm::Gemm(const GemmShape& shape, Element in, Element out, std::size_t constant_bytes)
    : isa_(&gemm_isa()), shape_(shape), in_(in), out_(out) {
    const std::uint64_t columns = round_up(shape_.n, isa_->columns);
    packed_panels_ = columns * steps(shape_.k) * kStepBytes;
    packed_batch_ = packed_panels_ + (bytes() ? columns * sizeof(std::int32_t) : 0);
    packed_ahead_ = constant_bytes > 0 && packed_bytes() <= kMostGrowth * constant_bytes + kSmall;
    const std::uint64_t most = kBlockSteps * step_depth();
    block_depth_ = round_up(divide_up(shape_.k, divide_up(shape_.k, most)), step_depth());
    choose_tiles();
    lay_out_scratch();
}

// Smaller tiles mean that an operand which is packed as the program runs is packed more
// often: rows are split for free where the right operand is packed ahead.
void Gemm::choose_tiles() {
    const std::uint64_t macs = shape_.batch * shape_.m * shape_.n * shape_.k;
    const std::uint64_t wanted = std::clamp<std::uint64_t>(macs / kLeastMacs, 1, kWantedUnits);
    const std::uint64_t most_m = divide_up(shape_.m, isa_->rows);
    const std::uint64_t most_n = divide_up(shape_.n, isa_->columns);
    m_tiles_ = divide_up(shape_.m, kMostRows);
    n_tiles_ = divide_up(shape_.n, kMostColumns);
    const auto fit = [&] {
        tile_m_ = round_up(divide_up(shape_.m, m_tiles_), isa_->rows);
        tile_n_ = round_up(divide_up(shape_.n, n_tiles_), isa_->columns);
    };
    for (fit(); units() < wanted || unit_macs() > kMostMacs; fit()) {
        const bool may_split_m = m_tiles_ < most_m;
        const bool may_split_n = n_tiles_ < most_n;
        const bool rather_m = tile_m_ > (packed_ahead_ ? 4 * isa_->rows : kMostRows / 2);
        if (may_split_m && (rather_m || !may_split_n))
            ++m_tiles_;
        else if (may_split_n)
            ++n_tiles_;
        else
            break;
    }
    m_tiles_ = divide_up(shape_.m, tile_m_);
    n_tiles_ = divide_up(shape_.n, tile_n_);
}

void Gemm::lay_out_scratch() {
    const auto take = [this](std::size_t bytes) {
        const std::size_t at = scratch_bytes_;
        scratch_bytes_ += round_up(bytes, kCacheLine);
        return at;
    };
    take(tile_m_ * kRowStride);
    row_terms_at_ = take(tile_m_ * sizeof(std::int32_t));
    column_terms_at_ = take(tile_n_ * sizeof(std::int32_t));
    sums_at_ = take(packed_ahead_ ? 0 : tile_n_ * sizeof(std::int32_t));
    panels_at_ = take(packed_ahead_ ? 0 : tile_n_ * kBlockSteps * kStepBytes);
    tile_at_ = take(narrows() ? tile_m_ * tile_n_ * sizeof(float) : 0);
}

void Gemm::pack(const GemmRight& right, std::byte* to) const {
    for (std::uint64_t batch = 0; batch < shape_.batch; ++batch, to += packed_batch_) {
        GemmRight of_batch = right;
        of_batch.data += batch * shape_.k * shape_.n * bytes_of(in_);
        std::memset(to + packed_panels_, 0, packed_batch_ - packed_panels_);
        pack_panels(of_batch, 0, shape_.k, 0, shape_.n, to,
                    steps(shape_.k) * isa_->columns * kStepBytes,
                    reinterpret_cast<std::int32_t*>(to + packed_panels_));
    }
}

// Columns that lie one after another, as weights do, become rows in a small buffer first.
void Gemm::pack_panels(const GemmRight& right, std::uint64_t k, std::uint64_t depth,
                       std::uint64_t n, std::uint64_t columns, std::byte* to,
                       std::size_t panel_stride, std::int32_t* sums) const {
    constexpr std::uint64_t kPiece = 16;
    constexpr std::size_t kMostPanel = 64;
    const std::size_t size = bytes_of(in_);
    const std::size_t step_bytes = isa_->columns * kStepBytes;
    const auto pack_panel = isa_->pack_panel[static_cast<std::size_t>(in_)];
    for (std::uint64_t at = 0; at < columns; at += isa_->columns, to += panel_stride) {
        const std::uint64_t wide = std::min(isa_->columns, columns - at);
        const std::byte* from =
            right.data + (k * right.k_stride + (n + at) * right.n_stride) * size;
        if (right.n_stride == 1) {
            pack_panel({from, right.k_stride * size, depth, wide}, to, sums + at);
            continue;
        }
        for (std::uint64_t piece = 0; piece < depth; piece += kPiece) {
            alignas(kCacheLine) std::byte rows[kPiece * kMostPanel * sizeof(float)];
            const std::uint64_t high = std::min(kPiece, depth - piece);
            for (std::uint64_t column = 0; column < wide; ++column)
                for (std::uint64_t i = 0; i < high; ++i)
                    std::memcpy(
                        rows + (i * kMostPanel + column) * size,
                        from + ((piece + i) * right.k_stride + column * right.n_stride) * size,
                        size);
            pack_panel({rows, kMostPanel * size, high, wide}, to + steps(piece) * step_bytes,
                       sums + at);
        }
    }
}

void Gemm::make_float_terms(const GemmOperands& operands, const Unit& unit, float* terms) const {
    const auto load_terms = isa_->load[static_cast<std::size_t>(out_)];
    const bool one = operands.bias_count == 1;
    load_terms(operands.bias + (one ? 0 : unit.n * bytes_of(out_)), one ? 1 : unit.columns,
               reinterpret_cast<std::byte*>(terms));
    if (one) std::fill_n(terms, unit.columns, terms[0]);
}

// Of (a - a0)(b - b0) summed over k, all that does not depend on the row. INT32 wraps.
void Gemm::make_byte_terms(const GemmOperands& operands, const Unit& unit, const std::int32_t* sums,
                           std::int32_t* terms) const {
    const auto left_zero = static_cast<std::uint32_t>(operands.left_zero + 128);
    const auto right_zero = static_cast<std::uint32_t>(operands.right_zero);
    const auto depth = static_cast<std::uint32_t>(shape_.k);
    for (std::uint64_t i = 0; i < unit.columns; ++i) {
        std::uint32_t term = left_zero * (depth * right_zero - static_cast<std::uint32_t>(sums[i]));
        if (operands.bias != nullptr)
            term += load<std::uint32_t>(operands.bias, operands.bias_count == 1 ? 0 : unit.n + i);
        terms[i] = static_cast<std::int32_t>(term);
    }
}

void Gemm::run(const GemmOperands& operands, std::uint64_t first, std::uint64_t last,
               std::byte* scratch) const {
    for (std::uint64_t at = first; at < last; ++at) {
        const std::uint64_t m = at / n_tiles_ % m_tiles_ * tile_m_;
        const std::uint64_t n = at % n_tiles_ * tile_n_;
        run_unit(operands,
                 {.batch = at / n_tiles_ / m_tiles_,
                  .m = m,
                  .rows = std::min(tile_m_, shape_.m - m),
                  .n = n,
                  .columns = std::min(tile_n_, shape_.n - n)},
                 scratch);
    }
}

void Gemm::run_unit(const GemmOperands& operands, const Unit& unit, std::byte* scratch) const {
    const std::size_t step_bytes = isa_->columns * kStepBytes;
    auto* row_terms = reinterpret_cast<std::int32_t*>(scratch + row_terms_at_);
    auto* column_terms = scratch + column_terms_at_;
    auto* own_sums = reinterpret_cast<std::int32_t*>(scratch + sums_at_);
    const std::byte* packed = nullptr;
    GemmRight right = operands.right;
    if (packed_ahead_) {
        packed = operands.packed + unit.batch * packed_batch_;
    } else {
        right.data += unit.batch * shape_.k * shape_.n * bytes_of(in_);
        std::fill_n(own_sums, tile_n_, 0);
    }

    const std::uint64_t row = unit.batch * shape_.m + unit.m;
    std::byte* out =
        operands.out + (row * shape_.n + unit.n) * bytes_of(bytes() ? Element::Fp32 : out_);
    std::byte* sum = narrows() ? scratch + tile_at_ : out;
    const std::uint64_t sum_stride = narrows() ? tile_n_ : shape_.n;

    // As high as each other: a tile of a row would take as long as one of four.
    const std::uint64_t tile_rows = divide_up(unit.rows, divide_up(unit.rows, isa_->rows));
    std::array<LeftRows, kMostRows / kLeastTileRows> left;
    for (std::uint64_t k = 0; k < shape_.k; k += block_depth_) {
        const std::uint64_t depth = std::min(block_depth_, shape_.k - k);
        for (std::uint64_t i = 0; i < unit.rows; i += tile_rows)
            left[i / tile_rows] =
                operands.left.find(*isa_, {row + i, std::min(tile_rows, unit.rows - i), k, depth},
                                   scratch + i * kRowStride);
        if (bytes() && operands.right_zero != 0)
            for (std::uint64_t i = 0; i < unit.rows; ++i)
                row_terms[i] = isa_->sum(scratch + i * kRowStride, depth) * operands.right_zero;

        GemmBlock block{.left = left.data(),
                        .right = nullptr,
                        .panel_stride = steps(shape_.k) * step_bytes,
                        .rows = unit.rows,
                        .tile_rows = tile_rows,
                        .columns = unit.columns,
                        .steps = steps(depth),
                        .c = sum,
                        .c_stride = sum_stride,
                        .accumulate = k > 0,
                        .column_terms = nullptr,
                        .row_terms = bytes() && operands.right_zero != 0 ? row_terms : nullptr};
        if (packed_ahead_) {
            block.right = packed + unit.n * steps(shape_.k) * kStepBytes + steps(k) * step_bytes;
        } else {
            block.right = scratch + panels_at_;
            block.panel_stride = block.steps * step_bytes;
            pack_panels(right, k, depth, unit.n, unit.columns, scratch + panels_at_,
                        block.panel_stride, own_sums);
        }
        if (bytes() && k + depth == shape_.k) {
            const auto* sums =
                packed_ahead_
                    ? reinterpret_cast<const std::int32_t*>(packed + packed_panels_) + unit.n
                    : own_sums;
            make_byte_terms(operands, unit, sums, reinterpret_cast<std::int32_t*>(column_terms));
            block.column_terms = column_terms;
        } else if (!bytes() && k == 0 && operands.bias != nullptr) {
            make_float_terms(operands, unit, reinterpret_cast<float*>(column_terms));
            block.column_terms = column_terms;
        }
        (bytes() ? isa_->multiply_bytes : isa_->multiply_floats)(block);
    }
    if (narrows())
        for (std::uint64_t i = 0; i < unit.rows; ++i)
            isa_->store[static_cast<std::size_t>(out_)](
                reinterpret_cast<const float*>(sum) + i * sum_stride, unit.columns,
                out + i * shape_.n * bytes_of(out_));
}

}  // namespace cpu
