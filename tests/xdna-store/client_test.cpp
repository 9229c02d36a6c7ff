// SPDX-License-Identifier: MIT
//
// The client beside a store that does what no store does.
#include "xdna/store/client.hpp"

#include <functional>
#include <string>
#include <thread>

#include <sys/socket.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include "xdna-store/kernels.hpp"
#include "xdna/store/errors.hpp"
#include "xdna/store/messages.hpp"

namespace {

using provider::ErrorKind;
using xdna::Binary;
using xdna::Effort;
using xdna::StoreClient;
using xdna::messages::Reply;
using xdna::messages::Request;
using xdna_store_test::binary_for;
using xdna_store_test::kSpec;
using Bytes = std::vector<std::byte>;

const xdna::NoBinary kLost = xdna::failed(xdna::StoreCode::InputOutput, "");

template <class T>
Bytes bytes_of(const T& header, const Bytes& rest = {}) {
    return xdna::message_of(header, rest);
}

Bytes bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// A client whose store has said something before it was asked.
class Talk {
 public:
    explicit Talk(std::chrono::milliseconds patience = std::chrono::seconds(30)) {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        client_ = std::make_unique<StoreClient>(base::UniqueFd(ends[0]), patience);
        store_.reset(ends[1]);
    }

    void say(const Bytes& bytes) const {
        REQUIRE(::write(store_.value(), bytes.data(), bytes.size()) ==
                static_cast<ssize_t>(bytes.size()));
    }
    void hang_up() { store_.reset(); }
    void say_no_more() const { REQUIRE(::shutdown(store_.value(), SHUT_WR) == 0); }
    [[nodiscard]] Bytes heard() const {
        Bytes bytes(4096);
        const ssize_t got = ::recv(store_.value(), bytes.data(), bytes.size(), 0);
        bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        return bytes;
    }
    [[nodiscard]] auto find(const xdna::Spec& spec = kSpec, Effort effort = Effort::Compile) const {
        return client_->find(spec, effort);
    }
    // And does not ask the store again.
    [[nodiscard]] bool lost() const {
        for (int i = 0; i < 2; ++i) {
            const auto found = find();
            if (found || found.error().error != kLost.error || found.error().why.empty())
                return false;
        }
        return true;
    }

 private:
    std::unique_ptr<StoreClient> client_;
    base::UniqueFd store_;
};

Bytes found(const Bytes& container) {
    return bytes_of(
        Reply{.found = 1, .container_bytes = static_cast<std::uint32_t>(container.size())},
        container);
}

Bytes none(Reply reply, const std::string& why) {
    reply.why_bytes = static_cast<std::uint16_t>(why.size());
    return bytes_of(reply, bytes_of(why));
}

constexpr auto kUnsupported = static_cast<std::uint8_t>(ErrorKind::Unsupported);
constexpr auto kExternal = static_cast<std::uint8_t>(ErrorKind::External);

TEST_CASE("A client asks in the words of the protocol and takes the kernel it is given") {
    const Talk talk;
    talk.say(found(xdna::to_container(binary_for(kSpec))));
    CHECK(talk.find(kSpec, Effort::Look).value() == binary_for(kSpec));
    const std::string text = xdna::to_text(kSpec);
    CHECK(talk.heard() ==
          bytes_of(Request{.effort = 0, .text_bytes = static_cast<std::uint16_t>(text.size())},
                   bytes_of(text)));
}

TEST_CASE("A client goes on after a kernel that there is not") {
    const Talk talk;
    talk.say(none({.kind = kUnsupported}, "none"));
    talk.say(none({.kind = kExternal, .code = 103}, "bell \a and \xff"));
    talk.say(found(xdna::to_container(binary_for(kSpec))));
    CHECK(talk.find().error().error == provider::Error(ErrorKind::Unsupported));
    const auto failed = talk.find();
    CHECK(failed.error().error == provider::Error(xdna::kErrorDomain, 103));
    CHECK(failed.error().why == "bell ? and ?");
    CHECK(talk.find().has_value());
}

TEST_CASE("A store that answers nonsense is lost for good") {
    const Bytes container = xdna::to_container(binary_for(kSpec));
    const auto size = static_cast<std::uint32_t>(container.size());
    Bytes broken = container;
    broken[0] = {};
    for (const Bytes& answer : {
             bytes_of(Reply{.magic = 1, .found = 1, .container_bytes = 100}),
             bytes_of(Reply{.found = 2}),
             bytes_of(Reply{.found = 1, .container_bytes = 0}),
             bytes_of(Reply{.found = 1, .container_bytes = ~0U}),
             bytes_of(Reply{.found = 1, .why_bytes = 1, .container_bytes = size}, container),
             bytes_of(Reply{.kind = kUnsupported, .container_bytes = 1}),
             none({.kind = kUnsupported}, std::string(1025, 'x')),
             none({.kind = 255}, "why"),
             none({.kind = static_cast<std::uint8_t>(ErrorKind::DeviceLost)}, "why"),
             found(broken),
         }) {
        CAPTURE(answer.size());
        const Talk talk;
        talk.say(answer);
        talk.say(found(container));  // which must not be taken any more
        CHECK(talk.lost());
    }
}

TEST_CASE("A kernel for something else is not taken") {
    const Talk talk;
    Binary other = binary_for(kSpec);
    SUBCASE("with other inputs") {
        other.inputs[0] += 4;
    }
    SUBCASE("with another output") {
        other.outputs[0] += 4;
    }
    SUBCASE("with one slot more") {
        other.outputs.push_back(4);
    }
    SUBCASE("with an output for an input") {
        other.outputs.insert(other.outputs.begin(), other.inputs.back());
        other.inputs.pop_back();
    }
    talk.say(found(xdna::to_container(other)));
    CHECK(talk.lost());
}

TEST_CASE("A store that goes away is lost, wherever it stops") {
    const Bytes answer = found(xdna::to_container(binary_for(kSpec)));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{3}, sizeof(Reply), answer.size() - 1}) {
        CAPTURE(size);
        Talk talk;
        talk.say({answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(size)});
        SUBCASE("") {
            talk.hang_up();
        }
        SUBCASE("") {
            talk.say_no_more();
        }
        CHECK(talk.lost());
    }
}

TEST_CASE("A store that says nothing is waited for no longer than it may take") {
    const Talk talk(std::chrono::milliseconds(1));
    CHECK(talk.lost());
}

TEST_CASE("Threads that ask at once get the answers to their own questions") {
    const Talk talk;
    const xdna::Spec other = xdna::Int8Identity{.elements = 8};
    std::thread store([&] {
        for (int i = 0; i < 64; ++i) {
            Request request{};
            const Bytes heard = talk.heard();
            const std::string text(reinterpret_cast<const char*>(heard.data()) + sizeof(request),
                                   heard.size() - sizeof(request));
            talk.say(found(xdna::to_container(binary_for(xdna::from_text(text).value()))));
        }
    });
    const auto ask = [&](const xdna::Spec& spec) {
        for (int i = 0; i < 32; ++i)
            CHECK(talk.find(spec).value() == binary_for(spec));
    };
    std::thread asker([&] { ask(other); });
    ask(kSpec);
    asker.join();
    store.join();
}

}  // namespace
