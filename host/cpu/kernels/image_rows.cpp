// SPDX-License-Identifier: MIT
#include "cpu/kernels/image_rows.hpp"

#include <algorithm>
#include <cstring>

namespace cpu {
namespace {

// Each output sees the input where it is, and nothing else.
bool is_pointwise(const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.before == 0 && axis.in == axis.out;
}

}  // namespace

ImageRows::ImageRows(const std::byte* data, Element element, const Window& window,
                     std::int32_t zero)
    : data_(data),
      element_(element),
      window_(window),
      fill_(element == Element::Int8 ? zero + 128 : 0),
      packed_size_(element == Element::Int8 ? 1 : sizeof(float)),
      run_taps_(window.x.dilation == 1 ? window.x.kernel : 1),
      run_(run_taps_ * window.channels),
      runs_a_line_(window.x.kernel / run_taps_),
      pointwise_(is_pointwise(window.y) && is_pointwise(window.x)) {}

void ImageRows::pack(const GemmIsa& isa, std::uint64_t row, std::uint64_t rows, std::uint64_t k,
                     std::uint64_t depth, std::byte* to) const {
    if (pointwise_)
        return GemmRows(data_, element_, static_cast<std::uint64_t>(run_))
            .pack(isa, row, rows, k, depth, to);
    const auto pixel = static_cast<std::int64_t>(row);
    std::int64_t x = pixel % window_.x.out;
    std::int64_t y = pixel / window_.x.out % window_.y.out;
    std::int64_t batch = pixel / window_.x.out / window_.y.out;
    const std::int64_t run = static_cast<std::int64_t>(k) / run_;
    const Piece first{.y = run / runs_a_line_ * window_.y.dilation,
                      .x = run % runs_a_line_ * window_.x.dilation,
                      .begin = static_cast<std::int64_t>(k) - run * run_,
                      .end = 0};
    for (std::uint64_t i = 0; i < rows; ++i, to += kRowStride) {
        Piece from = first;
        from.y += window_.y.start(y);
        from.x += window_.x.start(x);
        pack_row(isa, batch, window_.x.start(x), from, static_cast<std::int64_t>(depth), to);
        if (++x < window_.x.out) continue;
        x = 0;
        if (++y < window_.y.out) continue;
        y = 0;
        ++batch;
    }
}

void ImageRows::pack_row(const GemmIsa& isa, std::int64_t batch, std::int64_t line_x, Piece piece,
                         std::int64_t depth, std::byte* to) const {
    if (depth == run_ * window_.y.kernel && is_inside(piece)) {
        const std::int64_t size = static_cast<std::int64_t>(bytes_of(element_)) * window_.channels;
        const std::int64_t pixel = (batch * window_.y.in + piece.y) * window_.x.in + piece.x;
        return isa.load_rows[static_cast<std::size_t>(element_)](
            data_ + pixel * size,
            static_cast<std::size_t>(window_.x.in * window_.y.dilation * size),
            static_cast<std::size_t>(window_.y.kernel), static_cast<std::size_t>(run_), to,
            static_cast<std::size_t>(run_) * packed_size_);
    }
    const std::int64_t line_end = line_x + window_.x.kernel * window_.x.dilation;
    while (depth > 0) {
        piece.end = std::min(run_, piece.begin + depth);
        const std::int64_t count = piece.end - piece.begin;
        pack_piece(isa, batch, piece, to);
        to += static_cast<std::size_t>(count) * packed_size_;
        depth -= count;
        piece.begin = 0;
        piece.x += run_taps_ * window_.x.dilation;
        if (piece.x < line_end) continue;
        piece.x = line_x;
        piece.y += window_.y.dilation;
    }
}

// Whether a window that begins there has no padding, and its lines are runs.
bool ImageRows::is_inside(const Piece& piece) const {
    return runs_a_line_ == 1 && piece.x >= 0 && piece.x + run_taps_ <= window_.x.in &&
           piece.y >= 0 && piece.y + (window_.y.kernel - 1) * window_.y.dilation < window_.y.in;
}

void ImageRows::pack_piece(const GemmIsa& isa, std::int64_t batch, const Piece& piece,
                           std::byte* to) const {
    const auto fill = [&](std::int64_t count) {
        std::memset(to, fill_, static_cast<std::size_t>(count) * packed_size_);
        to += static_cast<std::size_t>(count) * packed_size_;
    };
    if (piece.y < 0 || piece.y >= window_.y.in) return fill(piece.end - piece.begin);

    const std::int64_t first = std::clamp(-piece.x * window_.channels, piece.begin, piece.end);
    const std::int64_t last =
        std::clamp((window_.x.in - piece.x) * window_.channels, first, piece.end);
    if (first > piece.begin) fill(first - piece.begin);
    if (last > first) {
        const std::int64_t pixel = (batch * window_.y.in + piece.y) * window_.x.in + piece.x;
        const std::int64_t at = pixel * window_.channels + first;
        const auto count = static_cast<std::size_t>(last - first);
        isa.load[static_cast<std::size_t>(element_)](
            data_ + at * static_cast<std::int64_t>(bytes_of(element_)), count, to);
        to += count * packed_size_;
    }
    if (piece.end > last) fill(piece.end - last);
}

}  // namespace cpu
