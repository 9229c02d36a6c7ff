// SPDX-License-Identifier: MIT
#include "xdna/store/server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <poll.h>

#include "xdna/store/errors.hpp"
#include "xdna/store/messages.hpp"

namespace xdna {

namespace {

using messages::Reply;
using messages::Request;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kForever = steady_clock::time_point::max();

bool well_formed(const Request& request) {
    return request.magic == Request::kMagic && request.version == Request{}.version &&
           request.effort <= std::to_underlying(Effort::Compile) && request.text_bytes >= 1 &&
           request.text_bytes <= messages::kMostTextBytes;
}

Reply reply_for(const NoBinary& none, std::size_t why_bytes) {
    return {.kind = static_cast<std::uint8_t>(none.error.kind),
            .why_bytes = static_cast<std::uint16_t>(why_bytes),
            .code = static_cast<std::int32_t>(none.error.code)};
}

}  // namespace

Server::Server(Store& store, Limits limits)
    : store_(store),
      limits_(limits),
      gone_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      jobs_(store) {}

Server::~Server() {
    for (const Client& client : clients_)
        ::shutdown(client.channel.fd(), SHUT_RDWR);
    clients_.clear();
}

void Server::add(base::UniqueFd socket) {
    std::erase_if(clients_, [](const Client& client) { return client.gone.load(); });
    if (clients_.size() >= limits_.clients) return;
    Client& client = clients_.emplace_back(std::move(socket));
    try {
        client.thread = std::jthread([this, &client] { serve(client); });
    } catch (const std::system_error&) {  // no more threads
        clients_.pop_back();
    }
}

void Server::serve(Client& client) {
    try {
        while (serve_one(client.channel)) {
        }
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): it is hung up on
    }
    // The descriptor itself stays, as ~Server() uses it, until the client is removed.
    ::shutdown(client.channel.fd(), SHUT_RDWR);
    client.gone = true;
    ::eventfd_write(gone_.value(), 1);
}

bool Server::serve_one(const Channel& channel) {
    Request request;
    if (!channel.receive(bytes_of(request), kForever) || !well_formed(request)) return false;
    std::string text(request.text_bytes, '\0');
    if (!channel.receive(std::as_writable_bytes(std::span(text)), kForever)) return false;
    const auto spec = from_text(text);
    if (!spec) return false;

    // Nobody waits for another's compiler for what is there.
    Answer found = answer(store_, *spec, Effort::Look);
    const bool missing = !found && found.error().error == Error(ErrorKind::Unsupported);
    if (!missing || request.effort == std::to_underlying(Effort::Look))
        return reply(channel, found);
    const auto made = compile(channel, *spec);
    return made && reply(channel, *made);
}

// Nothing if the client does not wait for it.
std::optional<Answer> Server::compile(const Channel& channel, const Spec& spec) {
    const auto job = jobs_.post(spec);
    if (!job)
        return std::unexpected(
            NoBinary{.error = ErrorKind::ResourceLimit, .why = "the store is out of descriptors"});
    const auto deadline = steady_clock::now() + limits_.answer;
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
        if (left <= milliseconds::zero())
            return std::unexpected(
                failed(StoreCode::Timeout, "the store is at other kernels for too long"));
        std::array<pollfd, 2> ready{pollfd{job->done_fd(), POLLIN, 0},
                                    pollfd{channel.fd(), POLLIN | POLLRDHUP, 0}};
        const int count = ::poll(ready.data(), ready.size(), static_cast<int>(left.count()));
        if (count < 0 && errno != EINTR) return std::nullopt;
        if (count <= 0) continue;
        // It is not its turn to speak.
        if (ready[1].revents != 0) return std::nullopt;
        return jobs_.answer_of(*job);
    }
}

bool Server::reply(const Channel& channel, const Answer& answer) const {
    const auto deadline = steady_clock::now() + limits_.send;
    if (answer) {
        const Reply header{.found = 1,
                           .container_bytes = static_cast<std::uint32_t>(answer->size())};
        return channel.send(message_of(header, *answer), deadline);
    }
    const std::string_view why =
        std::string_view(answer.error().why).substr(0, messages::kMostWhyBytes);
    return channel.send(
        message_of(reply_for(answer.error(), why.size()), std::as_bytes(std::span(why))), deadline);
}

}  // namespace xdna
