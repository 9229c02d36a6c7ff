// SPDX-License-Identifier: MIT
#include "xdna/store/client.hpp"

#include <algorithm>
#include <format>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "xdna/store/errors.hpp"
#include "xdna/store/has_slots.hpp"
#include "xdna/store/messages.hpp"

namespace xdna {

namespace {

using messages::Reply;
using messages::Request;
using provider::ErrorKind;

bool well_formed(const Reply& reply) {
    if (reply.magic != Reply::kMagic || reply.found > 1) return false;
    if (reply.found == 1) return reply.why_bytes == 0 && reply.container_bytes <= kBinaryBytes;
    return reply.container_bytes == 0 && reply.why_bytes <= messages::kMostWhyBytes;
}

// Of the kinds that a store may answer with.
std::optional<Error> error_of(const Reply& reply) {
    switch (static_cast<ErrorKind>(reply.kind)) {
        case ErrorKind::Unsupported:
        case ErrorKind::OutOfMemory:
        case ErrorKind::ResourceLimit:
            return static_cast<ErrorKind>(reply.kind);
        case ErrorKind::External:
            return Error(kErrorDomain, reply.code);
        default:
            return std::nullopt;
    }
}

// It is for a log.
void make_printable(std::string& text) {
    std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
}

}  // namespace

std::expected<Binary, NoBinary> StoreClient::find(const Spec& spec, Effort effort) {
    const std::lock_guard lock(mutex_);
    if (!channel_.open()) return lost("it was lost before");
    try {
        return ask(spec, effort);
    } catch (const std::bad_alloc&) {  // in the middle of a reply, perhaps
        channel_.close();
        throw;
    }
}

std::expected<Binary, NoBinary> StoreClient::ask(const Spec& spec, Effort effort) {
    const auto deadline = std::chrono::steady_clock::now() + patience_;
    const std::string text = to_text(spec);
    if (text.size() > messages::kMostTextBytes)
        return std::unexpected(NoBinary{ErrorKind::Unsupported, "its spec is too long"});
    const Request request{.effort = std::to_underlying(effort),
                          .text_bytes = static_cast<std::uint16_t>(text.size())};
    if (!channel_.send(message_of(request, std::as_bytes(std::span(text))), deadline))
        return lost("it does not take a request");

    Reply reply;
    if (!channel_.receive(bytes_of(reply), deadline)) return lost("it does not answer");
    if (!well_formed(reply)) return lost("its answer is none");
    if (reply.found == 0) {
        std::string why(reply.why_bytes, '\0');
        const auto error = error_of(reply);
        if (!error || !channel_.receive(std::as_writable_bytes(std::span(why)), deadline))
            return lost("its answer is none");
        make_printable(why);
        return std::unexpected(NoBinary{*error, std::move(why)});
    }
    std::vector<std::byte> container(reply.container_bytes);
    if (!channel_.receive(container, deadline)) return lost("its answer does not end");
    auto binary = from_container(container);
    if (!binary || !has_slots(*binary, spec)) return lost("its answer is another kernel");
    return std::move(*binary);
}

std::unexpected<NoBinary> StoreClient::lost(std::string_view why) {
    channel_.close();
    return std::unexpected(
        failed(StoreCode::InputOutput, std::format("the store of kernels is lost: {}", why)));
}

}  // namespace xdna
