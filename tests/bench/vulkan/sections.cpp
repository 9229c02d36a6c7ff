// SPDX-License-Identifier: MIT
#include "bench/vulkan/sections.hpp"

#include <algorithm>
#include <format>
#include <stdexcept>
#include <thread>

#include "bench/vulkan/copy.hpp"
#include "bench/vulkan/peak.hpp"
#include "budget/allocations.hpp"
#include "vulkan/objects.hpp"

namespace vulkan::bench {
namespace {

struct Admission {
    Samples submit;
    Samples completion;  // from the call to the end that a poll sees
};

// One at a time, the device idle before each.
template <class Submit, class Finish>
Admission admissions(bool quick, Submit submit, Finish finish) {
    Admission taken;
    const int warm_up = quick ? 20 : 1000;
    for (int i = 0; i < 3 * warm_up; ++i) {
        const Seconds submitted = time_of(submit);
        const Seconds finished = time_of(finish);
        if (i < warm_up) continue;
        taken.submit.add(submitted);
        taken.completion.add(submitted + finished);
    }
    return taken;
}

struct Heap {
    std::uint64_t calls, bytes;
};

Heap heap_of_submission(Job& job) {
    std::unique_ptr<provider::Event> event;
    Heap used{};
    {
        const budget::Allocations allocations;
        event = job.submit();
        used = {allocations.calls(), allocations.bytes()};
    }
    job.finish(std::move(event));
    return used;
}

std::string told(const Heap& used) {
    if (used.calls == 0) return "no allocation";
    if (used.calls == 1 && used.bytes == sizeof(Event)) return "1 allocation: the event";
    return std::format("{} allocations, {} bytes; the event is one of {}", used.calls, used.bytes,
                       sizeof(Event));
}

}  // namespace

const char* name(MemoryDomain domain) {
    return std::ranges::find(kDomains, domain, &std::pair<MemoryDomain, const char*>::first)
        ->second;
}

MemoryDomain domain_of(std::string_view name) {
    return std::ranges::find(kDomains, name, &std::pair<MemoryDomain, const char*>::second)->first;
}

std::unique_ptr<Session> Bench::open(const Options& options) {
    const auto open = [&](provider::ProgramRefused refused) {
        Options told = options;
        told.program_refused = std::move(refused);
        return vulkan::open(told);
    };
    return std::make_unique<Session>(open);
}

void measure_host(const Bench& bench, Report& report) {
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    const auto add = [&](const char* what, auto measure, auto member) {
        if (!bench.wants(what)) return;
        for (const unsigned threads : {1U, processors}) {
            Row row{.name = std::format("{}, {} thread{}", what, threads, threads == 1 ? "" : "s"),
                    .domain = {}};
            row.*member = measure(threads);
            report.add(std::move(row));
        }
    };
    add("host multiply-add FP32", multiply_add_peak, &Row::operations_per_second);
    add("host memcpy", copy_peak, &Row::bytes_per_second);
}

void measure_admission(const Bench& bench, Session& session, Report& report) {
    if (!bench.wants("admission") && !bench.wants("submission floor")) return;
    const Case what = tiny();
    const auto add = [&](const Admission& taken, const std::string& suffix, const char* domain,
                         const std::optional<Heap>& used) {
        Row row{.name = "admission" + suffix, .domain = domain, .samples = taken.submit};
        if (used) {
            row.note = told(*used);
            row.allocations = static_cast<double>(used->calls);
        }
        if (bench.wants("admission")) report.add(std::move(row));
        if (bench.wants("submission floor"))
            report.add({.name = "submission floor" + suffix,
                        .domain = domain,
                        .samples = taken.completion});
    };
    for (const auto& [domain, domain_name] : kDomains) {
        if (!session.offers(domain)) continue;
        auto program = session.load(what);
        if (!program) throw std::runtime_error("IDENTITY is not taken: " + program.error());
        Job job(session, std::move(*program), what, domain);
        std::unique_ptr<provider::Event> event;
        const Admission taken = admissions(
            bench.quick, [&] { event = job.submit(); }, [&] { job.finish(std::move(event)); });
        add(taken, "", domain_name, heap_of_submission(job));
    }
    // What the driver alone takes to record and to submit as little.
    Copy copy(dynamic_cast<VulkanProvider&>(session.provider()), bench.domain, what.bytes());
    add(admissions(
            bench.quick, [&] { copy.submit(); }, [&] { copy.finish(); }),
        ", vkCmdCopyBuffer", name(bench.domain), std::nullopt);
}

void measure_transfers(const Bench& bench, Report& report) {
    if (!bench.wants("transfer write") && !bench.wants("transfer read")) return;
    for (const bool staged : {false, true}) {
        Options options = bench.device;
        options.map_device_memory = !staged;
        const auto session = Bench::open(options);
        const std::uint64_t bytes = std::min<std::uint64_t>(
            (bench.quick ? 4ULL : 64ULL) << 20, session->provider().device_info().max_buffer_bytes);
        Bytes contents(bytes, std::byte{1});
        for (const auto& [domain, domain_name] : kDomains) {
            if (!session->offers(domain) || (staged && domain != MemoryDomain::Device)) continue;
            auto buffer = session->allocate(bytes, domain);
            const std::function<void()> ways[] = {[&] { session->write(*buffer, contents); },
                                                  [&] { session->read(*buffer, contents); }};
            const auto samples = take_turns(ways, bench.pace());
            for (const std::size_t way : {0U, 1U}) {
                const std::string what = way == 0 ? "transfer write" : "transfer read";
                if (bench.wants(what))
                    report.add(
                        {.name = std::format("{}, {} MiB", what, bytes >> 20),
                         .domain = staged ? "staged" : domain_name,
                         .samples = samples[way],
                         .bytes_per_second = static_cast<double>(bytes) / samples[way].median()});
            }
            release(session->provider().free_buffer(std::move(buffer)), "a buffer");
        }
    }
}

}  // namespace vulkan::bench
