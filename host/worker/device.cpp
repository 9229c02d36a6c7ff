// SPDX-License-Identifier: MIT
#include "worker/device.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <spdlog/spdlog.h>

#include "daemon/device_profile.hpp"

namespace acceld {

namespace {

// Copying this much takes less than handing it to a thread and back.
constexpr std::uint64_t kShortTransfer = 64U << 10;

std::expected<engine::Engine, std::string> make_engine(const OpenProvider& open_provider,
                                                       const wire::Config& config,
                                                       const engine::Policy& policy,
                                                       std::uint16_t name_space) {
    auto provider = open_provider();
    if (!provider) return std::unexpected(std::move(provider).error());
    return engine::Engine::create(config, *std::move(provider), policy, name_space)
        .transform_error([](engine::CreateError error) {
            return "the provider's device info is not valid: " + std::string(name(error));
        });
}

std::string text(const engine::Counts& counts) {
    return fmt::format(
        "contexts={} buffers={} programs={} queues={} events={} buffer-bytes={} "
        "program-bytes={}",
        counts.contexts, counts.buffers, counts.programs, counts.queues, counts.events,
        counts.buffer_bytes, counts.program_bytes);
}

// The 65535 namespaces are used in turn; 0 is none.
std::uint16_t next_name_space(Board& board) {
    const auto next = static_cast<std::uint16_t>(board.name_space % 65535 + 1);
    board.name_space = next;
    return next;
}

}  // namespace

std::expected<Device, std::string> Device::create(OpenProvider open_provider,
                                                  const wire::Config& config,
                                                  const engine::Policy& policy, GuestLog& log,
                                                  std::shared_ptr<Board> board,
                                                  std::size_t threads) {
    auto engine = make_engine(open_provider, config, policy, next_name_space(*board));
    if (!engine) return std::unexpected(std::move(engine).error());
    auto pool = Pool::create(threads);
    if (!pool) return std::unexpected(std::move(pool).error());
    return Device(std::move(open_provider), config, policy, log, std::move(board),
                  *std::move(engine), *std::move(pool));
}

Device::Device(OpenProvider open_provider, const wire::Config& config, const engine::Policy& policy,
               GuestLog& log, std::shared_ptr<Board> board, engine::Engine engine,
               std::unique_ptr<Pool> pool)
    : open_provider_(std::move(open_provider)),
      config_(config),
      policy_(policy),
      log_(&log),
      board_(std::move(board)),
      engine_(std::move(engine)),
      pool_(std::move(pool)) {}

vhost::Profile Device::profile() const {
    return device_profile(config_, *board_);
}

void Device::serve(vhost::Ticket ticket, const wire::Chain& chain,
                   vhost::Answers& answers) noexcept {
    with_engine(answers, [&] { engine_.serve(*this, ticket, chain); });
}

void Device::advance(vhost::Answers& answers) noexcept {
    while (auto work = pool_->take_done())
        with_engine(answers, [&] { engine_.finish(*this, *std::move(work)); });
}

void Device::drain(vhost::Answers& answers) noexcept {
    while (engine_.working() > 0)
        with_engine(answers, [&] { engine_.finish(*this, pool_->wait_done()); });
}

template <class Call>
void Device::with_engine(vhost::Answers& answers, Call call) {
    const std::uint64_t unusable = engine_.statistics().unusable;
    answers_ = &answers;
    call();
    while (!short_work_.empty()) {
        engine::Work work = std::move(short_work_.front());
        short_work_.pop_front();
        work.run();
        engine_.finish(*this, std::move(work));
    }
    answers_ = nullptr;
    if (engine_.statistics().unusable != unusable) log_->command_unusable();
}

void Device::complete(engine::Ticket ticket, std::uint32_t used) {
    answers_->complete(ticket, used);
}

void Device::start(engine::Work work) {
    const std::uint64_t bytes = work.transfer_bytes();
    if (bytes != 0 && bytes <= kShortTransfer)
        short_work_.push_back(std::move(work));
    else
        pool_->post(std::move(work));
}

// Busy is how a guest learns that it has to wait: nothing is wrong then.
void Device::refused(const engine::Refusal& refusal) {
    if (refusal.status != wire::Status::Busy) log_->command_refused(refusal);
}

void Device::reset() noexcept {
    const engine::Counts found = engine_.live();
    ++resets_;
    board_->statistics.resets.add(1);
    if (found != engine::Counts{}) {
        ++resets_with_objects_;
        board_->statistics.resets_with_objects.add(1);
    }

    const auto report = engine_.reset(next_name_space(*board_));
    const bool reusable = report && report->disposition == engine::Disposition::Reusable;
    log_->device_reset(fmt::format("found {}: {}", text(found),
                                   reusable ? "everything released" : replace_engine()));
}

std::string Device::replace_engine() {
    auto engine = make_engine(open_provider_, config_, policy_, board_->name_space);
    if (!engine) return "not everything released, no other provider: " + engine.error();
    publish();
    engine_ = *std::move(engine);
    published_ = {};
    published_copies_ = {};
    return "not everything released, provider replaced";
}

void Device::publish() {
    Statistics& to = board_->statistics;
    const engine::Statistics& done = engine_.statistics();
    to.commands.add(done.commands - published_.commands);
    to.unusable_commands.add(done.unusable - published_.unusable);
    for (std::size_t slot = 0; slot < done.status.size(); ++slot)
        to.answers[slot].add(done.status[slot] - published_.status[slot]);
    published_ = done;

    const provider::CopyCounters copies = engine_.copy_counters();
    to.bindings[0].add(copies.direct_bindings - published_copies_.direct_bindings);
    to.bindings[1].add(copies.staged_direct_bindings - published_copies_.staged_direct_bindings);
    to.staged_bytes.add(copies.staged_direct_bytes - published_copies_.staged_direct_bytes);
    to.transferred_bytes.add(copies.explicit_transfer_bytes -
                             published_copies_.explicit_transfer_bytes);
    published_copies_ = copies;

    const engine::Counts live = engine_.live();
    const std::array objects{live.contexts, live.buffers, live.programs, live.queues, live.events};
    for (std::size_t kind = 0; kind < objects.size(); ++kind)
        to.objects[kind].set(objects[kind]);
    to.buffer_bytes.set(live.buffer_bytes);
    to.program_bytes.set(live.program_bytes);
    to.commands_at_provider.set(engine_.working());
}

void Device::log_summary() const {
    const engine::Statistics& done = engine_.statistics();
    const provider::CopyCounters copies = engine_.copy_counters();
    std::string refused;
    for (std::size_t slot = 1; slot < done.status.size(); ++slot) {
        if (done.status[slot] == 0) continue;
        refused += fmt::format(" {}={}", name(status_of_slot(slot)), done.status[slot]);
    }
    spdlog::info("resets: {} with-objects={}", resets_, resets_with_objects_);
    spdlog::info("left: {}", text(engine_.live()));
    spdlog::info("commands: {} unusable={}{}", done.commands, done.unusable, refused);
    spdlog::info("bindings: direct={} staged={} staged-bytes={} transferred-bytes={}",
                 copies.direct_bindings, copies.staged_direct_bindings, copies.staged_direct_bytes,
                 copies.explicit_transfer_bytes);
}

}  // namespace acceld
