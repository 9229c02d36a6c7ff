// SPDX-License-Identifier: MIT
//
// accel-tosa: what is in a TOSA file, and whether a target takes it.
#include <print>
#include <string>

#include <CLI/CLI.hpp>

#include "base/command.hpp"
#include "inspect/dump.hpp"
#include "inspect/input.hpp"
#include "inspect/stats.hpp"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

int complain(const std::string& why) {
    base::say("accel-tosa: " + why);
    return kExitFailure;
}

int run(int argc, char** argv) {
    CLI::App app{"Look into a TOSA 1.0 file.", "accel-tosa"};
    app.footer(
        "A target is words with commas between them: pro-int, pro-fp, level-8k, and extensions\n"
        "such as ext-bf16. By default it is all of TOSA 1.0 without a level.\n"
        "Exit status: 0; 1 when the file is not one that the target takes; 2 for wrong usage.");
    app.failure_message([](const CLI::App*, const CLI::Error& error) {
        return std::string("accel-tosa: ") + error.what() + "\n";
    });
    app.fallthrough();
    tosa::Target target = tosa::kEveryTarget;
    app.add_option_function<std::string>(
        "--target",
        [&](const std::string& words) {
            const auto parsed = tosa::parse_target(words);
            if (!parsed) throw CLI::ValidationError("--target: " + parsed.error());
            target = *parsed;
        },
        "What the file is to be valid for");
    std::string path;
    const auto add = [&](const char* name, const char* about) {
        auto* command = app.add_subcommand(name, about);
        command->add_option("FILE", path)->required();
        return command;
    };
    const auto* check = add("check", "Say whether the target takes the file, or why not");
    const auto* dump = add("dump", "Show its operators, in the order of execution");
    const auto* stats = add("stats", "Count its operators and bytes");
    app.require_subcommand(1);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kExitUsage;
    }

    const auto input = inspect::Input::read(path);
    if (!input) return complain(input.error());
    const auto graph = tosa::build_graph(input->bytes(), target);
    if (!graph)
        return complain(path + ": " + graph.error().message + " (" +
                        std::string(tosa::name(graph.error().code)) + ")");
    if (check->parsed()) std::println("{}: valid for {}", path, tosa::describe(target));
    if (dump->parsed()) std::print("{}", inspect::dump(*graph));
    if (stats->parsed()) std::print("{}", inspect::text(inspect::count(*graph)));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return base::run_command("accel-tosa", [&] { return run(argc, argv); });
}
