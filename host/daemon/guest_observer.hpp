// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <utility>

#include "daemon/guest_log.hpp"
#include "daemon/statistics.hpp"

namespace acceld {

// Counts what one guest does wrong, of which the log may have but a part.
class GuestObserver final : public vhost::Observer {
 public:
    GuestObserver(GuestLog& log, Statistics& statistics) : log_(&log), statistics_(&statistics) {}

    void chain_unusable(vhost::ChainDefect defect) override {
        statistics_->unusable_chains[std::to_underlying(defect)].add(1);
        log_->chain_unusable(defect);
    }
    void ring_stopped(vhost::RingFault fault) override {
        statistics_->ring_faults[std::to_underlying(fault)].add(1);
        log_->ring_stopped(fault);
    }
    void message_refused(std::string_view request, std::string_view why) override {
        statistics_->messages_refused.add(1);
        log_->message_refused(request, why);
    }

 private:
    GuestLog* log_;
    Statistics* statistics_;
};

}  // namespace acceld
