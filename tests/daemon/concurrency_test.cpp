// SPDX-License-Identifier: MIT
//
// Commands that overlap on real worker threads. Nothing here sleeps: the slow command
// ends when what it must not delay has been answered.
#include <latch>
#include <map>

#include <doctest/doctest.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include "engine/rig.hpp"
#include "worker/device.hpp"

using acceld::Device;
using wire::Status;

TEST_SUITE_BEGIN("daemon/concurrency");

namespace {

// Loads programs only once it is told to.
class SlowLoads final : public mock::Provider {
 public:
    explicit SlowLoads(std::latch& go) : mock::Provider({.pending_polls = 0}), go_(go) {}

    provider::Result<std::unique_ptr<provider::Program>> load_program(
        provider::Context& context, const provider::ProgramDesc& desc,
        provider::ByteSource& artifact) override {
        if (artifact.size() == mock::kArtifactBytes + 1) {  // this test's mark of a slow one
            go_.wait();
            return std::unexpected(provider::ErrorKind::InvalidArgument);
        }
        return mock::Provider::load_program(context, desc, artifact);
    }

 private:
    std::latch& go_;
};

struct Flight {
    rig::Bytes request;
    rig::Bytes response = rig::Bytes(256, rig::kSentinel);
    std::span<const std::byte> readable{request};
    std::span<std::byte> writable{response};
};

class ConcurrentRig final : public vhost::Answers {
 public:
    void complete(vhost::Ticket ticket, std::uint32_t used) override {
        answers_[ticket] = {used, flights_.at(ticket).response};
    }

    vhost::Ticket send(const driver::Request& request) {
        const vhost::Ticket ticket = ++last_;
        Flight& flight = flights_.try_emplace(ticket, request.bytes()).first->second;
        device_->serve(ticket, {{&flight.readable, 1}, {&flight.writable, 1}}, *this);
        return ticket;
    }
    // Advances the device as the event loop does until the command is answered.
    rig::Answer wait(vhost::Ticket ticket) {
        while (!answers_.contains(ticket)) {
            pollfd ready{device_->progress_fd(), POLLIN, 0};
            REQUIRE(::poll(&ready, 1, -1) == 1);
            device_->advance(*this);
        }
        return answers_.at(ticket);
    }
    rig::Answer call(const driver::Request& request) { return wait(send(request)); }
    [[nodiscard]] bool answered(vhost::Ticket ticket) const { return answers_.contains(ticket); }
    [[nodiscard]] std::uint64_t next() const { return last_ + 1; }
    Device& device() { return *device_; }

    std::uint64_t load(std::uint64_t context) {
        return call(load_request(context, artifact_)).id();
    }
    vhost::Ticket load_slowly(std::uint64_t context) {
        return send(load_request(context, rig::Bytes(mock::kArtifactBytes + 1)));
    }

    std::latch go{1};

 private:
    driver::Request load_request(std::uint64_t context, std::span<const std::byte> artifact) {
        return driver::load_program(next(),
                                    {.context = context,
                                     .format = mock::kFormat,
                                     .target = mock::kTarget,
                                     .resident_bytes = mock::kResidentBytes},
                                    artifact);
    }

    const std::array<std::byte, mock::kArtifactBytes> artifact_ =
        mock::encode({.operation = mock::Operation::Xor, .first_slot = 0, .operand = std::byte{1}});
    acceld::GuestLog log_;
    std::map<vhost::Ticket, Flight> flights_;
    std::map<vhost::Ticket, rig::Answer> answers_;
    vhost::Ticket last_ = 0;
    std::expected<Device, std::string> device_ = Device::create(
        [this]() -> std::expected<std::unique_ptr<provider::Provider>, std::string> {
            return std::make_unique<SlowLoads>(go);
        },
        {}, {}, log_);
};

}  // namespace

TEST_CASE("a load that is slow lets a thousand submissions of another context finish first") {
    spdlog::set_level(spdlog::level::off);
    ConcurrentRig rig;
    const std::uint64_t slow = rig.call(driver::create_context(rig.next())).id();
    const std::uint64_t quick = rig.call(driver::create_context(rig.next())).id();
    const std::uint64_t program = rig.load(quick);
    const std::uint64_t queue = rig.call(driver::create_queue(rig.next(), quick)).id();
    const std::uint64_t buffer =
        rig.call(driver::allocate_buffer(rig.next(),
                                         {.context = quick, .bytes = 64, .usage = rig::kAllUsage}))
            .id();
    const auto binding = driver::bind(buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 64);

    const vhost::Ticket load = rig.load_slowly(slow);
    for (int i = 0; i < 1000; ++i) {
        const auto submitted =
            rig.call(driver::submit(rig.next(), queue, program, std::span(&binding, 1)));
        REQUIRE(submitted.status() == Status::Ok);
        REQUIRE(
            rig.call(driver::on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, rig.next(), submitted.id()))
                .status() == Status::Ok);
    }
    // Control commands of another context are no more delayed than submissions.
    CHECK(rig.call(driver::on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, rig.next(), queue)).status() ==
          Status::Ok);
    CHECK_FALSE(rig.answered(load));

    rig.go.count_down();
    CHECK(rig.wait(load).status() == Status::InvalidArgument);
}

TEST_CASE("a drain answers what is under way") {
    spdlog::set_level(spdlog::level::off);
    ConcurrentRig rig;
    const std::uint64_t context = rig.call(driver::create_context(rig.next())).id();
    const vhost::Ticket load = rig.load_slowly(context);
    const vhost::Ticket waiting = rig.send(driver::create_queue(rig.next(), context));
    rig.go.count_down();
    rig.device().drain(rig);
    CHECK(rig.answered(load));
    CHECK(rig.answered(waiting));
}

TEST_SUITE_END();
