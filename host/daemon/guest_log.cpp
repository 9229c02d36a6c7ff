// SPDX-License-Identifier: MIT
#include "daemon/guest_log.hpp"

#include <algorithm>
#include <chrono>
#include <format>
#include <string>

#include <spdlog/spdlog.h>

#include "wire/opcode.hpp"

namespace acceld {

namespace level = spdlog::level;

void GuestLog::chain_unusable(vhost::ChainDefect defect) {
    line(level::warn, "unusable chain", name(defect));
}

void GuestLog::ring_stopped(vhost::RingFault fault) {
    line(level::warn, "ring stopped", name(fault));
}

void GuestLog::message_refused(std::string_view request, std::string_view why) {
    line(level::warn, request, why);
}

// Numbers of the guest's own choice are no words, so they cannot forge lines.
void GuestLog::command_refused(const engine::Refusal& refusal) {
    const auto& [opcode, request_id, object] = refusal.origin;
    std::string what =
        std::format("command refused: {} request={}", wire::opcode_name(opcode), request_id);
    if (object != 0) what += std::format(" object={:#x}", object);
    if (refusal.context != 0) what += std::format(" context={:#x}", refusal.context);
    line(level::warn, what, name(refusal.status));
}

void GuestLog::command_unusable() {
    line(level::warn, "unusable command",
         "no whole request header, or too little room for the response");
}

void GuestLog::program_refused(std::string_view why) {
    line(level::warn, "program refused", why);
}

void GuestLog::provider_warning(std::string_view what) {
    line(level::warn, "provider", what);
}

void GuestLog::device_lost(ProviderLoss loss) {
    line(level::err, "the provider's device is lost",
         loss == ProviderLoss::Wedged ? "it does not end what it was given" : "an error ended it");
}

void GuestLog::device_reset(std::string_view outcome) {
    line(level::info, "device reset", outcome);
}

// The reason may quote the guest, who shall not forge lines.
void GuestLog::line(level::level_enum severity, std::string_view what, std::string_view why) {
    const std::scoped_lock lock(mutex_);
    const auto left_out = limit_.admit(std::chrono::steady_clock::now());
    if (!left_out) return;
    if (*left_out > 0) spdlog::warn("{} more lines like the next were left out", *left_out);
    std::string reason(why);
    std::ranges::replace_if(reason, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
    spdlog::log(severity, "{}: {}", what, reason);
}

}  // namespace acceld
