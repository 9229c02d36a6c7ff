// SPDX-License-Identifier: MIT
//
// acceld-ctl, as an operator calls it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include <sys/wait.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "daemon/process.hpp"
#include "daemon/prometheus.hpp"
#include "daemon/vm.hpp"
#include "driver/frames.hpp"

using daemon_test::Acceld;
using daemon_test::RunningVm;
using daemon_test::TemporaryDirectory;

TEST_SUITE_BEGIN("daemon/ctl");

namespace {

struct Run {
    int status;
    std::string output;  // standard output and error
};

Run ctl(const std::string& arguments) {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string command =
        (here / "../../host/ctl/acceld-ctl").string() + " " + arguments + " 2>&1";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    Run run{};
    std::array<char, 4096> bytes{};
    while (const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), pipe))
        run.output.append(bytes.data(), got);
    run.status = WEXITSTATUS(::pclose(pipe));
    return run;
}

}  // namespace

TEST_CASE("the guests are shown as a table, as JSON and as metrics") {
    TemporaryDirectory directory;
    const std::string control = directory.file("c");
    Acceld acceld(
        {"--socket-path", directory.file("s"), "--control-path", control, "--provider", "mock"});
    REQUIRE(acceld.wait_for("listening on"));
    RunningVm machine(directory.file("s"));
    REQUIRE(machine.call(driver::create_context(1)).status() == wire::Status::Ok);
    REQUIRE(machine.call(driver::create_queue(2, 77)).status() == wire::Status::StaleObject);

    nlohmann::json guest;
    do {
        const Run run = ctl("--control-path " + control + " status --json");
        REQUIRE(run.status == 0);
        guest = nlohmann::json::parse(run.output)["guests"][0];
    } while (guest["commands"] != 2);
    CHECK(guest["answers"]["STALE_OBJECT"] == 1);

    const Run table = ctl("status --control-path " + control);
    CHECK(table.status == 0);
    CHECK(table.output.contains("provider mock: 1 front ends so far, 0 sessions failed\n"));
    CAPTURE(table.output);
    CHECK(table.output.contains("\nGUEST "));
    const std::vector<std::string> shown{
        "1", guest["pid"].dump(), guest["worker_pid"].dump(), "serving", "2", "1", "1", "0", "B"};
    std::istringstream lines(table.output);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        rows.emplace_back(std::istream_iterator<std::string>(words),
                          std::istream_iterator<std::string>());
    }
    CHECK(std::ranges::any_of(rows, [&](const auto& row) {
        return row.size() > shown.size() && std::equal(shown.begin(), shown.end(), row.begin());
    }));

    const Run metrics = ctl("metrics --control-path " + control);
    CHECK(metrics.status == 0);
    auto families = daemon_test::parse_metrics(metrics.output);
    CHECK(families["virtio_accel_commands_total"].at({{"guest", "1"}}) == 2);
    CHECK(ctl("metrics --control-path " + control + " > /dev/full").status == 1);
}

TEST_CASE("where no daemon answers there is one plain line and status 1") {
    TemporaryDirectory directory;
    const std::string missing = directory.file("missing");
    Run run = ctl("status --control-path " + missing);
    CHECK(run.status == 1);
    CHECK(run.output == "acceld-ctl: " + missing + ": No such file or directory\n");

    std::ofstream(directory.file("plain")) << "x";
    run = ctl("metrics --control-path " + directory.file("plain"));
    CHECK(run.status == 1);
    CHECK(run.output == "acceld-ctl: " + directory.file("plain") + ": Connection refused\n");
}

TEST_CASE("a socket of something else is told from a daemon's") {
    TemporaryDirectory directory;
    Acceld acceld({"--socket-path", directory.file("s"), "--provider", "mock"});
    REQUIRE(acceld.wait_for("listening on"));
    // Takes the request for a message of a front end, and hangs up.
    const Run run = ctl("status --control-path " + directory.file("s"));
    CHECK(run.status == 1);
    CHECK(run.output.starts_with("acceld-ctl: " + directory.file("s") + ": "));
}

TEST_CASE("wrong usage is status 2") {
    for (const char* wrong : {"", "nonsense", "status --control-path", "metrics --json"}) {
        CAPTURE(wrong);
        const Run run = ctl(wrong);
        CHECK(run.status == 2);
        CHECK(run.output.starts_with("acceld-ctl: "));
    }
    CHECK(ctl("--help").status == 0);
}

TEST_SUITE_END();
