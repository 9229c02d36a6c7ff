// SPDX-License-Identifier: MIT
#include "daemon/session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <format>
#include <utility>

#include <poll.h>
#include <spdlog/spdlog.h>

#include "daemon/device_profile.hpp"
#include "daemon/log.hpp"
#include "vhost/failure.hpp"

namespace acceld {

using vhost::Progress;
using vhost::Request;

namespace {

// How often a worker is looked at.
constexpr std::chrono::milliseconds kLook{1000};

// What a worker that serves the ring has to know.
bool concerns_running_ring(std::uint32_t request) {
    switch (Request{request}) {
        case Request::SetFeatures:
        case Request::SetOwner:
        case Request::SetMemTable:
        case Request::AddMemReg:
        case Request::RemMemReg:
        case Request::SetVringKick:
        case Request::SetVringCall:
        case Request::SetVringErr:
        case Request::SetVringEnable:
            return true;
        default:
            return false;
    }
}

// A connection to the store of kernels, which the supervisor has. Nothing if the time is
// over, or the supervisor wants an end, which is still to be seen on the channel then.
base::UniqueFd ask_for_store(int channel, std::chrono::milliseconds timeout) {
    if (!send_word(channel, Word::StoreWanted)) return {};
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        pollfd ready{channel, POLLIN, 0};
        const int count = left.count() <= 0 ? 0 : ::poll(&ready, 1, static_cast<int>(left.count()));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return {};
        Order order = receive_order(channel);
        if (order.kind != Order::Kind::Log) return std::move(order.fd);
        log_to(order.fd);
    }
}

// One with a connection to the store of its own: where the one before it was is not known.
std::expected<WorkerProcess, std::string> start_worker(const Options& options,
                                                       const SharedBoard& board, int channel) {
    base::UniqueFd store;
    if (options.provider.wants_store()) {
        store = ask_for_store(channel, options.message_timeout);
        if (!store) return std::unexpected("there is no connection to the store of kernels");
    }
    return WorkerProcess::start(options.device_arguments, board.file.value(), store);
}

}  // namespace

std::expected<std::unique_ptr<Session>, std::string> Session::create(const Options& options,
                                                                     GuestLog& log,
                                                                     SharedBoard board,
                                                                     int channel) {
    auto worker = start_worker(options, board, channel);
    if (!worker) return std::unexpected(worker.error());
    if (auto ready = worker->wait_ready(options.command_timeout); !ready) {
        worker->finish(options.message_timeout);
        // What went wrong in an orderly way has been said by the worker.
        if (!worker->killed_by_signal()) return std::unexpected("");
        return std::unexpected("the worker " + worker->obituary());
    }
    return std::unique_ptr<Session>(  // NOLINT: private constructor
        new Session(options, log, std::move(board), channel, *std::move(worker)));
}

Session::Session(const Options& options, GuestLog& log, SharedBoard board, int channel,
                 WorkerProcess worker)
    : options_(options),
      log_(log),
      board_(std::move(board)),
      channel_(channel),
      observer_(log, statistics()),
      worker_(std::move(worker)),
      lost_(options.config.max_request_bytes, statistics(), [this] { stop_worker(); }),
      vhost_(device_profile(options.config, *board_.board), lost_, observer_) {
    note_worker();
}

std::expected<Progress, std::string> Session::serve(base::UniqueFd front_end) {
    statistics().connected.set(1);
    std::expected<Progress, std::string> progress = Progress::Open;
    while (progress == Progress::Open)
        progress = step(front_end);
    return progress;
}

bool Session::obey(const Order& order) {
    if (order.kind != Order::Kind::Log) return false;
    log_to(order.fd);
    return true;
}

void Session::log_to(const base::UniqueFd& file) {
    acceld::log_to(file);
    if (!worker_.running()) return;
    if (const auto told = worker_.log_to(file); !told)
        spdlog::error("the log of the worker stays where it is: {}", told.error());
}

bool Session::end() {
    const bool orderly = worker_.running() && worker_.finish(options_.message_timeout);
    if (!orderly) spdlog::error("the worker {}", worker_.obituary());
    return orderly;
}

std::expected<Progress, std::string> Session::step(const base::UniqueFd& front_end) {
    vhost::Virtqueue& queue = vhost_.queue();
    const auto patience = worker_serves_ ? kLook.count() : -1;
    std::array ready{pollfd{channel_, POLLIN, 0}, pollfd{front_end.value(), POLLIN, 0},
                     pollfd{queue.runnable() ? queue.kick_fd() : -1, POLLIN, 0},
                     pollfd{worker_fd(), POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), queue.pending() ? 0 : static_cast<int>(patience)) < 0) {
        if (errno == EINTR) return Progress::Open;
        return vhost::failure("poll", errno);
    }
    if (ready[0].revents != 0 && !obey(receive_order(channel_))) return Progress::Stopped;
    if (ready[2].revents != 0) queue.on_kick(observer_);
    if (ready[3].revents != 0) lose_worker(WorkerLoss::Died, "");
    if (worker_serves_) watch_worker();
    if (ready[1].revents != 0) {
        const auto progress = vhost::serve_message(
            reader_, front_end,
            [this](vhost::Message message) { return handle(std::move(message)); });
        if (!progress || *progress != Progress::Open) return progress;
    }
    if (queue.pending()) queue.serve(lost_, observer_);
    publish(statistics(), published_, queue.statistics());
    if (vhost_.memory_lost()) return std::unexpected("guest memory was taken away under it");
    return Progress::Open;
}

std::expected<std::optional<vhost::Bytes>, std::string> Session::handle(vhost::Message message) {
    auto copy = duplicate(message);
    if (!copy) return std::unexpected(copy.error());
    const bool acknowledge = vhost_.acknowledges(message);
    auto outcome = vhost_.apply(message);
    if (outcome) follow(*std::move(copy));
    return vhost_.answer(message.request, acknowledge, std::move(outcome));
}

// Only then is it known where the ring stands. What the worker is at it may finish.
void Session::stop_worker() {
    if (!worker_serves_) return;
    const auto& taken = board_.board->ring.taken;
    const bool busy = std::ranges::any_of(taken, [](const auto& at) { return at != 0; });
    const auto stopped =
        worker_.stop_ring(busy ? options_.command_timeout : options_.message_timeout);
    if (!stopped) return lose_worker(WorkerLoss::Message, stopped.error());
    worker_serves_ = false;
}

void Session::follow(vhost::Message message) {
    if (worker_serves_ && concerns_running_ring(message.request)) {
        if (const auto told = worker_.tell(message, options_.message_timeout); !told)
            lose_worker(WorkerLoss::Message, told.error());
    }
    setup_.note(std::move(message));
    if (lost_.take_reset()) renew_device();
    if (vhost_.queue().started() && !worker_serves_) start_ring();
}

// The guest has reset its device: nothing of it may be left.
void Session::renew_device() {
    if (worker_.running()) {
        const vhost::Message reset{.request = std::to_underlying(Request::ResetDevice),
                                   .need_reply = true,
                                   .payload = {},
                                   .fds = {}};
        const auto told = worker_.tell(reset, options_.message_timeout);
        if (told) return;
        lose_worker(WorkerLoss::Message, told.error());
    }
    replace_worker();
}

void Session::replace_worker() {
    if (const auto replaced = try_to_replace_worker(); !replaced)
        return log_.device_reset("no worker: " + replaced.error());
    statistics().device_lost.set(0);
    spdlog::info("worker replaced");
}

Session::Result Session::try_to_replace_worker() {
    // To start one takes processor time of the host and lines of its log.
    if (!restarts_.admit(std::chrono::steady_clock::now()))
        return std::unexpected("too many were lost of late");
    auto worker = start_worker(options_, board_, channel_);
    if (!worker) return std::unexpected(worker.error());
    worker_ = *std::move(worker);
    note_worker();
    if (const auto ready = worker_.wait_ready(options_.command_timeout); !ready) {
        worker_.kill();
        statistics().forget_worker();
        return std::unexpected("it " + worker_.obituary());
    }
    return {};
}

void Session::note_worker() {
    statistics().worker_starts.add(1);
    statistics().worker_pid.set(static_cast<std::uint64_t>(worker_.pid()));
}

// Gives a ring that the front end has started to the worker.
void Session::start_ring() {
    const bool untouched = board_.board->ring.consumed == 0;
    if (!worker_.running() && untouched) replace_worker();
    if (!worker_.running()) return;
    const auto messages = setup_.messages(board_.board->ring.next_available);
    if (!messages) return lose_worker(WorkerLoss::Message, messages.error());
    vhost_.queue().leave_to_other();
    worker_serves_ = true;
    next_since_ = vhost::RingState::ticks();
    for (const auto& message : *messages) {
        const auto told = worker_.tell(message, options_.message_timeout);
        if (!told) return lose_worker(WorkerLoss::Message, told.error());
    }
}

void Session::watch_worker() {
    const std::uint32_t now = vhost::RingState::ticks();
    const auto age = [now](std::uint32_t since) { return static_cast<std::int32_t>(now - since); };
    const auto too_old = [](std::int32_t ms, std::chrono::milliseconds limit) {
        return std::cmp_greater(ms, limit.count());
    };
    std::uint64_t in_flight = 0;
    std::int32_t oldest = 0;
    for (const auto& taken : board_.board->ring.taken) {
        const std::uint32_t at = taken.load(std::memory_order_relaxed);
        if (at == 0) continue;
        ++in_flight;
        oldest = std::max(oldest, age(at));
    }
    statistics().chains_in_flight.set(in_flight);
    statistics().oldest_chain_ms.set(static_cast<std::uint64_t>(oldest));

    const std::uint16_t next = board_.board->ring.next_available;
    if (!vhost_.queue().waiting() || next != next_seen_) {
        next_seen_ = next;
        next_since_ = now;
    }
    if (too_old(age(next_since_), options_.message_timeout)) {
        lose_worker(WorkerLoss::Stalled, "it takes no commands");
    } else if (too_old(oldest, options_.command_timeout)) {
        lose_worker(WorkerLoss::CommandTimeout,
                    std::format("a command takes more than {}", options_.command_timeout));
    }
}

// From here on the session serves the ring, if it is started, as a device that is lost.
void Session::lose_worker(WorkerLoss loss, std::string_view why) {
    worker_.kill();
    statistics().workers_lost[std::to_underlying(loss)].add(1);
    statistics().forget_worker();
    statistics().device_lost.set(1);
    spdlog::error("worker lost: {}", why.empty() ? worker_.obituary() : why);
    // It may have found that the front end has taken its memory away.
    vhost_.probe_memory();
    if (std::exchange(worker_serves_, false)) vhost_.queue().take_over(lost_, observer_);
}

}  // namespace acceld
