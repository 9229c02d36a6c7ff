// SPDX-License-Identifier: MIT
#include "bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "execute.hpp"
#include "file_io.hpp"
#include "open.hpp"
#include "tosa_program.hpp"

namespace accelctl {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::uint64_t kMaxModelFile = 256 << 20;
constexpr std::uint64_t kTransferBytes = 16 << 20;  // at a time

class Samples {
 public:
    void add(Seconds sample) { seconds_.push_back(sample.count()); }

    // The smallest sample that at least `percent` of all do not exceed.
    [[nodiscard]] double percentile(double percent) const {
        std::vector<double> sorted = seconds_;
        std::ranges::sort(sorted);
        const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
        return sorted[std::max<std::size_t>(static_cast<std::size_t>(rank), 1) - 1];
    }
    [[nodiscard]] std::size_t count() const { return seconds_.size(); }

 private:
    std::vector<double> seconds_;
};

// The clock's smallest step stands for what it does not resolve.
double per_second(double amount, double seconds) {
    return amount / std::max(seconds, 1e-9);
}

struct Measured {
    std::string device;
    std::string model;
    Samples load{}, submit{}, completion{}, write{}, read{};
    std::uint64_t transfer_bytes = 0;
};

template <class Work>
Outcome<void> time(Samples& samples, Work work) {
    const auto start = std::chrono::steady_clock::now();
    if (auto done = work(); !done) return std::unexpected(done.error());
    samples.add(std::chrono::steady_clock::now() - start);
    return {};
}

struct Subject {
    const accel::Device& device;
    const Job& job;
    std::uint32_t iterations;

    [[nodiscard]] std::uint32_t tenth() const { return std::max(1U, iterations / 10); }
};

// A load ends with the release of the program.
Outcome<void> measure_loads(const Subject& subject, const accel::Context& context,
                            Measured& measured) {
    for (std::uint32_t i = 0; i < subject.tenth(); ++i)
        if (auto done = time(measured.load, [&] { return load(context, subject.job); }); !done)
            return done;
    return {};
}

Outcome<void> measure_runs(const Subject& subject, Prepared& prepared, Measured& measured) {
    const std::uint32_t warm_up = std::max(2U, subject.tenth());
    for (std::uint32_t i = 0; i < warm_up + subject.iterations; ++i) {
        const auto times = run_once(prepared, subject.job.timeout);
        if (!times) return std::unexpected(times.error());
        if (i < warm_up) continue;
        measured.submit.add(times->submit);
        measured.completion.add(times->completion);
    }
    return {};
}

Outcome<void> measure_transfers(const Subject& subject, const accel::Context& context,
                                Measured& measured) {
    const auto info = subject.device.info();
    if (!info) return failure("cannot query the device: {}", info.error().message());
    const std::uint64_t bytes = std::min(kTransferBytes, info->max_buffer_bytes);
    auto buffer = context.create_buffer(
        {.size = bytes,
         .domain = preferred_domain(*info),
         .usage = accel::Usage::TransferSource | accel::Usage::TransferDestination});
    if (!buffer)
        return failure("cannot create a buffer of {} bytes: {}", bytes, buffer.error().message());
    Bytes contents(bytes, std::byte{1});
    const auto transfer = [&](Samples& samples, auto work) {
        return time(samples, work).transform_error([](const std::string& why) {
            return "cannot transfer: " + why;
        });
    };
    const auto told = [](const accel::Result<void>& done) -> Outcome<void> {
        if (!done) return std::unexpected(done.error().message());
        return {};
    };
    measured.transfer_bytes = bytes;
    for (std::uint32_t i = 0; i < subject.tenth(); ++i) {
        if (auto done =
                transfer(measured.write, [&] { return told(write_all(*buffer, 0, contents)); });
            !done)
            return done;
        if (auto done =
                transfer(measured.read, [&] { return told(read_all(*buffer, 0, contents)); });
            !done)
            return done;
    }
    return {};
}

std::string text(const Measured& measured) {
    constexpr double kMicro = 1e6;
    const auto spread = [](const Samples& samples) {
        return fmt::format("p50 {:.1f} us, p95 {:.1f} us, p99 {:.1f} us",
                           samples.percentile(50) * kMicro, samples.percentile(95) * kMicro,
                           samples.percentile(99) * kMicro);
    };
    const auto rate = [&](const Samples& samples) {
        const auto bytes = static_cast<double>(measured.transfer_bytes);
        return fmt::format("{:.3f} GB/s, {} bytes at a time",
                           per_second(bytes, samples.percentile(50)) * 1e-9,
                           measured.transfer_bytes);
    };
    return fmt::format(
        "{}: {}\n"
        "  loads         {:.1f} a second\n"
        "  admission     {}\n"
        "  completion    {}\n"
        "  write         {}\n"
        "  read          {}\n",
        measured.device, measured.model, per_second(1, measured.load.percentile(50)),
        spread(measured.submit), spread(measured.completion), rate(measured.write),
        rate(measured.read));
}

std::string json(const Measured& measured) {
    const auto spread = [](const Samples& samples) {
        nlohmann::json made;
        for (const int percent : {50, 95, 99})
            made[fmt::format("p{}", percent)] = samples.percentile(percent);
        return made;
    };
    const auto bytes = static_cast<double>(measured.transfer_bytes);
    const nlohmann::json all{
        {"device", measured.device},
        {"model", measured.model},
        {"iterations", measured.submit.count()},
        {"loads", measured.load.count()},
        {"loads_per_second", per_second(1, measured.load.percentile(50))},
        {"admission_seconds", spread(measured.submit)},
        {"completion_seconds", spread(measured.completion)},
        {"transfer_bytes", measured.transfer_bytes},
        {"write_bytes_per_second", per_second(bytes, measured.write.percentile(50))},
        {"read_bytes_per_second", per_second(bytes, measured.read.percentile(50))},
    };
    // A path need not be UTF-8.
    return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

Outcome<void> measure(const Subject& subject, bool check, Measured& measured) {
    auto prepared = prepare(subject.device, subject.job);
    if (!prepared) return std::unexpected(prepared.error());
    if (auto done = measure_loads(subject, prepared->context, measured); !done) return done;
    if (auto done = measure_runs(subject, *prepared, measured); !done) return done;
    if (check) {
        const auto outputs = read_outputs(*prepared, subject.job.model);
        if (!outputs) return std::unexpected(outputs.error());
        if (outputs->front() != subject.job.inputs.front()) return failure("the result is wrong");
    }
    return measure_transfers(subject, prepared->context, measured);
}

}  // namespace

Outcome<std::string> bench(const BenchOptions& options, accel::Kernel& kernel) {
    const bool built_in = options.model.empty();
    const auto artifact =
        built_in ? Outcome<Bytes>(identity_program(4)) : read_file(options.model, kMaxModelFile);
    if (!artifact) return std::unexpected(artifact.error());
    const auto model = describe(*artifact);
    if (!model) return failure("{}: {}", options.model, model.error());
    std::vector<Bytes> inputs;
    for (const Tensor& input : model->inputs)
        inputs.emplace_back(input.bytes, built_in ? std::byte{0x3F} : std::byte{0});

    const auto device = open_device(options.device, kernel);
    if (!device) return std::unexpected(device.error());
    Measured measured{.device = std::string(device->path()),
                      .model = built_in ? "y = x of four numbers" : options.model};
    const Job job{.model = *model,
                  .artifact = *artifact,
                  .inputs = inputs,
                  .resident_bytes = model->resident_bytes,
                  .timeout = options.timeout};
    if (auto done = measure({*device, job, options.iterations}, built_in, measured); !done)
        return failure("{}: {}", measured.model, done.error());
    return options.json ? json(measured) : text(measured);
}

}  // namespace accelctl
