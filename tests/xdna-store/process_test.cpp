// SPDX-License-Identifier: MIT
//
// virtio-accel-xdna-store, started as the daemon starts it.
#include <csignal>
#include <memory>
#include <thread>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include "vhost/send_fds.hpp"
#include "xdna-store/fake_compiler.hpp"
#include "xdna-store/kernels.hpp"
#include "xdna/store/client.hpp"
#include "xdna/store/has_slots.hpp"

namespace {

using base::UniqueFd;
using xdna::Effort;
using xdna::StoreClient;
using xdna_store_test::kSpec;
using xdna_store_test::Scratch;
using xdna_store_test::write_compiler;

constexpr int kInherited = 3;

struct Pair {
    UniqueFd ours, theirs;
};

Pair make_pair(int type) {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) == 0);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

class StoreProcess {
 public:
    StoreProcess(const std::vector<std::string>& arguments, int type, const char* log = nullptr) {
        auto [ours, theirs] = make_pair(type);
        socket = std::move(ours);
        const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
        std::vector<std::string> words{here / "../../host/xdna/store/virtio-accel-xdna-store"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& word : words)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);
        const UniqueFd aside(::dup(theirs.value()));
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, aside.value(), kInherited);
        if (log) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY, 0);
        REQUIRE(::posix_spawn(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ) ==
                0);
        posix_spawn_file_actions_destroy(&actions);
    }
    StoreProcess(const StoreProcess&) = delete;
    StoreProcess& operator=(const StoreProcess&) = delete;
    ~StoreProcess() {
        if (pid_ < 0) return;
        ::kill(pid_, SIGKILL);
        wait();
    }

    [[nodiscard]] UniqueFd connect() const {
        auto [ours, theirs] = make_pair(SOCK_STREAM);
        hand_over({theirs.value()});
        return std::move(ours);
    }
    void hand_over(const std::vector<int>& fds) const {
        REQUIRE(vhost_test::send_fds(socket.value(), {std::byte{1}}, fds, 0) == 1);
    }
    void terminate() const { ::kill(pid_, SIGTERM); }
    // Its exit status, or -1.
    int wait() {
        int status = 0;
        REQUIRE(::waitpid(pid_, &status, 0) == pid_);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    UniqueFd socket;

 private:
    pid_t pid_ = -1;
};

// What a compiler does until the test closes the other end of a pipe, which it can open as
// soon as the compiler is there.
constexpr const char* kWaiting =
    "versions_only()\nopen(os.path.dirname(sys.argv[0]) + '/go').read()\nmake()\n";

std::vector<std::string> compiling(const Scratch& scratch, const char* how, const char* body) {
    const std::string compiler = write_compiler(scratch, body);
    REQUIRE(::mkfifo((scratch / "go").c_str(), 0600) == 0);
    return {how, "3", "--compiler", compiler, "--cache", scratch / "cache"};
}

TEST_CASE("A store process serves the clients that it is handed, and ends after its supervisor") {
    const Scratch scratch;
    StoreProcess store(compiling(scratch, "--control-fd", "good()\n"), SOCK_SEQPACKET);
    StoreClient first(store.connect());
    StoreClient second(store.connect());
    const auto made = first.find(kSpec, Effort::Compile);
    REQUIRE(made.has_value());
    CHECK(has_slots(*made, kSpec));
    CHECK(second.find(kSpec, Effort::Look) == *made);
    store.socket.reset();
    CHECK(store.wait() == 0);
    CHECK_FALSE(second.find(kSpec, Effort::Look).has_value());
}

TEST_CASE("A store process bears what no supervisor sends") {
    const Scratch scratch;
    StoreProcess store(compiling(scratch, "--control-fd", "good()\n"), SOCK_SEQPACKET);
    const auto [one, other] = make_pair(SOCK_STREAM);
    store.hand_over({});
    store.hand_over({one.value(), other.value()});
    const UniqueFd file(::open("/dev/null", O_RDWR));
    store.hand_over({file.value()});
    StoreClient client(store.connect());
    CHECK(client.find(kSpec, Effort::Compile).has_value());
}

TEST_CASE("A store process for one client ends with it") {
    const Scratch scratch;
    StoreProcess store(compiling(scratch, "--client-fd", "good()\n"), SOCK_STREAM);
    {
        StoreClient client(std::move(store.socket));
        CHECK(client.find(kSpec, Effort::Compile).has_value());
    }
    CHECK(store.wait() == 0);
}

TEST_CASE("A store process that is to end takes its compiler with it") {
    const Scratch scratch;
    StoreProcess store(compiling(scratch, "--control-fd", kWaiting), SOCK_SEQPACKET);
    StoreClient client(store.connect());
    std::thread waiter([&] { CHECK_FALSE(client.find(kSpec, Effort::Compile).has_value()); });
    const UniqueFd go(::open((scratch / "go").c_str(), O_WRONLY));
    SUBCASE("as its supervisor has gone") {
        store.socket.reset();
    }
    SUBCASE("as it is told to") {
        store.terminate();
    }
    CHECK(store.wait() == 0);
    waiter.join();
    CHECK(std::filesystem::is_empty(scratch / "cache"));
    // Nobody reads it any more.
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    CHECK(::write(go.value(), "x", 1) == -1);
    ::signal(SIGPIPE, before);
}

TEST_CASE("A compiler does not outlive a store process that is killed") {
    const Scratch scratch;
    auto store = std::make_unique<StoreProcess>(compiling(scratch, "--control-fd", kWaiting),
                                                SOCK_SEQPACKET);
    StoreClient client(store->connect());
    std::thread waiter([&] { CHECK_FALSE(client.find(kSpec, Effort::Compile).has_value()); });
    const UniqueFd go(::open((scratch / "go").c_str(), O_WRONLY));
    store.reset();
    waiter.join();
    pollfd unread{go.value(), 0, 0};
    CHECK(::poll(&unread, 1, -1) == 1);
    CHECK(unread.revents == POLLERR);
    // What it has left is removed by the next.
    CHECK_FALSE(std::filesystem::is_empty(scratch / "cache"));
    const auto next = xdna::DirectStore::open(
        {.catalogue = {}, .compiler = scratch / "compiler", .cache = scratch / "cache"});
    CHECK(std::filesystem::is_empty(scratch / "cache"));
}

TEST_CASE("A compiler has as long as the store process is told") {
    const Scratch scratch;
    auto arguments = compiling(scratch, "--control-fd", kWaiting);
    arguments.insert(arguments.end(), {"--compile-timeout", "1"});
    StoreProcess store(arguments, SOCK_SEQPACKET);
    StoreClient client(store.connect());
    const UniqueFd go(::open((scratch / "go").c_str(), O_RDWR));
    CHECK(client.find(kSpec, Effort::Compile).error().error ==
          provider::Error(xdna::kErrorDomain, 102));
}

TEST_CASE("A store process goes on without its log") {
    const Scratch scratch;
    const StoreProcess store(compiling(scratch, "--control-fd", "sys.exit('no')\n"), SOCK_SEQPACKET,
                             "/dev/full");
    StoreClient client(store.connect());
    for (int i = 0; i < 2; ++i)
        CHECK(client.find(kSpec, Effort::Compile).error().error ==
              provider::Error(xdna::kErrorDomain, 103));
}

TEST_CASE("A store process that is started wrongly says so") {
    const Scratch scratch;
    const auto status = [](const std::vector<std::string>& arguments) {
        return StoreProcess(arguments, SOCK_SEQPACKET).wait();
    };
    CHECK(status({}) == 2);
    CHECK(status({"--control-fd", "3", "--client-fd", "3"}) == 2);
    CHECK(status({"--control-fd", "3", "--cache", scratch / "cache"}) == 2);
    CHECK(status({"--control-fd", "3", "--compiler", "/bin/true"}) == 2);
    CHECK(status({"--control-fd", "3", "--compile-timeout", "7"}) == 2);
    CHECK(status({"--control-fd", "x"}) == 2);
    CHECK(status({"--control-fd", "3", "--catalogue", scratch / "none"}) == 1);
    CHECK(status({"--control-fd", "99"}) == 1);
    CHECK(status({"--help"}) == 0);
}

}  // namespace
