// SPDX-License-Identifier: MIT
#include "daemon/device.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <spdlog/spdlog.h>

#include "vhost/protocol.hpp"

namespace acceld {

namespace {

constexpr wire::Config kConfig{};

constexpr std::size_t kInternalErrorSlot = 12;

// Copying this much takes less than handing it to a thread and back.
constexpr std::uint64_t kShortTransfer = 64U << 10;

wire::Status status_of_slot(std::size_t slot) {
    return slot == kInternalErrorSlot ? wire::Status::InternalError
                                      : static_cast<wire::Status>(slot);
}

std::expected<engine::Engine, std::string> make_engine(const OpenProvider& open_provider,
                                                       const engine::Policy& policy,
                                                       std::uint16_t name_space) {
    auto provider = open_provider();
    if (!provider) return std::unexpected(std::move(provider).error());
    return engine::Engine::create(kConfig, *std::move(provider), policy, name_space)
        .transform_error([](engine::CreateError error) {
            return "the provider's device info is not valid: " + std::string(name(error));
        });
}

// The 65535 namespaces are used in turn; 0 is none.
std::uint16_t after(std::uint16_t name_space) {
    return static_cast<std::uint16_t>(name_space % 65535 + 1);
}

}  // namespace

std::expected<Device, std::string> Device::create(OpenProvider open_provider,
                                                  const engine::Policy& policy, GuestLog& log) {
    auto engine = make_engine(open_provider, policy, kFirstNameSpace);
    if (!engine) return std::unexpected(std::move(engine).error());
    auto workers = Workers::create();
    if (!workers) return std::unexpected(std::move(workers).error());
    return Device(std::move(open_provider), policy, log, *std::move(engine), *std::move(workers));
}

Device::Device(OpenProvider open_provider, const engine::Policy& policy, GuestLog& log,
               engine::Engine engine, std::unique_ptr<Workers> workers)
    : open_provider_(std::move(open_provider)),
      policy_(policy),
      log_(&log),
      engine_(std::move(engine)),
      workers_(std::move(workers)) {}

vhost::Profile Device::profile() {
    const auto config = wire::encode(kConfig);
    return {.features = vhost::kVersion1 | vhost::kAccessPlatform,
            .config = {config.begin(), config.end()},
            .max_chain_descriptors = kConfig.max_chain_descriptors};
}

void Device::serve(vhost::Ticket ticket, const wire::Chain& chain,
                   vhost::Answers& answers) noexcept {
    with_engine(answers, [&] { engine_.serve(*this, ticket, chain); });
}

void Device::advance(vhost::Answers& answers) noexcept {
    while (auto work = workers_->take_done())
        with_engine(answers, [&] { engine_.finish(*this, *std::move(work)); });
}

void Device::drain(vhost::Answers& answers) noexcept {
    while (engine_.working() > 0)
        with_engine(answers, [&] { engine_.finish(*this, workers_->wait_done()); });
}

template <class Call>
void Device::with_engine(vhost::Answers& answers, Call call) {
    const engine::Statistics before = engine_.statistics();
    answers_ = &answers;
    call();
    while (!short_work_.empty()) {
        engine::Work work = std::move(short_work_.front());
        short_work_.pop_front();
        work.run();
        engine_.finish(*this, std::move(work));
    }
    answers_ = nullptr;
    log_refusal(before);
}

void Device::complete(engine::Ticket ticket, std::uint32_t used) {
    answers_->complete(ticket, used);
}

void Device::start(engine::Work work) {
    const std::uint64_t bytes = work.transfer_bytes();
    if (bytes != 0 && bytes <= kShortTransfer)
        short_work_.push_back(std::move(work));
    else
        workers_->post(std::move(work));
}

// Busy is how a guest learns that it has to wait: nothing is wrong then.
void Device::log_refusal(const engine::Statistics& before) const {
    const engine::Statistics& now = engine_.statistics();
    if (now.unusable != before.unusable) log_->command_unusable();
    for (std::size_t slot = 0; slot < now.status.size(); ++slot) {
        const wire::Status status = status_of_slot(slot);
        if (now.status[slot] == before.status[slot]) continue;
        if (status != wire::Status::Ok && status != wire::Status::Busy) {
            log_->command_refused(status);
        }
    }
}

void Device::reset() noexcept {
    name_space_ = after(name_space_);
    const auto report = engine_.reset(name_space_);
    if (report && report->disposition == engine::Disposition::Reusable) {
        log_->device_reset("everything released");
    } else {
        replace_engine();
    }
}

// If there is no other provider instance to be had, the old engine stays: it answers
// every command with DEVICE_LOST.
void Device::replace_engine() {
    auto engine = make_engine(open_provider_, policy_, name_space_);
    if (engine) {
        engine_ = *std::move(engine);
        log_->device_reset("not everything released, provider replaced");
    } else {
        log_->device_reset("not everything released, no other provider: " + engine.error());
    }
}

void Device::log_summary() const {
    const engine::Counts left = engine_.live();
    const engine::Statistics& done = engine_.statistics();
    const provider::CopyCounters copies = engine_.copy_counters();
    std::string refused;
    for (std::size_t slot = 1; slot < done.status.size(); ++slot) {
        if (done.status[slot] == 0) continue;
        refused += fmt::format(" {}={}", name(status_of_slot(slot)), done.status[slot]);
    }
    spdlog::info(
        "left: contexts={} buffers={} programs={} queues={} events={} buffer-bytes={} "
        "program-bytes={}",
        left.contexts, left.buffers, left.programs, left.queues, left.events, left.buffer_bytes,
        left.program_bytes);
    spdlog::info("commands: {} unusable={}{}", done.commands, done.unusable, refused);
    spdlog::info("bindings: direct={} staged={} staged-bytes={} transferred-bytes={}",
                 copies.direct_bindings, copies.staged_direct_bindings, copies.staged_direct_bytes,
                 copies.explicit_transfer_bytes);
}

}  // namespace acceld
