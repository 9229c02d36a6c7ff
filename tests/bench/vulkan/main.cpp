// SPDX-License-Identifier: MIT
//
// vulkan_bench: what the Vulkan provider costs on a device, beside what the device can do
// and what the CPU provider takes. docs/performance.md says what the numbers mean. Exit
// status 1 is a wrong result or another failure, 2 a usage error.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

#include "bench/vulkan/sections.hpp"
#include "cpu/cpu.hpp"

namespace {

using namespace vulkan::bench;

struct Arguments {
    Bench bench;
    std::string domain = "device";
    std::string json;
    bool list = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
    auto& bench = arguments.bench;
    app.add_option("--device", bench.device.name,
                   "the device whose name contains this; a software device has to be named")
        ->type_name("NAME");
    app.add_flag("--quick", bench.quick, "small cases, few samples, no warm-up: to try it out");
    app.add_option("--json", arguments.json, "write the results there as well")->type_name("FILE");
    app.add_option("--case", bench.only, "only what has this in its name")->type_name("SUBSTRING");
    app.add_option("--domain", arguments.domain, "where the buffers of most cases lie")
        ->capture_default_str()
        ->check(CLI::IsMember({"host", "shared", "device"}));
    app.add_flag("--list", arguments.list,
                 "list the devices, with tabs: name, type, driver, why not");
}

// A driver's cache of pipelines on disk would make the first load of a program look like
// the second, or like one of yesterday.
void keep_driver_caches_off() {
    constexpr int kUnlessSaid = 0;
    ::setenv("MESA_SHADER_CACHE_DISABLE", "true", kUnlessSaid);
    ::setenv("__GL_SHADER_DISK_CACHE", "0", kUnlessSaid);
}

int run(const Arguments& arguments) {
    const Bench& bench = arguments.bench;
    const auto chosen = vulkan::choose(bench.device);
    if (!chosen) throw std::runtime_error(chosen.error());
    Report report(chosen->name, chosen->driver, bench.quick);

    measure_host(bench, report);
    {
        const auto session = Bench::open(bench.device);
        Session cpu([](provider::ProgramRefused refused) {
            return cpu::open({.program_refused = std::move(refused)});
        });
        measure_admission(bench, *session, report);
        measure_cases(bench, *session, cpu, report);
    }
    measure_transfers(bench, report);
    measure_loads(bench, report);

    if (report.empty()) throw std::runtime_error("nothing has that in its name");
    report.print_summary();
    if (!arguments.json.empty()) report.write_json(arguments.json);
    return report.right() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int list() {
    const auto devices = vulkan::list();
    if (!devices) throw std::runtime_error(devices.error());
    for (const auto& device : *devices)
        std::cout << device.name << '\t' << vulkan::name(device.type) << '\t' << device.driver
                  << '\t' << device.unusable << '\n';
    return EXIT_SUCCESS;
}

int fail(const char* why, int status) {
    std::cerr << "vulkan_bench: " << why << '\n';
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int kUsage = 2;
    try {
        Arguments arguments;
        CLI::App app{"Measure the Vulkan provider", "vulkan_bench"};
        add_options(app, arguments);
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& help) {
            return app.exit(help);
        } catch (const CLI::ParseError& error) {
            return fail(error.what(), kUsage);
        }
        keep_driver_caches_off();
        if (arguments.list) return list();
        arguments.bench.domain = domain_of(arguments.domain);
        return run(arguments);
    } catch (const std::exception& error) {
        return fail(error.what(), EXIT_FAILURE);
    }
}
