// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "base/unique_fd.hpp"
#include "xdna/store.hpp"
#include "xdna/store/channel.hpp"
#include "xdna/store/jobs.hpp"

namespace xdna {

// Serves clients that may be anything (messages.hpp). Each has a thread, so one that does not
// read, or is slow to write, delays nobody else; one that breaks the protocol is hung up on.
class Server {
 public:
    struct Limits {
        // For a kernel, with the turns of others before it.
        std::chrono::milliseconds answer = std::chrono::seconds(270);
        // For a client to take its answer.
        std::chrono::milliseconds send = std::chrono::seconds(30);
        std::size_t clients = 1024;
    };

    Server(Store& store, Limits limits);
    // Hangs up on all. The store is to be stopped before.
    ~Server();

    // Hangs up on it at once if there are too many.
    void add(base::UniqueFd socket);
    // Readable when a client has gone.
    [[nodiscard]] int gone_fd() const { return gone_.value(); }

 private:
    struct Client {
        explicit Client(base::UniqueFd socket) : channel(std::move(socket)) {}
        Channel channel;
        std::atomic<bool> gone = false;
        std::jthread thread;
    };

    void serve(Client& client);
    // Whether to go on with the client.
    [[nodiscard]] bool serve_one(const Channel& channel);
    [[nodiscard]] std::optional<Answer> compile(const Channel& channel, const Spec& spec);
    [[nodiscard]] bool reply(const Channel& channel, const Answer& answer) const;

    Store& store_;
    const Limits limits_;
    base::UniqueFd gone_;
    Jobs jobs_;
    std::list<Client> clients_;  // of the thread that adds them
};

}  // namespace xdna
