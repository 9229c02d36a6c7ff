// SPDX-License-Identifier: MIT
//
// The processes of the daemon, each with all that confines it.
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "sandbox/files.hpp"
#include "sandbox/in_child.hpp"
#include "sandbox/sandbox.hpp"

using sandbox::Needs;
using sandbox_test::outcome;

TEST_SUITE_BEGIN("sandbox/process");

namespace {

long open_file(const std::filesystem::path& path, int flags) {
    return ::open(path.c_str(), flags);
}

std::filesystem::path this_program() {
    return std::filesystem::read_symlink("/proc/self/exe");
}

sandbox::Result be_session() {
    return sandbox::confine_session({}, this_program());
}

// A worker would have been executed in between.
sandbox::Result be_worker(Needs needs) {
    return be_session().and_then([=] { return sandbox::confine_opening({}, needs); }).and_then([=] {
        return sandbox::confine_serving({}, needs);
    });
}

bool has_no_view() {
    return sandbox_test::kSanitized || sandbox::landlock_abi() == 0;
}

}  // namespace

TEST_CASE("a session reads the system, not what people have, and runs its worker") {
    if (has_no_view()) return;
    const auto home = std::filesystem::temp_directory_path();
    CHECK(outcome(be_session, [] { return open_file("/etc/passwd", O_RDONLY); }) == "ok");
    CHECK(outcome(be_session, [&] { return open_file(home, O_RDONLY); }) == "EACCES");
    CHECK(outcome(be_session, [] { return open_file("/", O_RDONLY); }) == "EACCES");
    CHECK(outcome(be_session, [] { return open_file("/dev/null", O_RDWR); }) == "EACCES");
    const auto sh = std::filesystem::canonical("/bin/sh");
    CHECK(outcome(be_session, [&] { return long{::execl(sh.c_str(), "sh", nullptr)}; }) ==
          "EACCES");
    const auto program = this_program();
    CHECK(outcome(be_session, [&] {
              ::close(STDOUT_FILENO);  // it has words for it
              return long{::execl(program.c_str(), "x", "--version", nullptr)};
          }) == "ok");
}

TEST_CASE("a worker reads the system and has devices only for a driver") {
    if (has_no_view()) return;
    const auto home = std::filesystem::temp_directory_path();
    for (const Needs needs : {Needs::Memory, Needs::Driver}) {
        const auto confine = [=] { return be_worker(needs); };
        const bool driver = needs == Needs::Driver;
        CAPTURE(driver);
        CHECK(outcome(confine, [] { return open_file("/etc/passwd", O_RDONLY); }) == "ok");
        CHECK(outcome(confine, [&] { return open_file(home, O_RDONLY); }) == "EACCES");
        CHECK(outcome(confine, [] { return open_file("/dev/null", O_RDWR); }) ==
              (driver ? "EACCES" : "SIGSYS"));
        CHECK(outcome(confine, [] {
                  const char* disabled = std::getenv("MESA_SHADER_CACHE_DISABLE");
                  return disabled != nullptr && std::string_view(disabled) == "true" ? 0 : -1;
              }) == "ok");
        if (!std::filesystem::exists("/dev/dri")) continue;
        CHECK(outcome(confine, [] { return open_file("/dev/dri", O_RDONLY); }) ==
              (driver ? "ok" : "EACCES"));
    }
}

TEST_CASE("with the sandbox off nothing is confined") {
    const sandbox::Policy off{.off = true, .user = {}};
    const auto confine = [&] {
        return sandbox::confine_supervisor(off)
            .and_then([&] { return sandbox::confine_session(off, this_program()); })
            .and_then([&] { return sandbox::confine_opening(off, Needs::Memory); })
            .and_then([&] { return sandbox::confine_serving(off, Needs::Memory); });
    };
    CHECK(outcome(confine, [] { return open_file("/dev/null", O_RDWR); }) == "ok");
}

TEST_SUITE_END();
