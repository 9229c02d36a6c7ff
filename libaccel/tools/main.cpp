// SPDX-License-Identifier: MIT
//
// accelctl: the accelerator from a shell. Exit status 1 is a failure, 2 a usage
// error.
#include <cstdio>
#include <exception>
#include <string_view>

#include <CLI/CLI.hpp>

#include "bench.hpp"
#include "info.hpp"
#include "open.hpp"
#include "run.hpp"
#include "selftest.hpp"

namespace {

using accelctl::Outcome;

constexpr int kFailure = 1;
constexpr int kUsage = 2;

// In seconds. As nanoseconds the one is not zero, which is no limit, and the other,
// added to the age of the machine, fits in 64 bits.
constexpr double kShortestTimeout = 1e-6;
constexpr double kLongestTimeout = 1e9;

struct Arguments {
    accelctl::RunOptions run;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::string labels;
    accelctl::BenchOptions bench;
    double timeout_s = 60;
    std::string device;
};

int report(const std::string& error, int status) {
    const auto line = fmt::format("accelctl: {}{}", error, error.ends_with('\n') ? "" : "\n");
    std::fputs(line.c_str(), stderr);  // print() throws where nobody can be told
    return status;
}

void print(std::string_view text) {
    fmt::print("{}", text);
    std::fflush(stdout);
}

CLI::Option* add_device(CLI::App& command, Arguments& arguments) {
    return command.add_option("--device", arguments.device, "device node (default: the first)")
        ->type_name("PATH");
}

void add_timeout(CLI::App& command, Arguments& arguments) {
    command.add_option("--timeout", arguments.timeout_s, "how long to wait for the result")
        ->capture_default_str()
        ->check(CLI::Range(kShortestTimeout, kLongestTimeout))
        ->type_name("SECONDS");
}

CLI::App* add_run(CLI::App& app, Arguments& arguments) {
    auto* command = app.add_subcommand("run", "run a TOSA model on .npy files");
    auto& run = arguments.run;
    command->add_option("MODEL", run.model, "TOSA model")->required()->type_name("FILE");
    command->add_option("--input", arguments.inputs, "tensors to read, .npy files")
        ->type_name("NAME=FILE");
    command->add_option("--output", arguments.outputs, "tensors to write, .npy files")
        ->type_name("NAME=FILE");
    auto* labels = command
                       ->add_option("--labels", arguments.labels,
                                    "the right class for each row of an output, a .npy file")
                       ->type_name("NAME=FILE");
    command->add_option("--require", run.required_percent, "fail below this accuracy")
        ->needs(labels)
        ->check(CLI::Range(0.0, 100.0))
        ->type_name("PERCENT");
    command
        ->add_option("--resident", run.resident_bytes,
                     "what the device may keep for the model (default: by its tensors)")
        ->check(CLI::PositiveNumber)
        ->type_name("BYTES");
    add_timeout(*command, arguments);
    command->add_flag("--describe", run.describe_only, "print the model's inputs and outputs only");
    add_device(*command, arguments);
    return command;
}

CLI::App* add_bench(CLI::App& app, Arguments& arguments) {
    auto* command = app.add_subcommand("bench", "measure what the accelerator takes for a model");
    auto& bench = arguments.bench;
    command->add_option("--model", bench.model, "TOSA model (default: y = x of four numbers)")
        ->type_name("FILE");
    command
        ->add_option("--iterations", bench.iterations,
                     "submissions to measure; a tenth as many loads and transfers")
        ->capture_default_str()
        ->check(CLI::Range(1U, accelctl::kMostIterations))
        ->type_name("N");
    command->add_flag("--json", bench.json, "print the results as JSON");
    add_timeout(*command, arguments);
    add_device(*command, arguments);
    return command;
}

std::chrono::nanoseconds timeout(const Arguments& arguments) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(arguments.timeout_s));
}

Outcome<std::vector<accelctl::NamedPath>> named_paths(const std::vector<std::string>& texts) {
    std::vector<accelctl::NamedPath> paths;
    for (const auto& text : texts) {
        auto path = accelctl::parse_named_path(text);
        if (!path) return std::unexpected(path.error());
        paths.push_back(std::move(*path));
    }
    return paths;
}

Outcome<accelctl::RunOptions> run_options(const Arguments& arguments) {
    accelctl::RunOptions options = arguments.run;
    auto inputs = named_paths(arguments.inputs);
    if (!inputs) return std::unexpected(inputs.error());
    auto outputs = named_paths(arguments.outputs);
    if (!outputs) return std::unexpected(outputs.error());
    if (!arguments.labels.empty()) {
        auto labels = accelctl::parse_named_path(arguments.labels);
        if (!labels) return std::unexpected(labels.error());
        options.labels = std::move(*labels);
    }
    options.inputs = std::move(*inputs);
    options.outputs = std::move(*outputs);
    options.timeout = timeout(arguments);
    options.device = arguments.device;
    return options;
}

int run(const Arguments& arguments) {
    const auto options = run_options(arguments);
    if (!options) return report(options.error(), kUsage);
    const auto text = accelctl::run(*options, accel::system_kernel());
    if (!text) return report(text.error(), kFailure);
    print(*text);
    return 0;
}

int bench(const Arguments& arguments) {
    accelctl::BenchOptions options = arguments.bench;
    options.timeout = timeout(arguments);
    options.device = arguments.device;
    const auto text = accelctl::bench(options, accel::system_kernel());
    if (!text) return report(text.error(), kFailure);
    print(*text);
    return 0;
}

int info(const Arguments& arguments) {
    const auto device = accelctl::open_device(arguments.device, accel::system_kernel());
    if (!device) return report(device.error(), kFailure);
    const auto found = device->info();
    if (!found) return report(found.error().message(), kFailure);
    print(accelctl::describe(device->path(), *found));
    return 0;
}

int selftest(const Arguments& arguments) {
    const auto tally = accelctl::selftest(arguments.device, accel::system_kernel(), print);
    if (!tally) return report(tally.error(), kFailure);
    return tally->failed == 0 ? 0 : kFailure;
}

int command_line(int argc, char** argv) {
    Arguments arguments;
    CLI::App app{"Use a virtio-accel device", "accelctl"};
    app.require_subcommand(1);
    auto* info_command = app.add_subcommand("info", "describe the accelerator");
    add_device(*info_command, arguments);
    auto* run_command = add_run(app, arguments);
    auto* bench_command = add_bench(app, arguments);
    auto* selftest_command = app.add_subcommand("selftest", "check that the accelerator works");
    add_device(*selftest_command, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        return report(error.what(), kUsage);
    }
    if (*run_command) return run(arguments);
    if (*bench_command) return bench(arguments);
    if (*info_command) return info(arguments);
    (void)selftest_command;
    return selftest(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int status = command_line(argc, argv);
        if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
        return report("its output cannot be written", kFailure);
    } catch (const std::exception& error) {
        return report(error.what(), kFailure);
    }
}
