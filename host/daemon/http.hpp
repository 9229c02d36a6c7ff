// SPDX-License-Identifier: MIT
//
// The little of HTTP/1.1 that answers a GET (RFC 9112).
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace acceld {

struct HttpResponse {
    int status = 200;
    std::string_view type = "text/plain; charset=utf-8";
    std::string body{};
};

// A request line and fields that are longer are refused.
inline constexpr std::size_t kMaxRequestHead = 8192;

// The path that is asked for, without a query; nothing while the head of the request is
// not complete. An error is the answer to what is no request that can be served.
[[nodiscard]] std::expected<std::optional<std::string_view>, HttpResponse> requested_path(
    std::string_view received);

// As it goes over the connection, which is closed after it.
[[nodiscard]] std::string to_bytes(const HttpResponse& response);

}  // namespace acceld
