// SPDX-License-Identifier: MIT
#include "tosa/diagnostic.hpp"

#include <iterator>

namespace tosa {

std::string quoted(std::string_view name) {
    constexpr std::size_t kMaxShown = 64;

    std::string out = "'";
    for (const char c : name.substr(0, kMaxShown)) {
        if (c >= ' ' && c <= '~' && c != '\'' && c != '\\')
            out += c;
        else
            std::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
    out += name.size() > kMaxShown ? "...'" : "'";
    return out;
}

std::string text(std::span<const std::int32_t> dims) {
    std::string out = "[";
    for (const std::int32_t dim : dims)
        std::format_to(std::back_inserter(out), "{}{}", out.size() > 1 ? "," : "", dim);
    return out + "]";
}

std::string operator_place(std::size_t source_index, Op op) {
    return std::format("operator {} ({})", source_index, name(op));
}

}  // namespace tosa
