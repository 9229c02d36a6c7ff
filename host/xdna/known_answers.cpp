// SPDX-License-Identifier: MIT
#include <initializer_list>

#include "xdna/self_test.hpp"

namespace xdna {
namespace {

using Bytes = std::vector<std::byte>;

// Little-endian, as the array and every host that has one.
template <class T>
Bytes bytes_of(std::initializer_list<T> values) {
    const auto view = std::as_bytes(std::span(values.begin(), values.size()));
    return {view.begin(), view.end()};
}

Bytes repeat(const Bytes& bytes, std::size_t times) {
    Bytes all;
    for (; times > 0; --times)
        all.insert(all.end(), bytes.begin(), bytes.end());
    return all;
}

// Each row of a matrix, so many times after another.
Bytes rows(std::initializer_list<Bytes> some, std::size_t times) {
    Bytes all;
    for (const Bytes& row : some)
        all.insert(all.end(), row.begin(), row.end());
    return repeat(all, times);
}

template <class T>
Bytes constant_row(T value, std::size_t elements) {
    return repeat(bytes_of({value}), elements);
}

template <class T>
Bytes row(std::initializer_list<T> values, std::size_t times) {
    return repeat(bytes_of(values), times);
}

// A's rows are 1, 2, -1 and 0.5, B's columns 1, 2, -1 and 0.5.
Bytes product_32_64_32() {
    return rows({row<float>({64, 128, -64, 32}, 8), row<float>({128, 256, -128, 64}, 8),
                 row<float>({-64, -128, 64, -32}, 8), row<float>({32, 64, -32, 16}, 8)},
                8);
}

template <class T>
std::vector<Bytes> factors_32_64_32(T one, T two, T minus_one, T half) {
    return {rows({constant_row(one, 64), constant_row(two, 64), constant_row(minus_one, 64),
                  constant_row(half, 64)},
                 8),
            row<T>({one, two, minus_one, half}, 8 * 64)};
}

std::vector<KnownAnswer> moves() {
    const Bytes bytes = bytes_of<std::int8_t>({1, -2, 3, -4, 127, -128, 0, 85});
    const Bytes halves =
        bytes_of<std::uint16_t>({0x3F80, 0x4000, 0xBF80, 0x3B00, 0x43E0, 0x0000, 0x8000, 0x3C60});
    return {{Int8Identity{8}, {bytes}, bytes},
            {Int8Identity{1024}, {repeat(bytes, 128)}, repeat(bytes, 128)},
            {Bf16Identity{1024}, {repeat(halves, 128)}, repeat(halves, 128)},
            {Fp8ToBf16{Fp8::E4M3, 1024},
             {row<std::uint8_t>({0x38, 0x40, 0xB8, 0x01, 0x7E, 0x00, 0x80, 0x07}, 128)},
             repeat(halves, 128)}};
}

std::vector<KnownAnswer> products() {
    return {
        {Int8Matmul{{2, 3, 2}, -2, 3},
         {bytes_of<std::int8_t>({1, 2, 3, -4, 5, -6, 0, 0}),
          bytes_of<std::int8_t>({7, -8, 9, 10, -11, 12, 0, 0})},
         bytes_of<std::int32_t>({-34, 40, 90, 35})},
        {Int8Matmul{{16, 16, 16}, -1, 0},
         {rows({constant_row<std::int8_t>(1, 16), constant_row<std::int8_t>(-2, 16)}, 8),
          row<std::int8_t>({3, -5, 7, 0}, 64)},
         rows({row<std::int32_t>({96, -160, 224, 0}, 4), row<std::int32_t>({-48, 80, -112, 0}, 4)},
              8)},
        {Bf16Matmul{{32, 64, 32}}, factors_32_64_32<std::uint16_t>(0x3F80, 0x4000, 0xBF80, 0x3F00),
         product_32_64_32()},
        {Fp8Matmul{Fp8::E4M3, Fp8::E4M3, {32, 64, 32}},
         factors_32_64_32<std::uint8_t>(0x38, 0x40, 0xB8, 0x30), product_32_64_32()}};
}

std::vector<KnownAnswer> others() {
    return {
        {Int32ToInt8Rescale{16, 1 << 30, 31, 1},  // halves, rounded up where it is undecided
         {bytes_of<std::int32_t>(
             {0, 1, 2, 3, -1, -2, -3, 100, 254, 255, -254, -256, 1000, -1000, 6, 7})},
         bytes_of<std::int8_t>({1, 2, 2, 3, 1, 0, 0, 51, 127, 127, -126, -127, 127, -128, 4, 5})},
        {Bf16MaxPool2d{4, 4, 2, 2, 2, 2, 2},
         {bytes_of<std::uint16_t>({0x3F80, 0xBF80, 0x4000, 0xC000, 0x4040, 0xC040, 0x4080,
                                   0xC080, 0x40A0, 0xC0A0, 0x40C0, 0xC0C0, 0x40E0, 0xC0E0,
                                   0x4100, 0xC100, 0x4110, 0xC110, 0x4120, 0xC120, 0x4130,
                                   0xC130, 0x4140, 0xC140, 0x4150, 0xC150, 0x4160, 0xC160,
                                   0x4170, 0xC170, 0x4180, 0xC180})},
         bytes_of<std::uint16_t>(
             {0x40C0, 0xBF80, 0x4100, 0xC040, 0x4160, 0xC110, 0x4180, 0xC130})}};
}

}  // namespace

std::vector<KnownAnswer> known_answers() {
    std::vector<KnownAnswer> all;
    for (auto* some : {moves, products, others})
        for (KnownAnswer& known : some())
            all.push_back(std::move(known));
    return all;
}

}  // namespace xdna
