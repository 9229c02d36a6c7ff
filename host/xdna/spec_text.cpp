// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <utility>

#include "xdna/spec.hpp"

namespace xdna {
namespace {

// In the order of the variant.
constexpr std::array<std::string_view, std::variant_size_v<Spec>> kKinds{
    "bf16-identity", "int8-identity", "fp8-to-bf16",           "bf16-matmul",
    "fp8-matmul",    "int8-matmul",   "int32-to-int8-rescale", "bf16-max-pool2d"};

constexpr std::array<std::string_view, 2> kFormats{"e4m3", "e5m2"};

// The fields of each kind in the order of the text: each(name, field) is called for all.

void fields(Bf16Identity& s, auto each) {
    each("elements", s.elements);
}
void fields(Int8Identity& s, auto each) {
    each("elements", s.elements);
}
void fields(Fp8ToBf16& s, auto each) {
    each("format", s.format);
    each("elements", s.elements);
}
void fields(Shape& s, auto each) {
    each("m", s.m);
    each("k", s.k);
    each("n", s.n);
}
void fields(Bf16Matmul& s, auto each) {
    fields(s.shape, each);
}
void fields(Fp8Matmul& s, auto each) {
    each("a", s.a);
    each("b", s.b);
    fields(s.shape, each);
}
void fields(Int8Matmul& s, auto each) {
    fields(s.shape, each);
    each("a_zero", s.a_zero);
    each("b_zero", s.b_zero);
}
void fields(Int32ToInt8Rescale& s, auto each) {
    each("elements", s.elements);
    each("multiplier", s.multiplier);
    each("shift", s.shift);
    each("output_zero", s.output_zero);
}
void fields(Bf16MaxPool2d& s, auto each) {
    each("in_height", s.in_height);
    each("in_width", s.in_width);
    each("channels", s.channels);
    each("kernel_y", s.kernel_y);
    each("kernel_x", s.kernel_x);
    each("stride_y", s.stride_y);
    each("stride_x", s.stride_x);
}

std::string word(Fp8 format) {
    return std::string(kFormats[std::to_underlying(format)]);
}
std::string word(auto number) {
    return std::format("{}", number);
}

bool read(std::string_view text, Fp8& format) {
    for (std::size_t i = 0; i < kFormats.size(); ++i)
        if (text == kFormats[i]) {
            format = static_cast<Fp8>(i);
            return true;
        }
    return false;
}
bool read(std::string_view text, auto& number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}

// What stands before the next space, which is taken as well.
std::string_view take_word(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    return word;
}

template <std::size_t... I>
std::optional<Spec> default_of(std::string_view kind, std::index_sequence<I...>) {
    std::optional<Spec> out;
    ((kind == kKinds[I] ? void(out.emplace(std::in_place_index<I>)) : void()), ...);
    return out;
}

}  // namespace

std::string to_text(const Spec& spec) {
    std::string text(kKinds[spec.index()]);
    std::visit(
        [&](auto kind) {
            fields(kind, [&](std::string_view name, auto& field) {
                text += std::format(" {}={}", name, word(field));
            });
        },
        spec);
    return text;
}

std::optional<Spec> from_text(std::string_view text) {
    std::string_view rest = text;
    auto spec = default_of(take_word(rest), std::make_index_sequence<kKinds.size()>());
    if (!spec) return std::nullopt;
    bool known = true;
    std::visit(
        [&](auto& kind) {
            fields(kind, [&](std::string_view name, auto& field) {
                const std::string_view given = take_word(rest);
                known = known && given.size() > name.size() && given.starts_with(name) &&
                        read(given.substr(name.size() + 1), field);
            });
        },
        *spec);
    // One spelling for each spec: what is not written like it was not written by to_text().
    if (!known || !unfit(*spec).empty() || to_text(*spec) != text) return std::nullopt;
    return spec;
}

}  // namespace xdna
