// SPDX-License-Identifier: MIT
//
// The edge of XRT, which no exception crosses.
#pragma once

#include <expected>
#include <string>
#include <type_traits>

#include "xdna/hardware.hpp"
#include "xdna/xrt/api.hpp"

namespace xdna {

struct Failure {
    Error error = ErrorKind::External;
    int number = 0;    // the system's, 0 for none
    std::string text;  // XRT's, for whoever runs the host: it may name files of it
};

// Of the exception that is being handled.
[[nodiscard]] Failure failure_at_hand() noexcept;

// A native call: nothing of ours belongs into it that throws for reasons of its own.
template <class Call, class T = std::invoke_result_t<Call>>
[[nodiscard]] std::expected<T, Failure> native(const Call& call) noexcept {
    try {
        if constexpr (std::is_void_v<T>) {
            call();
            return {};
        } else {
            return call();
        }
    } catch (...) {
        return std::unexpected(failure_at_hand());
    }
}

// Only the error, for who must not see the text.
template <class T>
[[nodiscard]] Result<T> bare(std::expected<T, Failure>&& outcome) {
    return std::move(outcome).transform_error([](const Failure& failure) { return failure.error; });
}

}  // namespace xdna
