// SPDX-License-Identifier: MIT
//
// What the bench does, part by part.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "bench/vulkan/case.hpp"
#include "bench/vulkan/report.hpp"
#include "bench/vulkan/session.hpp"
#include "vulkan/vulkan.hpp"

namespace vulkan::bench {

inline constexpr std::pair<MemoryDomain, const char*> kDomains[] = {
    {MemoryDomain::Host, "host"},
    {MemoryDomain::Shared, "shared"},
    {MemoryDomain::Device, "device"}};

[[nodiscard]] const char* name(MemoryDomain domain);
[[nodiscard]] MemoryDomain domain_of(std::string_view name);  // one of these

// What all parts need.
struct Bench {
    Options device;  // to open it with
    MemoryDomain domain = MemoryDomain::Device;
    bool quick = false;
    std::string only;  // a part of the names of what is wanted

    [[nodiscard]] bool wants(std::string_view name) const { return name.contains(only); }
    [[nodiscard]] Pace pace() const {
        return quick ? Pace{.warm_up = Seconds(0), .measured = Seconds(0.05), .fewest = 3} : Pace{};
    }
    [[nodiscard]] Scale scale() const {
        return quick ? Scale{.elements = 1 << 20,
                             .side = 512,
                             .mobile_net_width = 0.25,
                             .mobile_net_side = 96}
                     : Scale{};
    }

    // A session of its own, on the device as these open it.
    [[nodiscard]] static std::unique_ptr<Session> open(const Options& options);
};

void measure_host(const Bench& bench, Report& report);
void measure_admission(const Bench& bench, Session& session, Report& report);
void measure_transfers(const Bench& bench, Report& report);
void measure_loads(const Bench& bench, Report& report);

// Each is checked once against the CPU provider.
void measure_cases(const Bench& bench, Session& session, Session& cpu, Report& report);

}  // namespace vulkan::bench
