// SPDX-License-Identifier: MIT
#include "sandbox/files.hpp"

#include <filesystem>
#include <fstream>

#include <sys/socket.h>
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <unistd.h>

#include "sandbox/in_child.hpp"
#include "sandbox/privileges.hpp"

using sandbox::View;
using sandbox_test::outcome;

TEST_SUITE_BEGIN("sandbox/files");

namespace {

std::filesystem::path this_program() {
    return std::filesystem::read_symlink("/proc/self/exe");
}

// Two directories with a file in each, of which a process is to see the one.
class Files {
 public:
    Files() {
        std::string name = std::filesystem::temp_directory_path() / "sandbox-XXXXXX";
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        place_ = name;
        for (const char* directory : {"seen", "unseen"}) {
            std::filesystem::create_directory(place_ / directory);
            std::ofstream(place_ / directory / "file") << "text";
        }
    }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    ~Files() { std::filesystem::remove_all(place_); }

    [[nodiscard]] std::filesystem::path seen() const { return place_ / "seen"; }
    [[nodiscard]] std::filesystem::path unseen() const { return place_ / "unseen"; }

 private:
    std::filesystem::path place_;
};

long open_file(const std::filesystem::path& directory, int flags) {
    return ::open((directory / "file").c_str(), flags);
}

long bind_tcp() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&any), sizeof(any));
}

class Confined {
 public:
    explicit Confined(View view) : view_(std::move(view)) {}
    sandbox::Result operator()() const {
        return sandbox::give_up_privileges({}).and_then(
            [this] { return sandbox::restrict_to(view_); });
    }

 private:
    View view_;
};

}  // namespace

TEST_CASE("a process reads what is in its view and writes none of it") {
    if (sandbox::landlock_abi() == 0) return;
    const Files files;
    const Confined confined({.readable = {files.seen()}, .executable = {}, .devices = {}});
    CHECK(outcome(confined, [&] { return open_file(files.seen(), O_RDONLY); }) == "ok");
    CHECK(outcome(confined, [&] { return open_file(files.seen(), O_RDWR); }) == "EACCES");
    CHECK(outcome(confined, [&] { return open_file(files.unseen(), O_RDONLY); }) == "EACCES");
    CHECK(outcome(confined, [&] { return long{::unlink((files.seen() / "file").c_str())}; }) ==
          "EACCES");
    CHECK(outcome(confined, [&] { return long{::mkdir((files.seen() / "d").c_str(), 0700)}; }) ==
          "EACCES");
    const auto program = this_program();
    CHECK(outcome(confined, [&] { return long{::execl(program.c_str(), "x", nullptr)}; }) ==
          "EACCES");
}

TEST_CASE("a process writes what is a device of its view") {
    if (sandbox::landlock_abi() == 0) return;
    const Files files;
    const Confined confined(
        {.readable = {}, .executable = {}, .devices = {files.seen(), "/dev/null", "/dev/none"}});
    CHECK(outcome(confined, [&] { return open_file(files.seen(), O_RDWR); }) == "ok");
    CHECK(outcome(confined, [] { return long{::open("/dev/null", O_RDWR)}; }) == "ok");
    CHECK(outcome(confined, [] { return long{::open("/dev/zero", O_RDWR)}; }) == "EACCES");
}

TEST_CASE("the one program that can be run is the one that is named") {
    if (sandbox::landlock_abi() == 0 || sandbox_test::kSanitized) return;
    const auto program = this_program();
    const Confined confined({.readable = {"/usr", "/lib", "/lib64", "/etc"},
                             .executable = sandbox::to_execute(program),
                             .devices = {}});
    const auto run = [](const std::filesystem::path& path) {
        return [path] {
            ::close(STDOUT_FILENO);  // it has words for it
            return long{::execl(path.c_str(), path.c_str(), "--version", nullptr)};
        };
    };
    CHECK(outcome(confined, run(program)) == "ok");
    CHECK(outcome(confined, run(std::filesystem::canonical("/bin/sh"))) == "EACCES");
}

TEST_CASE("there is no network, and no signal leaves") {
    const Confined confined(View{});
    if (sandbox::landlock_abi() >= 4) CHECK(outcome(confined, bind_tcp) == "EACCES");
    if (sandbox::landlock_abi() >= 6)
        CHECK(outcome(confined, [] { return long{::kill(::getppid(), 0)}; }) == "EPERM");
}

TEST_SUITE_END();
