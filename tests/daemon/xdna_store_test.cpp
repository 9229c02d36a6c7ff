// SPDX-License-Identifier: MIT
//
// The store of kernels as a process of the daemon: who uses it, and what its end means.
#include <algorithm>
#include <csignal>
#include <fstream>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>

// glibc 2.41's header forgets to say that its functions are C.
extern "C" {
#include <sys/pidfd.h>
}

#include "daemon/xdna_guest.hpp"
#include "sandbox/files.hpp"
#include "sandbox/in_child.hpp"
#include "xdna/binary.hpp"
#include "xdna/double/binaries.hpp"

using namespace daemon_test;
using wire::Status;

TEST_SUITE_BEGIN("daemon/xdna-store" * doctest::skip(!xdna_is_built()));

namespace {

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments first, const Arguments& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// The daemon with a store that compiles.
struct Compiling {
    explicit Compiling(const Arguments& more = {}, const std::string& body = "")
        : daemon(XdnaDaemon::compiler(files, body) + more) {
        REQUIRE(daemon.acceld.wait_for("listening on"));
    }

    TemporaryDirectory files;
    XdnaDaemon daemon;
};

struct Guest {
    explicit Guest(const XdnaDaemon& daemon) : vm(daemon.connect()), product(vm) {}

    RunningVm vm;
    Product product;
};

// The supervisor's first child.
pid_t store_of(const Acceld& acceld) {
    return children(acceld.pid()).at(0);
}

// Waits for it.
bool ends(const base::UniqueFd& process) {
    pollfd ended{process.value(), POLLIN, 0};
    return ::poll(&ended, 1, kPatienceMs) == 1;
}

std::ptrdiff_t files_in(const std::string& folder) {
    namespace fs = std::filesystem;
    return std::ranges::count_if(fs::directory_iterator(folder),
                                 [](const auto& entry) { return entry.is_regular_file(); });
}

}  // namespace

TEST_CASE("two guests run what is compiled once, by a store of the daemon's") {
    Compiling compiling({"--max-guests", "2"});
    Guest first(compiling.daemon);
    REQUIRE(first.product.load() == Status::Ok);
    CHECK(first.product.runs());
    const auto kept = files_in(compiling.files.file("cache"));
    CHECK(kept > 0);
    Guest second(compiling.daemon);
    REQUIRE(second.product.load() == Status::Ok);
    CHECK(second.product.runs());
    CHECK(files_in(compiling.files.file("cache")) == kept);
}

TEST_CASE("a worker that takes another's place has a connection of its own") {
    Compiling compiling({}, "[ \"$1\" = --versions ] || sleep 3");
    Guest guest(compiling.daemon);
    // It dies with a question asked and no answer read.
    const auto question = guest.product.load_frame();
    REQUIRE(guest.vm.publish(question, {{question.size()}, {64}}).has_value());
    guest.vm.kick();
    const pid_t session = children(compiling.daemon.acceld.pid()).at(1);
    const pid_t worker = children(session).at(0);
    while (usage(store_of(compiling.daemon.acceld)).processes < 2)
        ::poll(nullptr, 0, 10);
    REQUIRE(::kill(worker, SIGKILL) == 0);
    REQUIRE(compiling.daemon.acceld.wait_for("worker lost"));
    static_cast<void>(guest.vm.collect());
    guest.vm.reset();
    Product again(guest.vm);
    REQUIRE(again.load() == Status::Ok);
    CHECK(again.runs());
}

TEST_CASE("a store that dies is missed by those alone who want another kernel") {
    Compiling compiling({"--max-guests", "2"});
    Guest guest(compiling.daemon);
    REQUIRE(guest.product.load() == Status::Ok);
    REQUIRE(::kill(store_of(compiling.daemon.acceld), SIGKILL) == 0);
    REQUIRE(compiling.daemon.acceld.wait_for("the store of kernels died of signal 9"));
    CHECK(guest.product.runs());
    CHECK(guest.product.load() != Status::Ok);
    CHECK(compiling.daemon.acceld.wait_for("the store of kernels is lost"));
    CHECK(guest.product.runs());
    Guest next(compiling.daemon);
    CHECK(next.product.load() != Status::Ok);
}

TEST_CASE("a compiler reads no more than the store may") {
    if (sandbox_test::kSanitized || sandbox::landlock_abi() == 0) return;
    const TemporaryDirectory other;
    std::ofstream(other.file("file")) << "words";
    const std::string body =
        "[ \"$1\" = --versions ] || ! cat '" + other.file("file") + "' || exit 9";
    for (const bool confined : {true, false}) {
        CAPTURE(confined);
        Compiling compiling(confined ? Arguments{} : Arguments{"--no-sandbox"}, body);
        Guest guest(compiling.daemon);
        CHECK((guest.product.load() == Status::Ok) == confined);
    }
}

TEST_CASE("the store ends with the daemon, however that ends") {
    for (const int signal : {SIGTERM, SIGKILL}) {
        CAPTURE(signal);
        Compiling compiling;
        const base::UniqueFd store(::pidfd_open(store_of(compiling.daemon.acceld), 0));
        compiling.daemon.acceld.signal(signal);
        CHECK(compiling.daemon.acceld.wait() == (signal == SIGTERM ? 0 : 128 + SIGKILL));
        CHECK(ends(store));
    }
}

TEST_CASE("a store that does not end is killed") {
    Compiling compiling;
    const pid_t pid = store_of(compiling.daemon.acceld);
    const base::UniqueFd store(::pidfd_open(pid, 0));
    REQUIRE(::kill(pid, SIGSTOP) == 0);
    compiling.daemon.acceld.signal(SIGTERM);
    CHECK(compiling.daemon.acceld.wait() == 0);
    CHECK(ends(store));
}

TEST_CASE("a daemon whose store cannot begin does not begin, and says why") {
    XdnaDaemon daemon({"--xdna-catalogue", "/nowhere"});
    CHECK(daemon.acceld.wait() == 1);
    CHECK(daemon.acceld.output().contains("/nowhere"));
}

TEST_CASE("a single process has a store, too") {
    Compiling compiling({"--single-process", "--once"});
    {
        Guest guest(compiling.daemon);
        REQUIRE(guest.product.load() == Status::Ok);
        CHECK(guest.product.runs());
    }
    CHECK(compiling.daemon.acceld.wait() == 0);
}

TEST_CASE("a guest's own kernels run where they may, and need no store") {
    const auto binary =
        xrt_double::binary(xdna::Int8Matmul{.shape = {2, 3, 2}, .a_zero = -2, .b_zero = 3});
    const auto container = xdna::to_container(binary);
    for (const bool may : {false, true}) {
        CAPTURE(may);
        XdnaDaemon daemon(may ? Arguments{"--xdna-raw-binaries"} : Arguments{});
        REQUIRE(daemon.acceld.wait_for("listening on"));
        Guest guest(daemon);
        CHECK((guest.product.load(container, xdna::kBinaryFormat) == Status::Ok) == may);
        if (may) CHECK(guest.product.runs());
        CHECK(guest.product.load() != Status::Ok);
    }
}

TEST_SUITE_END();
