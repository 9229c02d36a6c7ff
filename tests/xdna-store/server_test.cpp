// SPDX-License-Identifier: MIT
//
// Clients of a store process that do what they should not, beside one that does.
#include "xdna/store/server.hpp"

#include <string>
#include <thread>

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include "xdna-store/workshop.hpp"
#include "xdna/store/client.hpp"
#include "xdna/store/errors.hpp"
#include "xdna/store/messages.hpp"

namespace {

using provider::ErrorKind;
using xdna::Effort;
using xdna::Spec;
using xdna::StoreClient;
using xdna::messages::Request;
using xdna_store_test::binary_for;
using xdna_store_test::kSpec;
using xdna_store_test::Workshop;
using Bytes = std::vector<std::byte>;

const Spec kAtHand = xdna::Int8Identity{4};
const Spec kOther = xdna::Int8Identity{8};

Bytes request(const std::string& text, Request header = {.effort = 1}) {
    header.text_bytes = static_cast<std::uint16_t>(text.size());
    return xdna::message_of(header, std::as_bytes(std::span(text)));
}

class Rig {
 public:
    explicit Rig(xdna::Server::Limits limits = {}) : server_(std::in_place, workshop, limits) {
        workshop.keep(kAtHand, binary_for(kAtHand));
    }
    ~Rig() {
        workshop.let_make(~std::size_t{0});
        server_.reset();
    }

    [[nodiscard]] base::UniqueFd connect() {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        server_->add(base::UniqueFd(ends[1]));
        return base::UniqueFd(ends[0]);
    }
    // So many more clients than before.
    void wait_until_gone(std::uint64_t clients) const {
        while (clients > 0) {
            pollfd gone{server_->gone_fd(), POLLIN, 0};
            REQUIRE(::poll(&gone, 1, -1) == 1);
            eventfd_t count = 0;
            REQUIRE(::eventfd_read(server_->gone_fd(), &count) == 0);
            REQUIRE(count <= clients);
            clients -= count;
        }
    }
    [[nodiscard]] bool serves() {
        StoreClient client(connect());
        const auto found = client.find(kAtHand, Effort::Compile);
        return found && *found == binary_for(kAtHand);
    }
    void hang_up() { server_.reset(); }

    Workshop workshop;

 private:
    std::optional<xdna::Server> server_;
};

void say(const base::UniqueFd& socket, const Bytes& bytes) {
    REQUIRE(::send(socket.value(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
}

bool hung_up(const base::UniqueFd& socket) {
    std::byte one{};
    return ::recv(socket.value(), &one, 1, 0) <= 0;
}

TEST_CASE("What is at hand is not kept waiting by what has to be made") {
    Rig rig;
    StoreClient waiting(rig.connect());
    std::thread waiter(
        [&] { CHECK(waiting.find(kSpec, Effort::Compile).value() == binary_for(kSpec)); });
    rig.workshop.wait_until_begun(1);
    CHECK(rig.serves());
    StoreClient looking(rig.connect());
    CHECK(looking.find(kSpec, Effort::Look).error().error ==
          provider::Error(ErrorKind::Unsupported));
    CHECK(looking.find(kAtHand, Effort::Look).has_value());
    rig.workshop.let_make(1);
    waiter.join();
    CHECK(looking.find(kSpec, Effort::Look).has_value());
}

TEST_CASE("Who breaks the protocol is hung up on, and nobody else") {
    const std::string text = to_text(kAtHand);
    for (const Bytes& bytes : {
             request(text, {.magic = 0, .effort = 1}),
             request(text, {.version = 2, .effort = 1}),
             request(text, {.effort = 2}),
             request(""),
             request(std::string(257, 'x')),
             request("int8-identity elements=5"),
             request("int8-identity elements=04"),
             request("../../etc/passwd"),
             request(text + '\n'),
             request(std::string("int8-identity\0elements=4", 24)),
             Bytes(4096, std::byte{0xFF}),
         }) {
        Rig rig;
        const auto socket = rig.connect();
        StoreClient other(rig.connect());
        say(socket, bytes);
        CHECK(hung_up(socket));
        CHECK(other.find(kAtHand, Effort::Look).has_value());
        CHECK(rig.workshop.begun().empty());
    }
}

TEST_CASE("Who hangs up in the middle of a request is forgotten") {
    const Bytes whole = request(to_text(kSpec));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        Rig rig;
        auto socket = rig.connect();
        say(socket, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
        socket.reset();
        rig.wait_until_gone(1);
        CHECK(rig.serves());
    }
}

TEST_CASE("Who does not wait for a kernel does not get one made") {
    Rig rig;
    StoreClient patient(rig.connect());
    std::thread waiter([&] { CHECK(patient.find(kSpec, Effort::Compile).has_value()); });
    rig.workshop.wait_until_begun(1);
    auto socket = rig.connect();
    say(socket, request(to_text(kOther)));
    SUBCASE("for it hangs up") {
        socket.reset();
    }
    SUBCASE("for it says that it will ask no more") {
        REQUIRE(::shutdown(socket.value(), SHUT_WR) == 0);
    }
    SUBCASE("for it asks for more") {
        say(socket, request(to_text(kAtHand)));
    }
    rig.wait_until_gone(1);
    rig.workshop.let_make(1);
    waiter.join();
    CHECK(rig.serves());
    CHECK(rig.workshop.begun() == std::vector{kSpec});
}

TEST_CASE("Who does not read delays nobody, and is hung up on in the end") {
    Rig rig({.send = std::chrono::milliseconds(100)});
    xdna::Binary large = binary_for(kOther);
    large.xclbin.resize(8 << 20);
    rig.workshop.keep(kOther, large);
    const auto socket = rig.connect();
    say(socket, request(to_text(kOther)));
    CHECK(rig.serves());
    rig.wait_until_gone(2);
}

TEST_CASE("A client is told when its kernel takes too long, and may ask again") {
    Rig rig({.answer = std::chrono::milliseconds(1)});
    StoreClient client(rig.connect());
    const auto none = client.find(kSpec, Effort::Compile);
    CHECK(none.error().error == xdna::failed(xdna::StoreCode::Timeout, "").error);
    CHECK(client.find(kAtHand, Effort::Compile).has_value());
}

TEST_CASE("There are so many clients at a time") {
    Rig rig({.clients = 2});
    auto first = rig.connect();
    const auto second = rig.connect();
    CHECK(hung_up(rig.connect()));
    first.reset();
    rig.wait_until_gone(1);
    CHECK(rig.serves());
}

TEST_CASE("A server that ends hangs up on all, whatever they wait for") {
    Rig rig;
    StoreClient idle(rig.connect());
    CHECK(idle.find(kAtHand, Effort::Look).has_value());
    StoreClient waiting(rig.connect());
    std::thread waiter([&] {
        // Lost, unless the kernel that is let through below was soon enough.
        CHECK_FALSE(waiting.find(kSpec, Effort::Compile).has_value());
    });
    const auto slow = rig.connect();
    say(slow, {std::byte{1}});
    rig.workshop.wait_until_begun(1);
    std::thread ender([&] { rig.hang_up(); });
    waiter.join();
    rig.workshop.let_make(1);
    ender.join();
    CHECK(hung_up(slow));
    CHECK_FALSE(idle.find(kAtHand, Effort::Look).has_value());
}

}  // namespace
