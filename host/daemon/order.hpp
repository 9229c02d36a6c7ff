// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "base/unique_fd.hpp"

namespace acceld {

// What the supervisor wants of a session, or a session of its worker: a descriptor comes
// along with it. Neither waits for the other.
struct Order {
    enum class Kind : std::uint8_t {
        End,       // as the end of the stream is understood, and all that is not understood
        FrontEnd,  // to be served
        Log,       // to be written to from here on
        Store,     // of kernels: a connection for the next worker
    };

    Kind kind = Kind::End;
    base::UniqueFd fd{};
};

// What a session says to the supervisor, in a message of one byte.
enum class Word : char {
    Ready = 'r',        // for a front end
    StoreWanted = 's',  // answered by an order
};

// Over a socket that keeps messages apart.
[[nodiscard]] std::expected<void, std::string> send_order(int socket, Order::Kind kind,
                                                          const base::UniqueFd& fd);
[[nodiscard]] Order receive_order(int socket);
[[nodiscard]] bool send_word(int socket, Word word);

}  // namespace acceld
