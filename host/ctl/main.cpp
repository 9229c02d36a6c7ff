// SPDX-License-Identifier: MIT
//
// acceld-ctl: what virtio-acceld and its guests are doing.
#include <print>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/command.hpp"
#include "ctl/client.hpp"
#include "ctl/table.hpp"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

int complain(const std::string& why) {
    base::say("acceld-ctl: " + why);
    return kExitFailure;
}

int run(int argc, char** argv) {
    CLI::App app{"Ask a running virtio-acceld what it and its guests are doing.", "acceld-ctl"};
    app.footer("Exit status: 0; 1 when the daemon does not answer; 2 for wrong usage.");
    app.failure_message([](const CLI::App*, const CLI::Error& error) {
        return std::string("acceld-ctl: ") + error.what() + "\n";
    });
    std::string socket = "/run/virtio-accel/control.sock";
    app.add_option("--control-path", socket, "What the daemon was given as --control-path")
        ->capture_default_str();
    app.fallthrough();  // so that it may come last, too; subcommands inherit that
    auto* status = app.add_subcommand("status", "Show the guests, a line each");
    bool as_json = false;
    status->add_flag("--json", as_json, "Show all numbers, as JSON");
    const auto* metrics = app.add_subcommand("metrics", "Show the metrics as Prometheus gets them");
    app.require_subcommand(1);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kExitUsage;
    }

    const auto answer = ctl::get(socket, metrics->parsed() ? "/metrics" : "/status");
    if (!answer) return complain(answer.error());
    if (metrics->parsed())
        std::print("{}", *answer);
    else if (const auto parsed = nlohmann::json::parse(*answer); as_json)
        std::println("{}", parsed.dump(2));
    else
        std::print("{}", ctl::table(parsed));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return base::run_command("acceld-ctl", [&] { return run(argc, argv); });
}
