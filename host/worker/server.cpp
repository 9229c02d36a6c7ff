// SPDX-License-Identifier: MIT
#include "worker/server.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include <sys/prctl.h>

#include <poll.h>
#include <spdlog/spdlog.h>

#include "daemon/front_end_log.hpp"
#include "daemon/guest_observer.hpp"
#include "daemon/log.hpp"
#include "daemon/order.hpp"
#include "daemon/signals.hpp"
#include "daemon/sockets.hpp"
#include "daemon/store_process.hpp"
#include "daemon/systemd.hpp"
#include "sandbox/sandbox.hpp"
#include "vhost/connection.hpp"
#include "vhost/failure.hpp"
#include "worker/device.hpp"
#include "worker/providers.hpp"
#include "xdna/store/client.hpp"

namespace acceld {

namespace {

using base::UniqueFd;
using vhost::failure;

using Log = std::shared_ptr<GuestLog>;
using Store = std::shared_ptr<xdna::Store>;

// With patience for what the store takes at most, and ends before this process is killed.
Store reach_store(const Options& options, UniqueFd connection) {
    return std::make_shared<xdna::StoreClient>(
        std::move(connection),
        options.provider.xdna.store.compile_timeout + kCompileMargin * 5 / 6);
}

std::expected<Device, std::string> make_device(const Options& options, const Log& log, Store store,
                                               const std::shared_ptr<Board>& board) {
    const auto open = [choice = options.provider,
                       around = surroundings_of(log, board, std::move(store)), board] {
        return open_provider(choice, around).transform([&](OpenedProvider opened) {
            spdlog::info("provider: {}", opened.description);
            board->statistics.device_wedged.set(0);
            return std::move(opened.provider);
        });
    };
    return Device::create(open, options.config, options.policy, *log, board,
                          options.max_provider_calls);
}

// Stops if `stops` says so when `stop_fd` is readable.
std::expected<vhost::Progress, std::string> serve_front_end(UniqueFd socket, Device& device,
                                                            GuestLog& log, int stop_fd,
                                                            bool (*stops)(int stop_fd)) {
    GuestObserver observer(log, device.statistics());
    vhost::Connection connection(std::move(socket), device.profile(), device, observer);
    const vhost::QueueStatistics& queue = connection.statistics();
    vhost::QueueStatistics published;
    std::expected<vhost::Progress, std::string> end = vhost::Progress::Open;
    while (end == vhost::Progress::Open) {
        constexpr int kForEver = -1;
        end = connection.step(stop_fd, kForEver);
        if (end == vhost::Progress::Stopped && !stops(stop_fd)) end = vhost::Progress::Open;
        if (end != vhost::Progress::Open) connection.drain();
        publish(device.statistics(), published, queue);
        device.publish();
    }
    spdlog::info("chains: {} unusable={} kicks={} interrupts={} suppressed={}", queue.chains,
                 queue.unusable, queue.kicks, queue.interrupts, queue.suppressed);
    device.log_summary();
    return end;
}

// Returns whether a signal asked to stop.
bool serve_alone(UniqueFd socket, Device& device, GuestLog& log, int stop_fd) {
    spdlog::info("front end connected");
    const auto end =
        serve_front_end(std::move(socket), device, log, stop_fd, [](int) { return true; });
    log_end(end);
    return end == vhost::Progress::Stopped;
}

// Nothing when a signal came first.
std::expected<std::optional<UniqueFd>, std::string> await_front_end(const Listener& listener,
                                                                    int stop_fd) {
    for (;;) {
        std::array<pollfd, 2> ready{pollfd{stop_fd, POLLIN, 0}, pollfd{listener.fd(), POLLIN, 0}};
        if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) {
            return failure("poll", errno);
        }
        if (ready[0].revents != 0) return std::nullopt;
        auto front_end = listener.accept();
        if (!front_end || *front_end) return front_end;
    }
}

// Every front end gets a device of its own, which is made before the front end is let
// in: a provider that is gone is an end with a reason, not a guest with a dead device.
std::expected<void, std::string> accept_front_ends(const Listener& listener, Device first,
                                                   const Options& options, const Log& log,
                                                   const Store& store, int stop_fd) {
    for (std::expected<Device, std::string> device = std::move(first);;) {
        auto front_end = await_front_end(listener, stop_fd);
        if (!front_end) return std::unexpected(front_end.error());
        if (!*front_end) return {};
        if (serve_alone(*std::move(*front_end), *device, *log, stop_fd) || options.once) return {};
        device = make_device(options, log, store, std::make_shared<Board>());
        if (!device) return std::unexpected(device.error());
    }
}

bool ends_after_order(int orders) {
    const Order order = receive_order(orders);
    if (order.kind == Order::Kind::Log) log_to(order.fd);
    return order.kind != Order::Kind::Log;
}

// The front end is a session, which outlives this process and knows what to say about it.
std::expected<void, std::string> serve_session(const Options& options, const Log& log) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    auto board = SharedBoard::map(UniqueFd(*options.board_fd));
    if (!board) return std::unexpected(board.error());
    const sandbox::Needs needs = needs_of(options.provider.name);
    if (auto done = sandbox::confine_opening(options.sandbox, needs); !done) return done;
    Store store;
    if (options.store_fd) store = reach_store(options, UniqueFd(*options.store_fd));
    auto device = make_device(options, log, std::move(store), board->board);
    if (!device) return std::unexpected(device.error());
    if (auto done = sandbox::confine_serving(options.sandbox, needs); !done) return done;
    const auto end = serve_front_end(UniqueFd(*options.fd), *device, *log,
                                     options.orders_fd.value_or(-1), ends_after_order);
    if (!end) return std::unexpected(end.error());
    return {};
}

// With a process less than there should be, the store is still one of its own.
std::expected<std::optional<StoreProcess>, std::string> start_store(const Options& options) {
    if (!options.provider.wants_store()) return std::nullopt;
    return StoreProcess::start(options.provider.xdna.store, options.sandbox);
}

std::expected<void, std::string> serve_all_alone(const Options& options, const Log& log,
                                                 int stop_fd) {
    spdlog::warn("a single process is not confined: for debugging");
    const auto process = start_store(options);
    if (!process) return std::unexpected(process.error());
    Store store;
    if (*process) {
        auto connection = (*process)->connect();
        if (!connection) return std::unexpected(connection.error());
        store = reach_store(options, *std::move(connection));
    }
    auto device = make_device(options, log, store, std::make_shared<Board>());
    if (!device) return std::unexpected(device.error());
    auto sockets = open_sockets(options);
    if (!sockets) return std::unexpected(sockets.error());
    if (sockets->connected) {
        serve_alone(std::move(sockets->connected), *device, *log, stop_fd);
        return {};
    }
    const Listener& listener = sockets->listening.front();
    spdlog::info("listening on {}", listener.name());
    notify_manager("READY=1");
    auto served = accept_front_ends(listener, *std::move(device), options, log, store, stop_fd);
    notify_manager("STOPPING=1");
    return served;
}

}  // namespace

std::expected<void, std::string> serve(const Options& options) {
    const auto stop = catch_signals();
    if (!stop) return std::unexpected(stop.error());
    const auto log = std::make_shared<GuestLog>();
    return options.board_fd ? serve_session(options, log)
                            : serve_all_alone(options, log, stop->value());
}

}  // namespace acceld
