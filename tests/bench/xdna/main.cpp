// SPDX-License-Identifier: MIT
//
// xdna_bench: what the XDNA provider costs a program of one kernel; and whether an NPU is
// there, and whether the provider does on it what it has to. Exit status 1 is a failure or a wrong
// result, 2 a usage error, 77 that there is no NPU.
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <format>
#include <print>
#include <stdexcept>
#include <vector>

#include <CLI/CLI.hpp>
#include <dlfcn.h>

#include "bench/vulkan/samples.hpp"
#include "bench/xdna/cases.hpp"
#include "bench/xdna/conformance.hpp"
#include "bench/xdna/corpus.hpp"
#include "xdna/double/binaries.hpp"
#include "xdna/plugin.hpp"
#include "xdna/store/direct.hpp"
#include "xdna/xdna.hpp"

namespace {

using namespace xdna::bench;
using vulkan::bench::Samples;
using vulkan::bench::Seconds;
using vulkan::bench::wait_until;

constexpr int kNoNpu = 77;
constexpr std::size_t kWarmUps = 20;
constexpr std::size_t kSamples = 200;

struct Arguments {
    bool on_double = false;
    bool probe = false;
    bool conformance = false;
    bool corpus = false;
    std::string device;
    xdna::StoreOptions kernels;
};

std::filesystem::path built(const char* file) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../.." / file;
}

// The double's own kernels.
class DoubleStore final : public xdna::Store {
 public:
    [[nodiscard]] std::expected<xdna::Binary, xdna::NoBinary> find(const xdna::Spec& spec,
                                                                   xdna::Effort) override {
        return xrt_double::binary(spec);
    }
};

std::shared_ptr<xdna::Store> open_store(const Arguments& arguments) {
    if (arguments.on_double) return std::make_shared<DoubleStore>();
    auto store = xdna::DirectStore::open(arguments.kernels);
    if (!store) throw std::runtime_error(store.error());
    return std::move(*store);
}

// From now on the double has XRT's name in this process.
void load_double() {
    const auto path = built("tests/xdna/double/libxrt_coreutil.so.2");
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) throw std::runtime_error(dlerror());
}

struct Measured {
    Samples admission;   // what submit() takes
    Samples completion;  // from before it to the end of the event, behind those under way
    Seconds each{0};     // from the end of one to that of the next, on average
    provider::CopyCounters copies;
};

Measured measure(provider::Provider& provider, const Case& of) {
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t kRuns = kWarmUps + kSamples;
    Load load(provider, of.kernel, of.depth);
    Measured measured;
    const auto before = provider.copy_counters();
    std::vector<Clock::time_point> started(kRuns);
    Clock::time_point warm;

    const auto submit = [&](std::size_t run) {
        started[run] = Clock::now();
        load.submit(run % of.depth);
        if (run >= kWarmUps) measured.admission.add(Clock::now() - started[run]);
    };
    const auto retire = [&](std::size_t run) {
        wait_until([&] { return load.done(run % of.depth); });
        const auto now = Clock::now();
        if (run + 1 == kWarmUps) warm = now;
        if (run >= kWarmUps) measured.completion.add(now - started[run]);
        measured.each = Seconds(now - warm) / kSamples;
        load.collect(run % of.depth);
    };
    for (std::size_t i = 0; i < kRuns + of.depth; ++i) {
        if (i >= of.depth) retire(i - of.depth);
        if (i < kRuns) submit(i);
    }

    const auto after = provider.copy_counters();
    measured.copies = {
        .direct_bindings = after.direct_bindings - before.direct_bindings,
        .staged_direct_bindings = after.staged_direct_bindings - before.staged_direct_bindings,
        .staged_direct_bytes = after.staged_direct_bytes - before.staged_direct_bytes,
        .explicit_transfer_bytes = after.explicit_transfer_bytes - before.explicit_transfer_bytes};
    for (std::size_t i = 0; i < of.depth; ++i)
        if (load.output(i) != of.expected) throw std::runtime_error(of.name + ": a wrong result");
    return measured;
}

void report(const Case& of, const Measured& measured) {
    const auto& [admission, completion, each, copies] = measured;
    const auto micro = [](const Samples& samples, double share) {
        return samples.percentile(share) * 1e6;
    };
    std::println("{:<52} {:>9.3f} {:>9.3f} {:>11.3f} {:>11.3f} {:>9.3f} {:<6} {:>6}", of.name,
                 micro(admission, 0.5), micro(admission, 0.95), micro(completion, 0.5),
                 micro(completion, 0.95), of.work / each.count(), of.unit, copies.direct_bindings);
    if (copies.staged_direct_bytes != 0 || copies.staged_direct_bindings != 0 ||
        copies.explicit_transfer_bytes != 0)
        throw std::runtime_error("bytes were copied");
    const auto bindings = xdna::slots(of.kernel.spec).size() * (kWarmUps + kSamples);
    if (copies.direct_bindings != bindings)
        throw std::runtime_error("not all buffers were bound directly");
}

void print_npu(const xdna::NpuDescription& npu, bool on_double) {
    std::println("{}{} at {}, driver {}, firmware {}, XRT {}",
                 on_double ? "A double of XRT, nothing of this is about an NPU: " : "", npu.name,
                 npu.address, npu.driver, npu.firmware, npu.xrt);
}

bool conforms(const xdna::Options& options, std::uint32_t index) {
    const auto npu =
        xdna::load_xrt(options.library).and_then([&](const auto& xrt) { return xrt->open(index); });
    if (!npu) throw std::runtime_error(npu.error());
    return run_conformance(*npu, options.store);
}

void measure_all(provider::Provider& provider) {
    std::println("{:<52} {:^19} {:^23} {:>16} {:>6}\n{:<52} {:>9} {:>9} {:>11} {:>11} {:>16} {:>6}",
                 "", "admission, us", "to completion, us", "", "bound", "", "p50", "p95", "p50",
                 "p95", "rate", "");
    for (const Case& one : cases()) {
        report(one, measure(provider, one));
        std::fflush(stdout);
    }
}

int run(const Arguments& arguments) {
    if (arguments.on_double) load_double();
    xdna::Options options;
    options.name = arguments.device;
    options.library = built("host/xdna/xrt/libvirtio-accel-xrt.so");
    options.program_refused = [](std::string_view why) { std::println(stderr, "{}", why); };
    options.warning = [](const std::string& what) { std::println(stderr, "{}", what); };
    const auto npu = xdna::choose(options);
    if (!npu) {
        std::println("{}", npu.error());
        return kNoNpu;
    }
    print_npu(*npu, arguments.on_double);
    if (arguments.probe) return 0;
    options.store = open_store(arguments);
    if (arguments.conformance) return conforms(options, npu->index) ? 0 : 1;
    const auto provider = xdna::open(options);
    if (!provider) throw std::runtime_error(provider.error());
    if (arguments.corpus) return run_corpus(**provider) ? 0 : 1;
    measure_all(**provider);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("What the XDNA provider costs a program of one kernel.");
    Arguments arguments;
    app.add_flag("--double", arguments.on_double, "on a double of XRT: it computes on the CPU");
    app.add_flag("--probe", arguments.probe, "only say which NPU it would be");
    app.add_flag("--conformance", arguments.conformance,
                 "run the conformance suite, and measure nothing");
    app.add_flag("--corpus", arguments.corpus, "compute the corpus, and measure nothing");
    app.add_option("--device", arguments.device, "the NPU whose name or address contains this")
        ->type_name("NAME");
    app.add_option("--catalogue", arguments.kernels.catalogue, "a folder of compiled kernels")
        ->type_name("FOLDER");
    app.add_option("--compiler", arguments.kernels.compiler, "a program that compiles kernels")
        ->type_name("PROGRAM");
    app.add_option("--cache", arguments.kernels.cache, "a folder for what it has compiled")
        ->type_name("FOLDER");
    arguments.kernels.log = [](const std::string& line) { std::println(stderr, "{}", line); };
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        std::println(stderr, "xdna_bench: {}", error.what());
        return 1;
    }
}
