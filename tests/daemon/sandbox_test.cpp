// SPDX-License-Identifier: MIT
//
// That the processes of the real daemon are confined, and what becomes of one that is
// killed for what it has tried. What the lists let through is tested in tests/sandbox.
#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include <sys/socket.h>
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <grp.h>
#include <poll.h>
#include <unistd.h>

#include "daemon/process.hpp"
#include "driver/frames.hpp"
#include "linux/virtio_accel.h"
#include "sandbox/in_child.hpp"
#include "vhost/front_end.hpp"
#include "vhost/send_fds.hpp"
#include "wire/bytes.hpp"
#include "wire/status.hpp"

using daemon_test::Acceld;
using daemon_test::Client;
using daemon_test::TemporaryDirectory;
using vhost::Bytes;
using vhost::Request;

TEST_SUITE_BEGIN("daemon/sandbox");

namespace {

using Status = std::map<std::string, std::string>;

Status status_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    Status fields;
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        const auto value = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
        fields[line.substr(0, colon)] = line.substr(value);
    }
    return fields;
}

pid_t only_child_of(pid_t parent) {
    pid_t child = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (status_of(std::stoi(name))["PPid"] != std::to_string(parent)) continue;
        REQUIRE(child == 0);
        child = std::stoi(name);
    }
    REQUIRE(child != 0);
    return child;
}

struct Processes {
    explicit Processes(const Acceld& acceld)
        : supervisor(acceld.pid()),
          session(only_child_of(supervisor)),
          worker(only_child_of(session)) {}

    pid_t supervisor;
    pid_t session;
    pid_t worker;
};

int filters_of(pid_t pid) {
    return std::stoi(status_of(pid)["Seccomp_filters"]);
}

bool may_change_user() {
    return sandbox_test::outcome(
               [] { return sandbox::Result(); },
               [] { return ::setgroups(0, nullptr) == 0 ? ::setuid(65534) : -1; }) == "ok";
}

void check_without_privileges(pid_t pid) {
    Status status = status_of(pid);
    CHECK(status["NoNewPrivs"] == "1");
    for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
        CHECK(status[set] == "0000000000000000");
    if (::geteuid() == 0) CHECK(status["CapBnd"] == "0000000000000000");
}

// The programs where `make install` has them, in a place that everybody can read.
std::string install(const TemporaryDirectory& place) {
    namespace fs = std::filesystem;
    const fs::path built = Acceld::built();
    const fs::path worker = built.parent_path() / "../worker/virtio-accel-worker";
    fs::permissions(place.file(""), fs::perms(0755));
    fs::create_directories(place.file("bin"));
    fs::create_directories(place.file("libexec/virtio-accel"));
    fs::copy_file(built, place.file("bin/virtio-acceld"));
    fs::copy_file(worker, place.file("libexec/virtio-accel/virtio-accel-worker"));
    return place.file("bin/virtio-acceld");
}

// A front end that has started the ring, and a driver that sends one command.
class Guest {
 public:
    explicit Guest(Client client) : client_(std::move(client)) {
        const Bytes features = client_.ask(Request::GetFeatures).value();
        client_.send(Request::SetOwner);
        client_.send(Request::SetFeatures, features);
        client_.send(Request::SetProtocolFeatures,
                     vhost::to_bytes(vhost::kConfig | vhost::kConfigureMemSlots));
        share(Request::AddMemReg, vhost::to_bytes(vhost::MemRegion{0, ram_.region()}), ram_.fd());
        client_.send(Request::SetVringNum, vhost::to_bytes(vhost::VringState{0, ring_.size()}));
        client_.send(Request::SetVringBase, vhost::to_bytes(vhost::VringState{0, 0}));
        client_.send(Request::SetVringAddr, vhost::to_bytes(ring_.addresses()));
        share(Request::SetVringCall, vhost::to_bytes(std::uint64_t{0}), call_.value());
        share(Request::SetVringKick, vhost::to_bytes(std::uint64_t{0}), kick_.value());
        client_.send(Request::SetVringEnable, vhost::to_bytes(vhost::VringState{0, 1}));
        // Answered when all that was said before is done.
        REQUIRE(client_.ask(Request::GetFeatures).has_value());
    }

    void publish_create_context() {
        const auto request = driver::create_context(1).bytes();
        std::ranges::copy(request, ram_.bytes().subspan(kRequest).begin());
        const auto head = ring_.link(
            0,
            {{.address = ram_.guest() + kRequest,
              .length = static_cast<std::uint32_t>(request.size())},
             {.address = ram_.guest() + kAnswer, .length = 64, .flags = vhost::kDescriptorWrite}});
        ring_.publish(head);
    }

    // The status of the answer to CREATE_CONTEXT.
    wire::Status create_context() {
        publish_create_context();
        vhost_test::kick(kick_);
        pollfd called{call_.value(), POLLIN, 0};
        REQUIRE(::poll(&called, 1, -1) == 1);
        virtio_accel_response_header header{};
        REQUIRE(ring_.used(0).length >= sizeof(header));
        std::memcpy(&header, ram_.bytes().subspan(kAnswer).data(), sizeof(header));
        return wire::Status{header.status};
    }

    // Has a command in memory, takes the memory away and kicks.
    void shrink() {
        publish_create_context();
        REQUIRE(::ftruncate(ram_.fd(), kRequest) == 0);
        vhost_test::kick(kick_);
    }

    [[nodiscard]] Client& client() { return client_; }

 private:
    static constexpr std::size_t kRequest = 8192;
    static constexpr std::size_t kAnswer = 12288;

    void share(Request request, const Bytes& payload, int fd) {
        Bytes bytes =
            vhost::to_bytes(vhost::Header{static_cast<std::uint32_t>(request), vhost::kVersion,
                                          static_cast<std::uint32_t>(payload.size())});
        bytes.insert(bytes.end(), payload.begin(), payload.end());
        REQUIRE(vhost_test::send_fds(client_.fd(), bytes, {&fd, 1}, MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
    }

    Client client_;
    vhost_test::GuestRam ram_{0x100000, 0x7f0000000000, 1 << 20};
    vhost_test::DriverRing ring_{ram_, 8};
    base::UniqueFd kick_ = vhost_test::make_eventfd();
    base::UniqueFd call_ = vhost_test::make_eventfd();
};

}  // namespace

TEST_CASE("no process of the daemon has a privilege, and those with a guest have filters") {
    TemporaryDirectory directory;
    Acceld acceld({"--socket-path", directory.file("s"), "--provider", "mock"});
    REQUIRE(acceld.wait_for("confined "));
    const Processes processes(acceld);
    check_without_privileges(processes.supervisor);
    check_without_privileges(processes.session);
    check_without_privileges(processes.worker);
    if (sandbox_test::kSanitized) return;
    const int ours = filters_of(::getpid());
    CHECK(status_of(processes.session)["Seccomp"] == "2");
    CHECK(filters_of(processes.session) == ours + 1);
    CHECK(status_of(processes.worker)["Seccomp"] == "2");
    CHECK(filters_of(processes.worker) == ours + 2);
}

TEST_CASE("with --user nobody it serves a front end, as nobody") {
    if (!may_change_user()) return;
    TemporaryDirectory directory;
    const std::string program = install(directory);
    Acceld acceld({"--socket-path", directory.file("s"), "--provider", "mock", "--user", "nobody"},
                  {}, program);
    REQUIRE(acceld.wait_for("confined "));
    const Processes processes(acceld);
    for (const pid_t pid : {processes.supervisor, processes.session, processes.worker}) {
        check_without_privileges(pid);
        CHECK(status_of(pid)["Uid"] == "65534\t65534\t65534\t65534");
        CHECK(status_of(pid)["Gid"] == "65534\t65534\t65534\t65534");
        // What is not to be dumped belongs to root in /proc.
        struct stat file{};
        REQUIRE(::stat(("/proc/" + std::to_string(pid) + "/environ").c_str(), &file) == 0);
        CHECK(file.st_uid == 0);
    }
    CHECK_FALSE(acceld.output().contains("running as root"));
    Client client(directory.file("s"));
    CHECK(client.ask(Request::GetFeatures).has_value());
}

TEST_CASE("--no-sandbox confines nothing and says so, and a single process does") {
    TemporaryDirectory directory;
    const int ours = filters_of(::getpid());
    Acceld acceld({"--socket-path", directory.file("s"), "--provider", "mock", "--no-sandbox"});
    REQUIRE(acceld.wait_for("warning: NOTHING IS CONFINED"));
    const Processes processes(acceld);
    CHECK(filters_of(processes.session) == ours);
    CHECK(filters_of(processes.worker) == ours);

    Acceld single({"--socket-path", directory.file("t"), "--provider", "mock", "--single-process"});
    CHECK(single.wait_for("warning: a single process is not confined"));
}

TEST_CASE("a worker that its filter kills is a lost device, and the session goes on") {
    if (sandbox_test::kSanitized) return;
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    base::UniqueFd theirs(ends[1]);
    Acceld acceld({"--fd", "9", "--provider", "mock", "--fault", "create_context:1:escape"},
                  {theirs.value()});
    theirs.reset();
    Guest guest(Client{base::UniqueFd(ends[0])});
    REQUIRE(guest.create_context() == wire::Status::DeviceLost);
    CHECK(acceld.wait_for("worker lost: died of signal 31"));
    CHECK(guest.client().ask(Request::GetFeatures).has_value());
}

TEST_CASE("guest memory that shrinks ends its own session, and the next guest is served") {
    TemporaryDirectory directory;
    Acceld acceld({"--socket-path", directory.file("s"), "--provider", "mock"});
    REQUIRE(acceld.wait_for("confined "));
    Guest guest{Client(directory.file("s"))};
    guest.shrink();
    CHECK(acceld.wait_for("worker lost: "));
    CHECK(acceld.wait_for("front end dropped: guest memory was taken away"));
    char byte = 0;
    CHECK(::recv(guest.client().fd(), &byte, 1, 0) <= 0);
    CHECK(acceld.wait_for("provider: "));
    Client next(directory.file("s"));
    CHECK(next.ask(Request::GetFeatures).has_value());
}

TEST_CASE("the same command is served where nothing is confined") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    base::UniqueFd theirs(ends[1]);
    Acceld acceld(
        {"--fd", "9", "--provider", "mock", "--fault", "create_context:1:escape", "--no-sandbox"},
        {theirs.value()});
    theirs.reset();
    Guest guest(Client{base::UniqueFd(ends[0])});
    CHECK(guest.create_context() == wire::Status::Ok);
}

TEST_SUITE_END();
