// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <doctest/doctest.h>
#include <fcntl.h>

#include "daemon/process.hpp"

using daemon_test::Acceld;
using daemon_test::Client;
using daemon_test::TemporaryDirectory;
using vhost::Bytes;
using vhost::Request;

TEST_SUITE_BEGIN("daemon/server");

namespace {

std::vector<std::string> arguments(const std::string& path,
                                   std::initializer_list<std::string> more = {}) {
    std::vector<std::string> all{"--socket-path", path, "--provider", "mock"};
    all.insert(all.end(), more);
    return all;
}

std::optional<Bytes> get_config(Client& client) {
    const Bytes features = client.ask(Request::GetProtocolFeatures).value();
    client.send(Request::SetProtocolFeatures, features);
    Bytes payload = vhost::to_bytes(vhost::ConfigHeader{0, 16, 0});
    payload.resize(payload.size() + 16);
    return client.ask(Request::GetConfig, payload);
}

bool exists(const std::string& path) {
    return std::filesystem::exists(path);
}

// A socket file that nobody listens on any more.
void make_stale(const std::string& path) {
    const base::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, path.size());
    REQUIRE(::bind(socket.value(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
            0);
}

}  // namespace

TEST_CASE("a front end gets the 16 configuration bytes of protocol 1.0") {
    TemporaryDirectory directory;
    Acceld acceld(arguments(directory.file("s")));
    REQUIRE(acceld.wait_for("listening on"));
    Client client(directory.file("s"));
    REQUIRE(client.connected());

    const auto reply = get_config(client);
    REQUIRE(reply.has_value());
    REQUIRE(reply->size() == 28);
    const unsigned char expected[16] = {1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    CHECK(std::memcmp(reply->data() + 12, expected, sizeof(expected)) == 0);
}

TEST_CASE("the limits of the configuration are the operator's, within those of the protocol") {
    TemporaryDirectory directory;
    Acceld acceld(
        arguments(directory.file("s"), {"--max-chain-descriptors", "2", "--max-request-bytes", "97",
                                        "--max-response-bytes", "64KiB"}));
    REQUIRE(acceld.wait_for("listening on"));
    Client client(directory.file("s"));

    const auto reply = get_config(client);
    REQUIRE(reply.has_value());
    REQUIRE(reply->size() == 28);
    const unsigned char expected[16] = {1, 0, 0, 0, 1, 0, 2, 0, 97, 0, 0, 0, 0, 0, 1, 0};
    CHECK(std::memcmp(reply->data() + 12, expected, sizeof(expected)) == 0);
}

TEST_CASE("SIGTERM and SIGINT end it with 0 and remove its socket") {
    for (const int number : {SIGTERM, SIGINT}) {
        for (const bool busy : {false, true}) {
            CAPTURE(number);
            CAPTURE(busy);
            TemporaryDirectory directory;
            const std::string path = directory.file("s");
            Acceld acceld(arguments(path));
            REQUIRE(acceld.wait_for("listening on"));
            struct stat file{};
            REQUIRE(::lstat(path.c_str(), &file) == 0);
            CHECK((file.st_mode & 077) == 0);
            std::optional<Client> client;
            if (busy) {
                client.emplace(path);
                REQUIRE(client->ask(Request::GetFeatures).has_value());
            }

            acceld.signal(number);
            CHECK(acceld.wait() == 0);
            CHECK_FALSE(exists(path));
        }
    }
}

TEST_CASE("front ends are served one after the other and leave nothing open") {
    TemporaryDirectory directory;
    Acceld acceld(arguments(directory.file("s")));
    REQUIRE(acceld.wait_for("listening on"));
    const std::size_t before = acceld.open_fds();

    for (int i = 0; i < 100; ++i) {
        Client client(directory.file("s"));
        REQUIRE(client.connected());
        Client waiting(directory.file("s"));
        REQUIRE(waiting.connected());
        REQUIRE(client.ask(Request::GetFeatures).has_value());
        client = Client(base::UniqueFd());
        REQUIRE(waiting.ask(Request::GetFeatures).has_value());
        waiting = Client(base::UniqueFd());
        REQUIRE(acceld.wait_for("bindings: "));
        REQUIRE(acceld.wait_for("bindings: "));
        // Written once the next device stands.
        REQUIRE(acceld.wait_for("provider: "));
    }
    CHECK(acceld.open_fds() == before);
    acceld.signal(SIGTERM);
    CHECK(acceld.wait() == 0);
}

TEST_CASE("a front end that breaks the protocol is dropped with the reason, the next is served") {
    TemporaryDirectory directory;
    Acceld acceld(arguments(directory.file("s")));
    REQUIRE(acceld.wait_for("listening on"));

    Client bad(directory.file("s"));
    CHECK_FALSE(bad.ask(Request::SetFeatures, vhost::to_bytes(std::uint64_t{1})).has_value());
    CHECK(acceld.wait_for("front end dropped: SET_FEATURES refused: "));
    Client good(directory.file("s"));
    CHECK(good.ask(Request::GetFeatures).has_value());
}

TEST_CASE("a VMM whose memory is not shared sends none, and learns what is missing") {
    TemporaryDirectory directory;
    Acceld acceld(arguments(directory.file("s"), {"--once"}));
    REQUIRE(acceld.wait_for("listening on"));
    Client client(directory.file("s"));
    client.send(Request::SetVringNum, vhost::to_bytes(vhost::VringState{0, 8}));
    client.send(Request::SetVringAddr,
                vhost::to_bytes(vhost::VringAddr{0, 0, 0x1000, 0x3000, 0x2000, 0}));
    const base::UniqueFd kick(::eventfd(0, EFD_CLOEXEC));
    client.send(Request::SetVringKick, vhost::to_bytes(std::uint64_t{0}), {kick.value()});
    CHECK_FALSE(client.ask(Request::GetFeatures).has_value());
    CHECK(acceld.wait() == 0);
    CHECK(acceld.output().contains(
        "front end dropped: SET_VRING_KICK refused: guest memory is not shared: "
        "add share=on to the memory backend of the machine\n"));
}

TEST_CASE("--once ends with the first front end") {
    TemporaryDirectory directory;
    Acceld acceld(arguments(directory.file("s"), {"--once"}));
    REQUIRE(acceld.wait_for("listening on"));
    {
        Client client(directory.file("s"));
        CHECK(client.ask(Request::GetFeatures).has_value());
    }
    CHECK(acceld.wait() == 0);
    CHECK_FALSE(exists(directory.file("s")));
    CHECK(acceld.output().contains("left: contexts=0 buffers=0"));
    CHECK(acceld.output().contains("commands: 0 unusable=0"));
    CHECK(acceld.output().contains("staged=0"));
}

TEST_CASE("a stale socket is replaced") {
    TemporaryDirectory directory;
    make_stale(directory.file("s"));
    Acceld acceld(arguments(directory.file("s")));
    REQUIRE(acceld.wait_for("listening on"));
    Client client(directory.file("s"));
    CHECK(client.ask(Request::GetFeatures).has_value());
}

TEST_CASE("a live socket is not stolen") {
    TemporaryDirectory directory;
    Acceld first(arguments(directory.file("s")));
    REQUIRE(first.wait_for("listening on"));

    Acceld second(arguments(directory.file("s")));
    CHECK(second.wait() == 1);
    CHECK(second.output().contains("another process is listening there"));
    Client client(directory.file("s"));
    CHECK(client.ask(Request::GetFeatures).has_value());
}

TEST_CASE("a socket that took the place of ours is not removed") {
    TemporaryDirectory directory;
    Acceld acceld(arguments(directory.file("s")));
    REQUIRE(acceld.wait_for("listening on"));
    std::filesystem::rename(directory.file("s"), directory.file("ours"));
    make_stale(directory.file("s"));

    acceld.signal(SIGTERM);
    CHECK(acceld.wait() == 0);
    CHECK(exists(directory.file("s")));
}

TEST_CASE("a place where no socket can be is one plain line and status 1") {
    TemporaryDirectory directory;
    std::ofstream(directory.file("plain")) << "precious";
    struct {
        std::string path;
        std::string says;
    } cases[] = {
        {directory.file(std::string(120, 'x')), "at most 107 bytes"},
        {directory.file("missing/s"), "No such file or directory"},
        {directory.file("plain/s"), "Not a directory"},
        {directory.file("plain"), "exists and is not a socket"},
        {"/proc/s", "virtio-acceld: /proc/s: "},
    };
    for (const auto& [path, says] : cases) {
        CAPTURE(path);
        Acceld acceld(arguments(path));
        CHECK(acceld.wait() == 1);
        CHECK(acceld.output().contains(says));
    }
    CHECK(std::filesystem::file_size(directory.file("plain")) == 8);
}

TEST_CASE("a folder that we may not write to is one plain line and status 1") {
    TemporaryDirectory directory;
    const std::string folder = directory.file("theirs");
    REQUIRE(::mkdir(folder.c_str(), 0500) == 0);
    // Root is held to the mode of a folder when it has no capabilities.
    Acceld acceld("test $(id -u) -ne 0 || exec setpriv --bounding-set=-all \"$@\"; exec \"$@\"",
                  arguments(folder + "/s"));
    CHECK(acceld.wait() == 1);
    CHECK(acceld.output().ends_with("virtio-acceld: " + folder + "/s: Permission denied\n"));
}

TEST_CASE("a provider that is not there is one plain line, and no socket is made") {
    TemporaryDirectory directory;
    Acceld xdna(
        {"--socket-path", directory.file("s"), "--provider", "xdna", "--device", "nowhere"});
    CHECK(xdna.wait() == 1);
    CHECK(xdna.output().starts_with("virtio-acceld: error: guest=1 pid="));
    CHECK(xdna.output().contains(" provider 'xdna' is not available: "));
    CHECK(std::ranges::count(xdna.output(), '\n') == 1);
    Acceld device(arguments(directory.file("s"), {"--device", "gpu7"}));
    CHECK(device.wait() == 1);
    CHECK(device.output().contains("none called 'gpu7'"));
    CHECK_FALSE(exists(directory.file("s")));
}

TEST_CASE("--fd takes a connected or a listening socket and nothing else") {
    TemporaryDirectory directory;

    SUBCASE("connected") {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        Client client{base::UniqueFd(ends[0])};
        base::UniqueFd theirs(ends[1]);
        Acceld acceld({"--fd", "9", "--provider", "mock"}, {theirs.value()});
        theirs.reset();  // so that a program that does not start leaves nobody to wait for
        CHECK(client.ask(Request::GetFeatures).has_value());
        client = Client(base::UniqueFd());
        CHECK(acceld.wait() == 0);
    }
    SUBCASE("listening") {
        const std::string path = directory.file("s");
        base::UniqueFd socket = daemon_test::listen_on(path);
        Acceld acceld({"--fd", "9", "--provider", "mock", "--once"}, {socket.value()});
        socket.reset();  // so that a program that does not start leaves nobody to wait for
        {
            Client client(path);
            CHECK(client.ask(Request::GetFeatures).has_value());
        }
        CHECK(acceld.wait() == 0);
        CHECK(exists(path));
    }
    SUBCASE("a file") {
        std::ofstream(directory.file("f")) << "x";
        const base::UniqueFd file(::open(directory.file("f").c_str(), O_RDONLY | O_CLOEXEC));
        Acceld acceld({"--fd", "9", "--provider", "mock"}, {file.value()});
        CHECK(acceld.wait() == 1);
        CHECK(acceld.output().contains("--fd: Socket operation on non-socket"));
    }
    SUBCASE("nothing") {
        Acceld acceld({"--fd", "9", "--provider", "mock"});
        CHECK(acceld.wait() == 1);
        CHECK(acceld.output().contains("--fd: Bad file descriptor"));
    }
}

TEST_SUITE_END();
