// SPDX-License-Identifier: MIT
#include "vm/process.hpp"

#include <csignal>

#include <doctest/doctest.h>

namespace {

vm::Result<vm::Child> shell(const std::string& script, const std::filesystem::path& log = {}) {
    vm::SpawnOptions options;
    options.log = log;
    return vm::Child::spawn({"sh", "-c", script}, options);
}

TEST_SUITE_BEGIN("vm/process");

TEST_CASE("a program that is not there is a failure to start") {
    const auto child = vm::Child::spawn({"no-such-program"}, {});

    REQUIRE_FALSE(child);
    CHECK(child.error().text == "cannot run no-such-program: No such file or directory");
}

TEST_CASE("a status is the exit code, or 128 plus the signal") {
    CHECK(shell("exit 7")->wait() == 7);
    CHECK(shell("kill -9 $$")->wait() == 128 + SIGKILL);
}

TEST_CASE("a child reads nothing and keeps its words in its log") {
    const auto directory = vm::TemporaryDirectory::make();
    REQUIRE(directory);
    const auto log = directory->path() / "log";

    auto child = shell("read line || echo nothing; echo why >&2; echo", log);

    REQUIRE(child);
    CHECK(child->wait() == 0);
    CHECK(vm::read_file(log).value() == "nothing\nwhy\n\n");
    CHECK(child->obituary() == "status 0, why");
}

// The pipe ends when the last process that holds it has ended.
TEST_CASE("stop ends the whole group, even what does not listen to reason") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const vm::UniqueFd in(ends[0]);
    vm::UniqueFd out(ends[1]);
    vm::SpawnOptions options;
    options.output = out.value();
    std::string script;
    SUBCASE("a helper of a process that ends") {
        script = "sleep 1000 & echo; exit 0";
    }
    SUBCASE("a helper of a process that is stopped") {
        script = "sleep 1000 & echo; wait";
    }
    SUBCASE("a helper that ignores SIGTERM") {
        script = "trap '' TERM; sleep 1000 & trap - TERM; echo; wait";
    }

    auto child = vm::Child::spawn({"sh", "-c", script}, options);
    REQUIRE(child);
    out = {};
    char started = 0;
    REQUIRE(::read(in.value(), &started, 1) == 1);
    child->stop();

    CHECK(vm::read_all(in.value()) == "");
}

TEST_CASE("output_of gives the output of success only") {
    CHECK(vm::output_of({"printf", "a\\nb"}).value() == "a\nb");
    const auto failed = vm::output_of({"sh", "-c", "exit 3"});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().text == "sh exit 3: status 3");
}

TEST_SUITE_END();

}  // namespace
