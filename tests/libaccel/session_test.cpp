// SPDX-License-Identifier: MIT
#include "rig.hpp"

#if defined(_DRM_VIRTIO_ACCEL_H) || defined(_DRM_H_)
#error "a public header of libaccel includes a kernel header"
#endif

#include <algorithm>
#include <vector>

using namespace fake;

TEST_SUITE("libaccel/session") {
    TEST_CASE("the public headers are enough to run a program and leave nothing behind") {
        Kernel kernel;
        const NothingLeft nothing_left(kernel);
        kernel.device.run = [](const Program&, std::span<const Bound> bound) {
            std::ranges::transform(bound[0].bytes, bound[1].bytes.begin(),
                                   [](std::byte byte) { return byte ^ std::byte{0x5A}; });
            return accel::EventState{.phase = accel::EventState::Phase::Complete};
        };

        const auto device = must(accel::Device::open(kernel));
        CHECK(must(device.info()).has(accel::Capability::SharedMemory));
        const auto context = must(device.create_context());
        auto input = must(context.create_buffer(kBuffer));
        const auto output = must(context.create_buffer(kBuffer));
        const auto program = must(context.load_program(kArtifact));
        const auto queue = must(context.create_queue());

        const std::vector<std::byte> sent(input.size(), std::byte{0x0F});
        CHECK(must(input.write(0, sent)) == sent.size());
        const std::array bindings{
            accel::Binding{&input, 0, accel::Access::Read, 0, input.size()},
            accel::Binding{&output, 1, accel::Access::Write, 0, output.size()}};
        auto [event, admission] =
            must(queue.submit(program, bindings, {.timeout = std::chrono::seconds(5)}));
        CHECK(admission == accel::Status::Ok);
        CHECK(must(event.wait(std::chrono::steady_clock::now())).phase ==
              accel::EventState::Phase::Complete);
        std::vector<std::byte> received(output.size());
        CHECK(must(output.read(0, received)) == received.size());
        CHECK(received == std::vector<std::byte>(output.size(), std::byte{0x55}));
    }
}
