// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>

#include <doctest/doctest.h>

#include "daemon/process.hpp"
#include "daemon/vm.hpp"
#include "driver/frames.hpp"

using daemon_test::Acceld;
using daemon_test::RunningVm;
using daemon_test::TemporaryDirectory;

TEST_SUITE_BEGIN("daemon/log");

namespace {

std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator(file), {}};
}

void wait_for(const std::string& path, std::string_view text) {
    while (!contents(path).contains(text)) {
    }
}

std::vector<std::string> arguments(const TemporaryDirectory& directory,
                                   std::initializer_list<std::string> more = {}) {
    std::vector<std::string> all{"--socket-path", directory.file("s"), "--provider", "mock"};
    all.insert(all.end(), more);
    return all;
}

// Whether a number is there, which is taken away.
bool take_number(std::string_view& text) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == 0 || text[0] == '0') return false;
    text.remove_prefix(std::min(digits, text.size()));
    return true;
}

bool take(std::string_view& text, std::string_view part) {
    if (!text.starts_with(part)) return false;
    text.remove_prefix(part.size());
    return true;
}

// "virtio-acceld: LEVEL: guest=N pid=P WHAT", or one of those about no guest.
bool is_line(std::string_view text) {
    if (!take(text, "virtio-acceld: ")) return false;
    if (!take(text, "info: ") && !take(text, "warning: ") && !take(text, "error: ")) return false;
    for (const std::string_view other : {"listening on ", "log opened anew", "confined by ",
                                         "confined without filters", "running as root: "})
        if (text.starts_with(other)) return true;
    return take(text, "guest=") && take_number(text) && take(text, " pid=") && take_number(text) &&
           take(text, " ") && !text.empty() && text[0] != ' ';
}

void check_lines(const std::string& log) {
    std::istringstream lines(log);
    for (std::string text; std::getline(lines, text);) {
        CAPTURE(text);
        CHECK(is_line(text));
    }
}

}  // namespace

TEST_CASE("every line about a guest names it, and the process that says it") {
    TemporaryDirectory directory;
    Acceld acceld(arguments(directory));
    REQUIRE(acceld.wait_for("listening on"));
    for (int guest = 1; guest <= 2; ++guest) {
        RunningVm machine(directory.file("s"));
        machine.call(driver::create_queue(5, 77));
        REQUIRE(acceld.wait_for(": guest=" + std::to_string(guest) + " pid="));
        REQUIRE(acceld.wait_for(" command refused: "));
    }
    REQUIRE(acceld.wait_for("front end disconnected"));
    acceld.signal(SIGTERM);
    CHECK(acceld.wait() == 0);
    check_lines(acceld.output());
}

TEST_CASE("with --log-file nothing is written elsewhere, and SIGHUP moves all to a new file") {
    TemporaryDirectory directory;
    const std::string path = directory.file("log");
    Acceld acceld(arguments(directory, {"--log-file", path, "--once"}));
    wait_for(path, "listening on");
    RunningVm machine(directory.file("s"));
    wait_for(path, "front end connected");
    REQUIRE(machine.call(driver::create_context(1)).status() == wire::Status::Ok);

    std::filesystem::rename(path, directory.file("old"));
    acceld.signal(SIGHUP);
    wait_for(path, "log opened anew");
    machine.client = daemon_test::Client(base::UniqueFd());
    CHECK(acceld.wait() == 0);
    CHECK(acceld.output().empty());
    const std::string log = contents(path);
    CHECK(log.contains("front end disconnected"));  // by the session
    CHECK(log.contains("left: contexts=1"));        // by the worker
    check_lines(log);
    const std::string old = contents(directory.file("old"));
    CHECK_FALSE(old.contains("disconnected"));
    CHECK_FALSE(old.contains("left: "));
    CHECK(old.contains("provider: mock"));
    check_lines(old);
}

TEST_CASE("a session that stands by writes to the new file, too") {
    TemporaryDirectory directory;
    const std::string path = directory.file("log");
    Acceld acceld(arguments(directory, {"--log-file", path}));
    wait_for(path, "listening on");
    std::filesystem::rename(path, directory.file("old"));
    acceld.signal(SIGHUP);
    wait_for(path, "log opened anew");
    RunningVm machine(directory.file("s"));
    wait_for(path, "front end connected");
    acceld.signal(SIGTERM);
    CHECK(acceld.wait() == 0);
    CHECK(contents(path).contains("left: contexts=0"));
}

TEST_CASE("a log that cannot be opened anew stays, and the guests do") {
    TemporaryDirectory directory;
    std::filesystem::create_directory(directory.file("there"));
    Acceld acceld(arguments(directory, {"--log-file", directory.file("there/log")}));
    wait_for(directory.file("there/log"), "listening on");
    RunningVm machine(directory.file("s"));
    std::filesystem::rename(directory.file("there"), directory.file("away"));
    acceld.signal(SIGHUP);
    wait_for(directory.file("away/log"), "error: the log stays where it is: ");
    CHECK(machine.call(driver::create_context(1)).status() == wire::Status::Ok);
}

TEST_CASE("a log file that cannot be is one plain line") {
    TemporaryDirectory directory;
    Acceld acceld(arguments(directory, {"--log-file", directory.file("missing/log")}));
    CHECK(acceld.wait() == 1);
    CHECK(acceld.output() ==
          "virtio-acceld: " + directory.file("missing/log") + ": No such file or directory\n");
}

TEST_SUITE_END();
