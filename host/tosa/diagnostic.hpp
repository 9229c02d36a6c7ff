// SPDX-License-Identifier: MIT
//
// How the front end says what is wrong with a file.
#pragma once

#include <expected>
#include <format>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tosa/graph.hpp"

namespace tosa {

template <class T>
using Checked = std::expected<T, GraphError>;

// A name out of a file, in quotes: shortened, and with everything escaped that
// could leave the quotes or reach a terminal.
[[nodiscard]] std::string quoted(std::string_view name);

// "[1,2,3]"
[[nodiscard]] std::string text(std::span<const std::int32_t> dims);

// "region 'main', block 'entry'"
[[nodiscard]] std::string block_place(const Graph& graph, BlockId block);

// "operator 3 (MATMUL)"
[[nodiscard]] std::string operator_place(std::size_t source_index, Op op);

// "region 'main', block 'entry': operator 3 (MATMUL)"
[[nodiscard]] std::string operator_place(const Graph& graph, OperatorId id);

template <class... Args>
std::unexpected<GraphError> malformed(Code code, std::format_string<Args...> format,
                                      Args&&... args) {
    return std::unexpected(GraphError{GraphError::Kind::Malformed, code,
                                      std::format(format, std::forward<Args>(args)...)});
}

template <class... Args>
std::unexpected<GraphError> unsupported(Code code, std::format_string<Args...> format,
                                        Args&&... args) {
    return std::unexpected(GraphError{GraphError::Kind::Unsupported, code,
                                      std::format(format, std::forward<Args>(args)...)});
}

inline std::unexpected<GraphError> exceeded(std::string_view what, std::uint64_t limit) {
    return std::unexpected(GraphError{GraphError::Kind::LimitExceeded, Code::LimitExceeded,
                                      std::format("more than {} {}", limit, what)});
}

// Puts the place in front of an error that a callee could not locate.
inline GraphError at(std::string_view place, GraphError error) {
    error.message.insert(0, std::format("{}: ", place));
    return error;
}

}  // namespace tosa
