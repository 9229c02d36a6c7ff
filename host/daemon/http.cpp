// SPDX-License-Identifier: MIT
#include "daemon/http.hpp"

#include <algorithm>
#include <format>

namespace acceld {

namespace {

std::string_view reason(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 431:
            return "Request Header Fields Too Large";
        default:
            return "Bad Request";
    }
}

std::unexpected<HttpResponse> refused(int status, std::string_view why) {
    return std::unexpected(HttpResponse{.status = status, .body = std::format("{}\n", why)});
}

// Takes what comes before the first space.
std::string_view take_word(std::string_view& line) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    return word;
}

}  // namespace

std::expected<std::optional<std::string_view>, HttpResponse> requested_path(
    std::string_view received) {
    if (!received.substr(0, kMaxRequestHead).contains("\r\n\r\n")) {
        if (received.size() < kMaxRequestHead) return std::nullopt;
        return refused(431, "the request is too long");
    }
    std::string_view line = received.substr(0, received.find("\r\n"));
    const std::string_view method = take_word(line);
    const std::string_view target = take_word(line);
    if (method.empty() || !target.starts_with('/') || (line != "HTTP/1.1" && line != "HTTP/1.0"))
        return refused(400, "this is no HTTP/1.1 request");
    if (method != "GET") return refused(405, "only GET is served");
    return target.substr(0, target.find('?'));
}

std::string to_bytes(const HttpResponse& response) {
    return std::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n{}",
        response.status, reason(response.status), response.type, response.body.size(),
        response.status == 405 ? "Allow: GET\r\n" : "", response.body);
}

}  // namespace acceld
