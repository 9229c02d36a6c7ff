// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "daemon/board.hpp"
#include "daemon/guest_log.hpp"
#include "engine/engine.hpp"
#include "provider/provider.hpp"
#include "vhost/handler.hpp"
#include "wire/config.hpp"
#include "worker/pool.hpp"

namespace acceld {

using OpenProvider =
    std::function<std::expected<std::unique_ptr<provider::Provider>, std::string>()>;

// The device of one guest: an engine with a provider instance of its own, and another
// pair when a reset could not prove that everything was released. Provider work that
// can take long runs on worker threads.
class Device final : public vhost::Handler, private engine::Host {
 public:
    // `log` outlives the device. The board says which namespace was used last; `threads` is
    // how many slow provider calls run side by side.
    [[nodiscard]] static std::expected<Device, std::string> create(
        OpenProvider open_provider, const wire::Config& config, const engine::Policy& policy,
        GuestLog& log, std::shared_ptr<Board> board = std::make_shared<Board>(),
        std::size_t threads = 8);

    [[nodiscard]] vhost::Profile profile() const;

    void serve(vhost::Ticket ticket, const wire::Chain& chain,
               vhost::Answers& answers) noexcept override;
    [[nodiscard]] int progress_fd() const noexcept override { return pool_->done_fd(); }
    void advance(vhost::Answers& answers) noexcept override;
    void drain(vhost::Answers& answers) noexcept override;
    void reset() noexcept override;

    // Brings what is counted here to the board, for those who look from outside.
    void publish();
    [[nodiscard]] Statistics& statistics() { return board_->statistics; }
    // What the guest did and left, as lines of the log.
    void log_summary() const;

 private:
    Device(OpenProvider open_provider, const wire::Config& config, const engine::Policy& policy,
           GuestLog& log, std::shared_ptr<Board> board, engine::Engine engine,
           std::unique_ptr<Pool> pool);

    void complete(engine::Ticket ticket, std::uint32_t used) override;
    void refused(const engine::Refusal& refusal) override;
    void start(engine::Work work) override;

    // Calls the engine, and then does the work that is not worth a thread.
    template <class Call>
    void with_engine(vhost::Answers& answers, Call call);

    // What became of the objects at a reset. If there is no other provider instance to be
    // had, the old engine stays: it answers every command with DEVICE_LOST.
    std::string replace_engine();

    OpenProvider open_provider_;
    wire::Config config_;
    engine::Policy policy_;
    GuestLog* log_;
    std::shared_ptr<Board> board_;
    engine::Engine engine_;
    std::unique_ptr<Pool> pool_;
    std::deque<engine::Work> short_work_;
    vhost::Answers* answers_ = nullptr;  // during a call of the handler
    engine::Statistics published_;
    provider::CopyCounters published_copies_;
    std::uint64_t resets_ = 0;
    std::uint64_t resets_with_objects_ = 0;  // of these
};

}  // namespace acceld
