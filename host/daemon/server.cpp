// SPDX-License-Identifier: MIT
#include "daemon/server.hpp"

#include <cerrno>
#include <csignal>
#include <utility>

#include <sys/signalfd.h>
#include <sys/socket.h>

#include <spdlog/spdlog.h>

#include "daemon/device.hpp"
#include "daemon/guest_log.hpp"
#include "daemon/listener.hpp"
#include "vhost/connection.hpp"
#include "vhost/failure.hpp"

namespace acceld {

namespace {

using base::UniqueFd;
using vhost::failure;

// Comes before the provider, whose threads must inherit the blocked signals.
std::expected<UniqueFd, std::string> catch_signals() {
    // An event descriptor may be a pipe that the front end has closed.
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    if (const int error = ::pthread_sigmask(SIG_BLOCK, &signals, nullptr); error != 0) {
        return failure("pthread_sigmask", error);
    }
    UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd) return failure("signalfd", errno);
    return fd;
}

// A socket from outside is a front end already, or is where front ends will come from.
std::expected<bool, std::string> is_connected(int fd) {
    int listening = 0;
    socklen_t size = sizeof(listening);
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0) {
        return failure("--fd", errno);
    }
    return listening == 0;
}

std::expected<Device, std::string> make_device(const Options& options, GuestLog& log) {
    const auto open = [choice = options.provider, &log] {
        const auto refused = [&log](std::string_view why) { log.program_refused(why); };
        return open_provider(choice, refused).transform([](OpenedProvider opened) {
            spdlog::info("provider: {}", opened.description);
            return std::move(opened.provider);
        });
    };
    return Device::create(open, options.config, options.policy, log);
}

// Returns whether a signal asked to stop.
bool serve_front_end(UniqueFd socket, Device& device, GuestLog& log, int stop_fd) {
    spdlog::info("front end connected");
    vhost::Connection connection(std::move(socket), device.profile(), device, log);
    const auto end = connection.run(stop_fd);
    if (end) {
        spdlog::info("front end {}",
                     *end == vhost::Progress::Closed ? "disconnected" : "left behind by a signal");
    } else {
        spdlog::error("front end dropped: {}", end.error());
    }
    const vhost::QueueStatistics& queue = connection.statistics();
    spdlog::info("chains: {} unusable={} kicks={} interrupts={} suppressed={}", queue.chains,
                 queue.unusable, queue.kicks, queue.interrupts, queue.suppressed);
    device.log_summary();
    return end == vhost::Progress::Stopped;
}

// Every front end gets a device of its own, which is made before the front end is let
// in: a provider that is gone is an end with a reason, not a guest with a dead device.
std::expected<void, std::string> accept_front_ends(const Listener& listener, Device first,
                                                   const Options& options, GuestLog& log,
                                                   int stop_fd) {
    for (std::expected<Device, std::string> device = std::move(first);;) {
        auto front_end = listener.accept(stop_fd);
        if (!front_end) return std::unexpected(front_end.error());
        if (!*front_end) return {};
        if (serve_front_end(*std::move(*front_end), *device, log, stop_fd) || options.once) {
            return {};
        }
        device = make_device(options, log);
        if (!device) return std::unexpected(device.error());
    }
}

std::expected<Listener, std::string> listen(const Options& options) {
    return options.fd ? Listener::adopt(UniqueFd(*options.fd))
                      : Listener::bind(options.socket_path);
}

}  // namespace

std::expected<void, std::string> serve(const Options& options) {
    const auto stop = catch_signals();
    if (!stop) return std::unexpected(stop.error());
    const std::expected<bool, std::string> connected =
        options.fd ? is_connected(*options.fd) : false;
    if (!connected) return std::unexpected(connected.error());

    GuestLog log;
    auto device = make_device(options, log);
    if (!device) return std::unexpected(device.error());
    if (*connected) {
        serve_front_end(UniqueFd(*options.fd), *device, log, stop->value());
        return {};
    }
    const auto listener = listen(options);
    if (!listener) return std::unexpected(listener.error());
    spdlog::info("listening on {}", options.fd ? "the given socket" : options.socket_path);
    return accept_front_ends(*listener, *std::move(device), options, log, stop->value());
}

}  // namespace acceld
