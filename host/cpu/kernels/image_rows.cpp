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

std::size_t bytes(std::int64_t steps) {
    return static_cast<std::size_t>(steps) * kStepBytes;
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
      may_stay_(runs_a_line_ == 1 &&
                cpu::may_stay(element, bytes(window.x.stride * window.channels))),
      pointwise_(is_pointwise(window.y) && is_pointwise(window.x)) {}

LeftRows ImageRows::find(const GemmIsa& isa, const LeftPart& part, std::byte* to) const {
    if (pointwise_)
        return GemmRows(data_, element_, static_cast<std::uint64_t>(run_)).find(isa, part, to);
    const auto at = static_cast<std::int64_t>(part.row);
    const auto rows = static_cast<std::int64_t>(part.rows);
    const auto depth = static_cast<std::int64_t>(part.depth);
    std::int64_t x = at % window_.x.out;
    std::int64_t y = at / window_.x.out % window_.y.out;
    std::int64_t batch = at / window_.x.out / window_.y.out;
    const std::int64_t run = static_cast<std::int64_t>(part.k) / run_;
    const Piece first{.y = run / runs_a_line_ * window_.y.dilation,
                      .x = run % runs_a_line_ * window_.x.dilation,
                      .begin = static_cast<std::int64_t>(part.k) - run * run_,
                      .end = 0};
    const std::int64_t from_y = window_.y.start(y);
    const std::int64_t from_x = window_.x.start(x);
    if (may_stay_ && x + rows <= window_.x.out && is_inside(from_y, from_x) &&
        is_inside(from_y, from_x + (rows - 1) * window_.x.stride)) {
        const std::int64_t pixel =
            (batch * window_.y.in + from_y + first.y) * window_.x.in + from_x;
        return {.at = data_ + bytes(pixel * window_.channels + first.begin),
                .stride = bytes(window_.x.stride * window_.channels),
                .first_run = static_cast<std::size_t>(run_ - first.begin),
                .run = static_cast<std::size_t>(run_),
                .gap = bytes(window_.x.in * window_.y.dilation * window_.channels - run_)};
    }
    std::byte* row = to;
    for (std::int64_t i = 0; i < rows; ++i, row += kRowStride) {
        Piece from = first;
        from.y += window_.y.start(y);
        from.x += window_.x.start(x);
        pack_row(isa, batch, window_.x.start(x), from, depth, row);
        if (++x < window_.x.out) continue;
        x = 0;
        if (++y < window_.y.out) continue;
        y = 0;
        ++batch;
    }
    return {.at = to};
}

void ImageRows::pack_row(const GemmIsa& isa, std::int64_t batch, std::int64_t line_x, Piece piece,
                         std::int64_t depth, std::byte* to) const {
    if (depth == run_ * window_.y.kernel && is_inside(piece.y, piece.x)) {
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
bool ImageRows::is_inside(std::int64_t y, std::int64_t x) const {
    return runs_a_line_ == 1 && x >= 0 && x + run_taps_ <= window_.x.in && y >= 0 &&
           y + (window_.y.kernel - 1) * window_.y.dilation < window_.y.in;
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
