// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "base/unique_fd.hpp"
#include "daemon/http.hpp"
#include "daemon/listener.hpp"

namespace acceld {

// The socket that the state of the daemon is asked for at, over HTTP. Nothing here waits
// for a client, and no client can keep others away: of those that have not been answered
// the one that came first makes room for the next.
class Control {
 public:
    static constexpr std::size_t kMostClients = 8;

    // What is to be said of a path.
    using Answer = std::function<HttpResponse(std::string_view path)>;

    [[nodiscard]] static std::expected<Control, std::string> bind(const std::string& path);

    // What to wait for, in the order in which progress() wants to see it again.
    [[nodiscard]] std::vector<pollfd> wanted() const;
    void progress(std::span<const pollfd> ready, const Answer& answer);

 private:
    struct Client {
        base::UniqueFd socket;
        std::string received{};
        std::string unsent{};  // the rest of the answer, once there is one
    };

    explicit Control(Listener listener) : listener_(std::move(listener)) {}
    void accept();
    // False when there is nothing more to do for the client.
    [[nodiscard]] static bool serve(Client& client, const Answer& answer);
    [[nodiscard]] static bool receive(Client& client, const Answer& answer);

    Listener listener_;
    std::deque<Client> clients_;  // the oldest first
};

}  // namespace acceld
