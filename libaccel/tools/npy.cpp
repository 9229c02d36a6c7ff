// SPDX-License-Identifier: MIT
#include "npy.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/ranges.h>

namespace accelctl {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLengthOffset = 8;  // after the magic and two bytes of version

// The Python dictionary in a header, read from left to right. Each function eats
// what it recognises, and blanks before it.
class Literal {
 public:
    explicit Literal(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end() {
        skip_blanks();
        return rest_.empty();
    }

    bool eat(std::string_view word) {
        skip_blanks();
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    std::optional<std::string_view> string() {
        skip_blanks();
        if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) return std::nullopt;
        const auto text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }

    std::optional<std::uint64_t> number() {
        skip_blanks();
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc()) return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }

    // "()", "(3,)", "(3, 4)"
    std::optional<Shape> tuple() {
        Shape shape;
        if (!eat("(")) return std::nullopt;
        bool comma = true;
        while (!eat(")")) {
            const auto extent = number();
            if (!comma || !extent || shape.size() == kMaxDimensions) return std::nullopt;
            shape.push_back(*extent);
            comma = eat(",");
        }
        if (shape.size() == 1 && !comma) return std::nullopt;  // "(3)" is a number
        return shape;
    }

 private:
    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
    }

    std::string_view rest_;
};

struct Header {
    std::optional<std::string_view> descr;
    std::optional<bool> fortran_order;
    std::optional<Shape> shape;
};

bool parse_entry(Literal& literal, Header& header) {
    const auto key = literal.string();
    if (!key || !literal.eat(":")) return false;
    if (*key == "descr" && !header.descr) return (header.descr = literal.string()).has_value();
    if (*key == "shape" && !header.shape) return (header.shape = literal.tuple()).has_value();
    if (*key != "fortran_order" || header.fortran_order) return false;
    header.fortran_order = literal.eat("True");
    return *header.fortran_order || literal.eat("False");
}

std::optional<Header> parse_header(std::string_view text) {
    Literal literal(text);
    Header header;
    if (!literal.eat("{")) return std::nullopt;
    bool comma = true;
    while (!literal.eat("}")) {
        if (!comma || !parse_entry(literal, header)) return std::nullopt;
        comma = literal.eat(",");
    }
    if (!literal.at_end() || !header.descr || !header.fortran_order || !header.shape)
        return std::nullopt;
    return header;
}

std::optional<std::uint64_t> product(const Shape& shape, std::uint64_t start) {
    std::uint64_t result = start;
    for (const std::uint64_t extent : shape)
        if (__builtin_mul_overflow(result, extent, &result)) return std::nullopt;
    return result;
}

// The text of the header and where the data starts.
Outcome<std::pair<std::string_view, std::size_t>> split(std::string_view file) {
    if (!file.starts_with(kMagic) || file.size() < kLengthOffset + 2)
        return failure("not a .npy file");
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(file[at]); };
    const unsigned major = byte(6);
    if (major < 1 || major > 2 || byte(7) != 0)
        return failure("format {}.{} of .npy is not known", major, byte(7));

    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t start = kLengthOffset + length_bytes;
    if (file.size() < start) return failure("the .npy header is cut short");
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i)
        length |= std::size_t{byte(kLengthOffset + i)} << (8 * i);
    if (length > kMaxHeaderBytes) return failure("the .npy header is too long");
    if (length > file.size() - start) return failure("the .npy header is cut short");
    return std::pair(file.substr(start, length), start + length);
}

}  // namespace

Outcome<Array> parse_npy(std::span<const std::byte> file) {
    const auto parts = split({reinterpret_cast<const char*>(file.data()), file.size()});
    if (!parts) return std::unexpected(parts.error());
    const auto header = parse_header(parts->first);
    if (!header) return failure("the .npy header is malformed");
    const auto element = element_of(*header->descr);
    if (!element)
        return failure("elements of type {:?} are not supported", header->descr->substr(0, 16));
    if (*header->fortran_order) return failure("Fortran order is not supported");

    const auto data = file.subspan(parts->second);
    // A zero extent hides no overflow: the extents before it were multiplied already.
    if (product(*header->shape, bytes(*element)) != data.size())
        return failure("{} bytes of data do not fill the shape {}", data.size(),
                       to_string(*header->shape));
    return Array{*element, *header->shape, {data.begin(), data.end()}};
}

std::vector<std::byte> format_npy(const Array& array) {
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                     descr(array.element), fmt::join(array.shape, ", "),
                                     array.shape.size() == 1 ? "," : "");
    // The data starts at a multiple of 64, and a line feed ends the header.
    const std::size_t start = kLengthOffset + 2;
    const std::size_t whole = (start + header.size() + 1 + 63) / 64 * 64;
    header.resize(whole - start - 1, ' ');
    header += '\n';

    std::string text(kMagic);
    text += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF),
             static_cast<char>(header.size() >> 8)};
    text += header;
    std::vector<std::byte> file(text.size() + array.data.size());
    std::ranges::copy(std::as_bytes(std::span(text)), file.begin());
    std::ranges::copy(array.data, file.begin() + static_cast<std::ptrdiff_t>(text.size()));
    return file;
}

std::string to_string(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace accelctl
