// SPDX-License-Identifier: MIT
//
// A Vulkan device that is lost under a guest, from loss to recovery: the engine calls it no
// more, the operator is told, and the guest's reset opens it anew, in the same worker.
#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

#include "daemon/metrics.hpp"
#include "daemon/prometheus.hpp"
#include "daemon/serve.hpp"
#include "driver/frames.hpp"
#include "vulkan/shimmed.hpp"
#include "worker/device.hpp"
#include "worker/providers.hpp"

using acceld::Device;
using wire::Status;

TEST_SUITE_BEGIN("daemon/lost-vulkan");

namespace {

struct Guest {
    std::shared_ptr<acceld::GuestLog> log = std::make_shared<acceld::GuestLog>();
    std::shared_ptr<acceld::Board> board = std::make_shared<acceld::Board>();
    int opened = 0;
    std::uint64_t request = 0;
    std::expected<Device, std::string> device = Device::create(
        [this, around = acceld::surroundings_of(log, board)] {
            ++opened;
            auto options = acceld::vulkan_options({.device = vulkan::test::device_name()}, around);
            options.loader = vulkan::test::shim_path();
            return vulkan::open(options);
        },
        {}, {}, *log, board);

    driver::Answer send(const driver::Request& frame) {
        return daemon_test::serve(*device, frame.bytes());
    }
    driver::Answer create_context() { return send(driver::create_context(++request)); }
    driver::Answer allocate(std::uint64_t context) {
        driver::BufferFields fields{.context = context, .bytes = 64};
        fields.domain = VIRTIO_ACCEL_DOMAIN_DEVICE;
        return send(driver::allocate_buffer(++request, fields));
    }
    [[nodiscard]] double metric(const std::string& name, daemon_test::Labels labels = {}) const {
        labels["guest"] = "1";
        const acceld::DaemonView daemon{.provider = "vulkan",
                                        .guests = {{1, 1, "serving", &board->statistics}}};
        return daemon_test::parse_metrics(acceld::metrics_text(daemon))
            .at("virtio_accel_" + name)
            .at(labels);
    }
    [[nodiscard]] double losses(const std::string& how) const {
        return metric("provider_losses_total", {{"how", how}});
    }
};

}  // namespace

TEST_CASE("a Vulkan device that is lost comes back with the guest's reset" *
          doctest::skip(vulkan::test::skipped())) {
    spdlog::set_level(spdlog::level::off);
    vulkan::test::Shimmed shim;
    shim->mask.card = true;  // so that transfers are submissions
    Guest guest;
    REQUIRE(guest.device.has_value());
    const std::uint64_t context = guest.create_context().id();
    const std::uint64_t buffer = guest.allocate(context).id();
    const driver::Bytes data(64, std::byte{0x5A});
    CHECK(guest.losses("poisoned") == 0);
    shim->loss = {.nth = 1, .accepted = true};
    CHECK(guest.send(driver::write_buffer(++guest.request, buffer, 0, data)).status() ==
          Status::DeviceLost);
    const unsigned submissions = shim->calls("vkQueueSubmit2");
    CHECK(guest.create_context().status() == Status::DeviceLost);
    CHECK(guest.allocate(context).status() == Status::DeviceLost);
    CHECK(shim->calls("vkQueueSubmit2") == submissions);
    CHECK(guest.opened == 1);
    CHECK(guest.losses("poisoned") == 1);
    CHECK(guest.losses("wedged") == 0);
    CHECK(guest.metric("device_wedged") == 0);

    guest.device->reset();
    CHECK(guest.opened == 2);
    CHECK(shim->alive().contains("Instance=1 "));
    CHECK(guest.allocate(context).status() == Status::StaleObject);
    const std::uint64_t fresh = guest.allocate(guest.create_context().id()).id();
    CHECK(guest.send(driver::write_buffer(++guest.request, fresh, 0, data)).status() == Status::Ok);
    const auto read = guest.send(driver::read_buffer(++guest.request, fresh, 0, 64));
    CHECK(read.status() == Status::Ok);
    CHECK(std::ranges::equal(std::span(read.written).subspan(read.used - 64, 64), data));
    CHECK(guest.losses("poisoned") == 1);
}

TEST_SUITE_END();
