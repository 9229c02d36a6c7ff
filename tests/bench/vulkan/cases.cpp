// SPDX-License-Identifier: MIT
//
// The cases, one after the other: taken or not, right or not, how fast.
#include <format>
#include <stdexcept>

#include "bench/vulkan/copy.hpp"
#include "bench/vulkan/sections.hpp"

namespace vulkan::bench {
namespace {

std::string difference(const Case& what, const std::vector<Bytes>& expected,
                       const std::vector<Bytes>& got) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (expected[i] == got[i]) continue;
        Tensor tensor = what.outputs[i];
        tensor.data = expected[i];
        const std::string found = corpus::difference(tensor, got[i], what.tolerance);
        if (!found.empty()) return std::format("output {}: {}", i, found);
    }
    return {};
}

// The slower side: its measurement must not take all the time.
Pace pace_of_cpu(const Bench& bench) {
    Pace pace = bench.pace();
    pace.fewest = 3;
    pace.warm_up = Seconds(0);
    return pace;
}

class Measurement {
 public:
    Measurement(const Bench& bench, Session& session, Session& cpu, Report& report)
        : bench_(bench), session_(session), cpu_(cpu), report_(report) {}

    void measure(const std::string& name, const Case& what, MemoryDomain domain) {
        // First, as it finds fault with a case that nobody could take.
        auto reference = cpu_.load(what);
        if (!reference) throw std::runtime_error(name + ", CPU provider: " + reference.error());
        Job oracle(cpu_, std::move(*reference), what, MemoryDomain::Host);

        Row row{.name = name, .domain = bench::name(domain)};
        auto program = session_.load(what);
        if (program) {
            Job job(session_, std::move(*program), what, domain);
            measure(job, oracle, what, domain, row);
        } else {
            row.status = Row::Status::NotTaken;
            row.note = program.error();
        }
        report_.add(std::move(row));
    }

 private:
    void measure(Job& job, Job& oracle, const Case& what, MemoryDomain domain, Row& row) {
        job.run();
        oracle.run();
        if (row.note = difference(what, oracle.outputs(), job.outputs()); !row.note.empty()) {
            row.status = Row::Status::Wrong;
            return;
        }
        if (what.moves_bytes)
            beside_copy(job, what, domain, row);
        else
            beside_cpu(job, oracle, what, row);
    }

    void beside_copy(Job& job, const Case& what, MemoryDomain domain, Row& row) {
        Copy copy(dynamic_cast<VulkanProvider&>(session_.provider()), domain, what.bytes());
        const std::function<void()> works[] = {[&] { job.run(); }, [&] { copy.run(); }};
        auto samples = take_turns(works, bench_.pace());
        row.bytes_per_second = what.bytes() / samples[0].median();
        row.of_copy = *row.bytes_per_second / (copy.bytes() / samples[1].median());
        row.samples = std::move(samples[0]);
    }

    // Not by turns: a device that waits for the processor lowers its clock.
    void beside_cpu(Job& job, Job& oracle, const Case& what, Row& row) {
        const std::function<void()> ours = [&] { job.run(); };
        const std::function<void()> theirs = [&] { oracle.run(); };
        row.samples = take_turns({&ours, 1}, bench_.pace()).front();
        const double median = row.samples->median();
        row.of_cpu = take_turns({&theirs, 1}, pace_of_cpu(bench_)).front().median() / median;
        if (what.operations == 0) return;  // of a model, whose weights nobody counts
        row.bytes_per_second = what.bytes() / median;
        row.operations_per_second = what.operations / median;
    }

    const Bench& bench_;
    Session& session_;
    Session& cpu_;
    Report& report_;
};

}  // namespace

void measure_cases(const Bench& bench, Session& session, Session& cpu, Report& report) {
    Measurement measurement(bench, session, cpu, report);
    for (const auto& recipes : {elementwise_recipes(bench.scale()), product_recipes(bench.scale()),
                                convolution_recipes(), network_recipes(bench.scale())})
        for (const Recipe& recipe : recipes) {
            if (!bench.wants(recipe.name)) continue;
            const Case what = recipe.make();
            const bool every_domain = recipe.name.starts_with("IDENTITY");
            for (const auto& [domain, domain_name] : kDomains)
                if (session.offers(domain) && (domain == bench.domain || every_domain))
                    measurement.measure(recipe.name, what, domain);
        }
}

}  // namespace vulkan::bench
