// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "daemon/board.hpp"
#include "daemon/guest_log.hpp"
#include "daemon/guest_observer.hpp"
#include "daemon/lost_device.hpp"
#include "daemon/options.hpp"
#include "daemon/order.hpp"
#include "daemon/rate_limit.hpp"
#include "daemon/setup.hpp"
#include "daemon/worker_process.hpp"
#include "vhost/connection.hpp"
#include "vhost/session.hpp"

namespace acceld {

// One guest's end of the daemon. A VMM does not outlive the socket of its device, so the
// process that has it does nothing that can crash or hang: it judges and answers the
// messages of the front end, and lets a worker process serve the ring, with an engine and
// a provider. When the worker is lost, the session serves the ring itself, as a device
// that is lost, until the guest resets the device. Then there is another worker.
class Session {
 public:
    using Result = std::expected<void, std::string>;

    // With a worker that is ready for a front end. The supervisor is at the other end of
    // `channel`.
    [[nodiscard]] static std::expected<std::unique_ptr<Session>, std::string> create(
        const Options& options, GuestLog& log, SharedBoard board, int channel);

    // Serves a front end until it leaves or the supervisor wants an end. An error is a front
    // end that broke the protocol.
    [[nodiscard]] std::expected<vhost::Progress, std::string> serve(base::UniqueFd front_end);

    void log_to(const base::UniqueFd& file);

    // Ends the worker, which tells what the guest did. False if it has ended by itself.
    bool end();

    // Readable when the worker has ended; -1 when there is none.
    [[nodiscard]] int worker_fd() const { return worker_.running() ? worker_.pidfd() : -1; }

 private:
    Session(const Options& options, GuestLog& log, SharedBoard board, int channel,
            WorkerProcess worker);

    [[nodiscard]] std::expected<std::optional<vhost::Bytes>, std::string> handle(
        vhost::Message message);
    [[nodiscard]] std::expected<vhost::Progress, std::string> step(const base::UniqueFd& front_end);
    [[nodiscard]] bool obey(const Order& order);
    // What follows from a message that was accepted.
    void follow(vhost::Message message);
    void renew_device();
    void start_ring();
    void replace_worker();
    [[nodiscard]] Result try_to_replace_worker();
    void note_worker();
    void stop_worker();
    void watch_worker();
    void lose_worker(WorkerLoss loss, std::string_view why);
    [[nodiscard]] Statistics& statistics() { return board_.board->statistics; }

    const Options& options_;
    GuestLog& log_;
    SharedBoard board_;
    int channel_;
    GuestObserver observer_;
    WorkerProcess worker_;
    LostDevice lost_;
    vhost::Session vhost_;
    vhost::MessageReader reader_;
    Setup setup_;
    bool worker_serves_ = false;
    RateLimit restarts_;
    // The command that the worker is to take next, and since when, in RingState::ticks().
    std::uint16_t next_seen_ = 0;
    std::uint32_t next_since_ = 0;
    vhost::QueueStatistics published_;
};

}  // namespace acceld
