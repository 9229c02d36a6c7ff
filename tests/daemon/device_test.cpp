// SPDX-License-Identifier: MIT
#include "worker/device.hpp"

#include <format>
#include <sstream>

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "daemon/serve.hpp"
#include "engine/rig.hpp"

using acceld::Device;
using provider::ErrorKind;
using wire::Status;

TEST_SUITE_BEGIN("daemon/device");

namespace {

// Loses its device with the first queue.
class Fragile : public mock::Provider {
 public:
    provider::Result<std::unique_ptr<provider::Queue>> create_queue(provider::Context&,
                                                                    std::uint32_t) override {
        return std::unexpected(provider::Error(ErrorKind::DeviceLost));
    }
};

// A device over mock providers that counts how many were opened.
struct DeviceRig {
    acceld::GuestLog log;
    int opened = 0;
    int openable = 100;
    std::expected<Device, std::string> device = Device::create(
        [this]() -> std::expected<std::unique_ptr<provider::Provider>, std::string> {
            if (opened == openable) return std::unexpected("unplugged");
            ++opened;
            return std::make_unique<Fragile>();
        },
        {}, {}, log);

    DeviceRig() {
        spdlog::set_level(spdlog::level::off);
        REQUIRE(device.has_value());
    }

    rig::Answer send(const rig::Bytes& request) { return daemon_test::serve(*device, request); }
    rig::Answer create_context() {
        return send(rig::frame(VIRTIO_ACCEL_OP_CREATE_CONTEXT, 1, virtio_accel_create_context{}));
    }
    rig::Answer destroy_context(std::uint64_t id) {
        return send(rig::frame(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, 1, virtio_accel_object{id}));
    }
    void lose(std::uint64_t context) {
        const auto answer = send(
            rig::frame(VIRTIO_ACCEL_OP_CREATE_QUEUE, 1, virtio_accel_create_queue{context, 0, 0}));
        REQUIRE(answer.status() == Status::DeviceLost);
    }
};

// What the daemon logs while this exists.
class Log {
 public:
    Log() {
        spdlog::set_default_logger(std::make_shared<spdlog::logger>(
            "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
    }
    ~Log() { spdlog::set_default_logger(before_); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    [[nodiscard]] bool says(std::string_view words) const { return text_.view().contains(words); }

 private:
    std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
    std::ostringstream text_;
};

std::uint64_t name_space(std::uint64_t id) {
    return id >> 48;
}

}  // namespace

TEST_CASE("the profile offers what protocol 1.0 allows: transport features and 16 bytes") {
    const DeviceRig rig;
    const vhost::Profile profile = rig.device->profile();
    CHECK(profile.features == (vhost::bit(32) | vhost::bit(33)));
    CHECK(profile.config.size() == 16);
    CHECK(profile.max_chain_descriptors == 256);
}

TEST_CASE("a reset ends every object in a namespace of its own, with the same provider") {
    DeviceRig rig;
    const std::uint64_t old = rig.create_context().id();
    CHECK(name_space(old) == 1);

    rig.device->reset();
    CHECK(rig.opened == 1);
    CHECK(rig.destroy_context(old).status() == Status::StaleObject);
    const std::uint64_t fresh = rig.create_context().id();
    CHECK(name_space(fresh) == 2);
    CHECK(rig.destroy_context(fresh).status() == Status::Ok);
}

TEST_CASE("after 65535 resets the namespace is 1 again, never 0") {
    DeviceRig rig;
    for (int i = 0; i < 65534; ++i)
        rig.device->reset();
    CHECK(name_space(rig.create_context().id()) == 65535);
    rig.device->reset();
    CHECK(name_space(rig.create_context().id()) == 1);
}

TEST_CASE("what a guest has left is logged at each reset, and counted") {
    DeviceRig rig;
    const Log log;
    rig.create_context();
    rig.create_context();

    rig.device->reset();
    CHECK(
        log.says("device reset: found contexts=2 buffers=0 programs=0 queues=0 events=0 "
                 "buffer-bytes=0 program-bytes=0: everything released"));
    rig.device->reset();
    CHECK(log.says("device reset: found contexts=0 buffers=0"));
    rig.create_context();
    rig.device->log_summary();
    CHECK(log.says("resets: 2 with-objects=1"));
    CHECK(log.says("left: contexts=1 "));
}

TEST_CASE(
    "a refusal is logged with its command, its object, the context if there is one, and why") {
    DeviceRig rig;
    const Log log;
    const std::uint64_t context = rig.create_context().id();
    REQUIRE(rig.destroy_context(77).status() == Status::StaleObject);
    CHECK(log.says("command refused: DESTROY_CONTEXT request=1 object=0x4d: STALE_OBJECT\n"));
    rig.lose(context);
    CHECK(log.says(std::format(
        "command refused: CREATE_QUEUE request=1 object={0:#x} context={0:#x}: DEVICE_LOST\n",
        context)));
    rig.send(rig::frame(0x7777, 5));
    CHECK(log.says("command refused: ? request=5: UNSUPPORTED\n"));
}

TEST_CASE("a reset that cannot prove the release of everything replaces engine and provider") {
    DeviceRig rig;
    const std::uint64_t context = rig.create_context().id();
    rig.lose(context);
    CHECK(rig.create_context().status() == Status::DeviceLost);

    rig.device->reset();
    CHECK(rig.opened == 2);
    const auto fresh = rig.create_context();
    CHECK(fresh.status() == Status::Ok);
    CHECK(name_space(fresh.id()) == 2);
}

TEST_CASE("a device that cannot get another provider answers DEVICE_LOST until it can") {
    DeviceRig rig;
    rig.lose(rig.create_context().id());

    rig.openable = 1;
    rig.device->reset();
    CHECK(rig.create_context().status() == Status::DeviceLost);
    rig.openable = 2;
    rig.device->reset();
    CHECK(rig.create_context().status() == Status::Ok);
}

TEST_CASE("a device without a provider is not made") {
    acceld::GuestLog log;
    const auto device = Device::create([] { return std::unexpected("none here"); }, {}, {}, log);
    REQUIRE_FALSE(device.has_value());
    CHECK(device.error() == "none here");
}

TEST_SUITE_END();
