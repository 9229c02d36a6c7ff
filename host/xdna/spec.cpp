// SPDX-License-Identifier: MIT
//
// The conditions of providers.md 2.5. Each is checked before anything is computed from the
// numbers that it bounds: from_text() asks with those of a stranger.
#include "xdna/spec.hpp"

#include <format>

#include "tosa/limits.hpp"

namespace xdna {
namespace {

constexpr std::uint64_t kWord = 4;     // what the array's DMA moves at once, in bytes
constexpr std::uint64_t kLine = 1024;  // elements that a worker is streamed at once
constexpr std::uint64_t kEdge = 512;   // of a product
constexpr std::uint64_t kWindow = 8;   // edge and stride of a pool's
constexpr std::uint64_t kPoolElements = 8192;
constexpr std::uint64_t kCoreBytes = 16 << 10;  // where one core holds whole tensors

// Where the table has no bound: all targets that are served are of this level, which has no
// larger tensors (providers.md 1.3). A buffer may be larger.
constexpr std::uint64_t kTensorBytes =
    (1ULL << tosa::level_limits(tosa::Level::EightK).log2_size) - 1;

constexpr std::uint64_t in_words(std::uint64_t bytes) {
    return (bytes + kWord - 1) / kWord * kWord;
}

// Of the tensors: the inputs, then the output.
using Sizes = std::vector<std::uint64_t>;

Sizes product_sizes(const Shape& s, std::uint64_t operand_bytes) {
    const std::uint64_t m = s.m, k = s.k, n = s.n;
    return {operand_bytes * m * k, operand_bytes * k * n, 4 * m * n};
}

std::uint64_t windows(std::uint64_t extent, std::uint64_t kernel, std::uint64_t stride) {
    return (extent - kernel) / stride + 1;
}

Sizes sizes(const Bf16Identity& s) {
    return {2ULL * s.elements, 2ULL * s.elements};
}
Sizes sizes(const Int8Identity& s) {
    return {s.elements, s.elements};
}
Sizes sizes(const Fp8ToBf16& s) {
    return {s.elements, 2ULL * s.elements};
}
Sizes sizes(const Bf16Matmul& s) {
    return product_sizes(s.shape, 2);
}
Sizes sizes(const Fp8Matmul& s) {
    return product_sizes(s.shape, 1);
}
Sizes sizes(const Int8Matmul& s) {
    return product_sizes(s.shape, 1);
}
Sizes sizes(const Int32ToInt8Rescale& s) {
    return {4ULL * s.elements, s.elements};
}
Sizes sizes(const Bf16MaxPool2d& s) {
    const std::uint64_t pixel = 2ULL * s.channels;
    return {pixel * s.in_height * s.in_width, pixel * windows(s.in_height, s.kernel_y, s.stride_y) *
                                                  windows(s.in_width, s.kernel_x, s.stride_x)};
}

// Like unfit(), each of these says what does not hold, or nothing.

std::string within(std::string_view what, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
    if (value >= least && value <= most) return {};
    return std::format("{} = {} is not in {}..{}", what, value, least, most);
}

std::string multiple(std::string_view what, std::uint64_t value, std::uint64_t unit) {
    if (value != 0 && value % unit == 0) return {};
    return std::format("{} = {} is not a positive multiple of {}", what, value, unit);
}

std::string at_most(std::string_view what, std::uint64_t amount, std::uint64_t most) {
    if (amount <= most) return {};
    return std::format("{} are {}, more than {}", what, amount, most);
}

// The first that does not hold. Of conditions that may be evaluated in any order.
std::string first(std::initializer_list<std::string> conditions) {
    for (const std::string& condition : conditions)
        if (!condition.empty()) return condition;
    return {};
}

std::string streamed(std::uint64_t elements, std::uint64_t bytes_of_each) {
    return first({multiple("elements", elements, kLine),
                  at_most("the bytes of a tensor", elements * bytes_of_each, kTensorBytes)});
}

std::string edges(const Shape& s, const Shape& unit) {
    return first({multiple("M", s.m, unit.m), within("M", s.m, 1, kEdge),
                  multiple("K", s.k, unit.k), within("K", s.k, 1, kEdge),
                  multiple("N", s.n, unit.n), within("N", s.n, 1, kEdge)});
}

std::string in_core(const Sizes& tensors) {
    std::uint64_t bytes = 0;
    for (const std::uint64_t tensor : tensors)
        bytes += in_words(tensor);
    return at_most("the bytes of all tensors", bytes, kCoreBytes);
}

// TOSA has no window that reaches over the edge, and none that stops short of it.
std::string window(std::string_view axis, std::uint32_t extent, std::uint32_t kernel,
                   std::uint32_t stride) {
    std::string why = first({within(std::format("{} of the input", axis), extent, 1, kPoolElements),
                             within(std::format("{} of the kernel", axis), kernel, 1, kWindow),
                             within(std::format("{} of the stride", axis), stride, 1, kWindow)});
    if (!why.empty()) return why;
    if (kernel > extent) return std::format("the kernel's {} exceeds the input's", axis);
    if ((extent - kernel) % stride != 0)
        return std::format("the strides of the {} do not end at the input's edge", axis);
    return {};
}

constexpr Shape kMacroTile{.m = 32, .k = 64, .n = 32};
constexpr Shape kAnyTile{.m = 1, .k = 1, .n = 1};

std::string unfit_of(const Bf16Identity& s) {
    return streamed(s.elements, 2);
}
std::string unfit_of(const Int8Identity& s) {
    return s.elements > kLine ? streamed(s.elements, 1) : multiple("elements", s.elements, kWord);
}
std::string unfit_of(const Fp8ToBf16& s) {
    return streamed(s.elements, 2);
}
std::string unfit_of(const Bf16Matmul& s) {
    return edges(s.shape, kMacroTile);
}
std::string unfit_of(const Fp8Matmul& s) {
    return edges(s.shape, kMacroTile);
}
std::string unfit_of(const Int8Matmul& s) {
    const std::string why = edges(s.shape, kAnyTile);
    return why.empty() ? in_core(sizes(s)) : why;
}
std::string unfit_of(const Int32ToInt8Rescale& s) {
    return first({within("multiplier", s.multiplier, 0, INT32_MAX), within("shift", s.shift, 2, 62),
                  within("elements", s.elements, 1, kCoreBytes), in_core(sizes(s))});
}
std::string unfit_of(const Bf16MaxPool2d& s) {
    std::string why = first({window("height", s.in_height, s.kernel_y, s.stride_y),
                             window("width", s.in_width, s.kernel_x, s.stride_x),
                             within("channels", s.channels, 1, kPoolElements)});
    if (!why.empty()) return why;
    const Sizes tensors = sizes(s);
    return at_most("the elements of both tensors", (tensors[0] + tensors[1]) / 2, kPoolElements);
}

}  // namespace

std::string unfit(const Spec& spec) {
    return std::visit([](const auto& s) { return unfit_of(s); }, spec);
}

std::vector<provider::Slot> slots(const Spec& spec) {
    std::vector<provider::Slot> out;
    for (const std::uint64_t bytes : std::visit([](const auto& s) { return sizes(s); }, spec))
        out.push_back(
            {.bytes = in_words(bytes), .alignment = kWord, .access = provider::Access::Read});
    out.back().access = provider::Access::Write;
    return out;
}

}  // namespace xdna
