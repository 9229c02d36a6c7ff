// SPDX-License-Identifier: MIT
//
// That the processes of the real daemon are confined, and what becomes of one that is
// killed for what it has tried. What the lists let through is tested in tests/sandbox.
#include <array>
#include <fstream>
#include <map>
#include <string>

#include <sys/socket.h>
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <grp.h>
#include <unistd.h>

#include "daemon/vm.hpp"
#include "driver/frames.hpp"
#include "sandbox/in_child.hpp"
#include "wire/status.hpp"

using daemon_test::Acceld;
using daemon_test::Client;
using daemon_test::RunningVm;
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
    // A sanitizer reads files that another user may not.
    if (!may_change_user() || sandbox_test::kSanitized) return;
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
    RunningVm guest(Client{base::UniqueFd(ends[0])});
    REQUIRE(guest.call(driver::create_context(1)).status() == wire::Status::DeviceLost);
    CHECK(acceld.wait_for("worker lost: died of signal 31"));
    CHECK(guest.client.ask(Request::GetFeatures).has_value());
}

TEST_CASE("the same command is served where nothing is confined") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    base::UniqueFd theirs(ends[1]);
    Acceld acceld(
        {"--fd", "9", "--provider", "mock", "--fault", "create_context:1:escape", "--no-sandbox"},
        {theirs.value()});
    theirs.reset();
    RunningVm guest(Client{base::UniqueFd(ends[0])});
    CHECK(guest.call(driver::create_context(1)).status() == wire::Status::Ok);
}

TEST_SUITE_END();
