// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "daemon/guest_log.hpp"
#include "engine/engine.hpp"
#include "provider/provider.hpp"
#include "vhost/handler.hpp"
#include "wire/config.hpp"

namespace acceld {

using OpenProvider =
    std::function<std::expected<std::unique_ptr<provider::Provider>, std::string>()>;

// The device of one guest: an engine with a provider instance of its own, and another
// pair when a reset could not prove that everything was released.
class Device final : public vhost::Handler {
 public:
    // `log` outlives the device.
    [[nodiscard]] static std::expected<Device, std::string> create(OpenProvider open_provider,
                                                                   const engine::Policy& policy,
                                                                   GuestLog& log);

    [[nodiscard]] static vhost::Profile profile();

    [[nodiscard]] std::uint32_t process(const wire::Chain& chain) noexcept override;
    void reset() noexcept override;

    // What the guest did and left, as lines of the log.
    void log_summary() const;

 private:
    Device(OpenProvider open_provider, const engine::Policy& policy, GuestLog& log,
           engine::Engine engine);

    void replace_engine();
    void log_refusal(const engine::Statistics& before) const;

    OpenProvider open_provider_;
    engine::Policy policy_;
    GuestLog* log_;
    engine::Engine engine_;
    std::uint16_t name_space_ = kFirstNameSpace;

    static constexpr std::uint16_t kFirstNameSpace = 1;
};

}  // namespace acceld
