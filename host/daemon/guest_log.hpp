// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include <spdlog/common.h>

#include "daemon/rate_limit.hpp"
#include "daemon/statistics.hpp"
#include "engine/report.hpp"
#include "vhost/handler.hpp"

namespace acceld {

// What one guest does wrong, in the log of the daemon.
class GuestLog final : public vhost::Observer {
 public:
    void chain_unusable(vhost::ChainDefect defect) override;
    void ring_stopped(vhost::RingFault fault) override;
    void message_refused(std::string_view request, std::string_view why) override;

    // A command was answered with an error, or could not be answered at all.
    void command_refused(const engine::Refusal& refusal);
    void command_unusable();
    // By a provider, while it loads a program for the guest's command; from any thread.
    void program_refused(std::string_view why);
    // What a provider says of its device, from any thread.
    void provider_warning(std::string_view what);
    void device_lost(ProviderLoss loss);
    // The guest has reset its device, and what became of what it left.
    void device_reset(std::string_view outcome);

 private:
    void line(spdlog::level::level_enum severity, std::string_view what, std::string_view why);

    std::mutex mutex_;
    RateLimit limit_;  // guarded by mutex_
};

}  // namespace acceld
