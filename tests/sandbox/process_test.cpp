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
    return ::open(path.c_str(), flags, 0600);
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
    for (const Needs needs : {Needs::Memory, Needs::Driver, Needs::Npu}) {
        const auto confine = [=] { return be_worker(needs); };
        const bool driver = needs != Needs::Memory;
        CAPTURE(needs);
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
              (needs == Needs::Driver ? "ok" : "EACCES"));
    }
}

TEST_CASE("a process with files of its own changes these, and runs what is there") {
    if (has_no_view()) return;
    std::string place = std::filesystem::temp_directory_path() / "sandbox-XXXXXX";
    REQUIRE(::mkdtemp(place.data()) != nullptr);
    const std::filesystem::path folder = place;
    for (const char* name : {"kept", "programs", "other"})
        std::filesystem::create_directory(folder / name);
    for (const char* name : {"programs/true", "other/true"})
        std::filesystem::copy_file(std::filesystem::canonical("/bin/true"), folder / name);
    const auto confine = [&] {
        return sandbox::confine_helper({}, {.readable = {folder / "programs"},
                                            .executable = {},
                                            .devices = {},
                                            .writable = {folder / "kept"}});
    };
    const auto make = [&](const char* name) {
        return outcome(confine, [&] { return open_file(folder / name, O_WRONLY | O_CREAT); });
    };
    const auto run = [&](const std::filesystem::path& program) {
        return outcome(confine, [&] { return long{::execl(program.c_str(), "true", nullptr)}; });
    };
    CHECK(make("kept/file") == "ok");
    CHECK(make("programs/file") == "EACCES");
    CHECK(make("file") == "EACCES");
    CHECK(outcome(confine, [&] {
              std::filesystem::create_directory(folder / "kept/folder");
              std::filesystem::rename(folder / "kept/file", folder / "kept/folder/file");
              std::filesystem::resize_file(folder / "kept/folder/file", 1);
              return static_cast<long>(std::filesystem::remove_all(folder / "kept/folder")) - 2;
          }) == "ok");
    CHECK(run("/bin/true") == "ok");
    CHECK(run(folder / "programs/true") == "ok");
    CHECK(run(folder / "other/true") == "EACCES");
    CHECK(outcome(confine, [] { return open_file("/dev/null", O_RDWR); }) == "ok");
    CHECK(outcome(confine, [&] { return open_file(folder / "other/true", O_RDONLY); }) == "EACCES");
    std::filesystem::remove_all(folder);
}

TEST_CASE("a worker has the libraries of LD_LIBRARY_PATH") {
    if (has_no_view()) return;
    const auto home = std::filesystem::temp_directory_path();
    const auto read = [&](const std::string& path) {
        REQUIRE(::setenv("LD_LIBRARY_PATH", path.c_str(), 1) == 0);
        const auto what = outcome([] { return be_worker(Needs::Npu); },
                                  [&] { return open_file(home, O_RDONLY); });
        REQUIRE(::unsetenv("LD_LIBRARY_PATH") == 0);
        return what;
    };
    CHECK(read("/usr:" + home.native()) == "ok");
    CHECK(read("/usr::relative") == "EACCES");
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
