// SPDX-License-Identifier: MIT
#include <cerrno>

#include "rig.hpp"

using namespace fake;

TEST_SUITE("libaccel/device") {
    TEST_CASE("the first node of the virtio_accel driver is opened, and no other stays open") {
        Kernel kernel;
        const NothingLeft nothing_left(kernel);
        kernel.nodes = {{"/dev/accel/accel0", "intel_vpu"},
                        {"/dev/accel/accel3", "virtio_accel_2"},
                        {"/dev/accel/accel4", "virtio"},
                        {"/dev/accel/accel5", "virtio_accel"},
                        {"/dev/accel/accel6", "virtio_accel"}};

        const auto device = must(accel::Device::open(kernel));

        CHECK(device.path() == "/dev/accel/accel5");
        CHECK(kernel.live().files == 1);
    }

    TEST_CASE("a search that finds nothing answers ENODEV, or what kept it from looking") {
        Kernel kernel;
        kernel.nodes = {{"/dev/accel/accel1", "intel_vpu"}};
        CHECK(code(accel::Device::open(kernel)) == ENODEV);

        kernel.fail(Call::Open, 2, EACCES);
        CHECK(code(accel::Device::open(kernel)) == EACCES);
        CHECK(kernel.live() == Live{});
    }

    TEST_CASE("a node that is missing, foreign or unreadable is an error with its own code") {
        Kernel kernel;
        kernel.nodes["/dev/accel/accel1"] = "intel_vpu";
        CHECK(code(accel::Device::open("/dev/accel/accel9", kernel)) == ENOENT);
        CHECK(code(accel::Device::open("/dev/accel/accel1", kernel)) == ENODEV);

        kernel.fail(Call::Version, 1, ENOTTY);
        const auto device = accel::Device::open("/dev/accel/accel0", kernel);
        REQUIRE(!device);
        CHECK(device.error().code == ENOTTY);
        CHECK(device.error().message() == "device_open: Inappropriate ioctl for device");
        CHECK(kernel.live() == Live{});
    }

    TEST_CASE("the device's information arrives in every field") {
        Kernel kernel;
        kernel.device.info.device_class = accel::DeviceClass::Gpu;
        kernel.device.info.protocol_minor = 7;
        kernel.device.info.device_id = 0xABCD;
        const auto& set = kernel.device.info;

        const auto info = must(must(accel::Device::open(kernel)).info());

        CHECK(info.uuid == set.uuid);
        CHECK(info.protocol_major == set.protocol_major);
        CHECK(info.protocol_minor == set.protocol_minor);
        CHECK(info.device_class == set.device_class);
        CHECK(info.vendor_id == set.vendor_id);
        CHECK(info.device_id == set.device_id);
        CHECK(info.capabilities == set.capabilities);
        CHECK(info.max_contexts == set.max_contexts);
        CHECK(info.max_buffers_per_context == set.max_buffers_per_context);
        CHECK(info.max_programs_per_context == set.max_programs_per_context);
        CHECK(info.max_queues_per_context == set.max_queues_per_context);
        CHECK(info.max_events_per_context == set.max_events_per_context);
        CHECK(info.max_bindings_per_submission == set.max_bindings_per_submission);
        CHECK(info.max_buffer_bytes == set.max_buffer_bytes);
        CHECK(info.max_artifact_bytes == set.max_artifact_bytes);
        CHECK(info.max_fence_timeout == set.max_fence_timeout);
    }

    TEST_CASE("what a signal interrupted is repeated until it is done") {
        Kernel kernel;
        kernel.interrupt(Call::Open, 3);
        kernel.interrupt(Call::DevQuery, 5);

        const auto device = must(accel::Device::open("/dev/accel/accel0", kernel));
        CHECK(device.info().has_value());

        CHECK(kernel.count(Call::Open) == 4);
        CHECK(kernel.count(Call::DevQuery) == 6);
    }

    TEST_CASE("EAGAIN is an answer and is not repeated") {
        Kernel kernel;
        const auto device = must(accel::Device::open(kernel));
        kernel.fail(Call::CtxCreate, 1, EAGAIN);

        CHECK(code(device.create_context()) == EAGAIN);
        CHECK(kernel.count(Call::CtxCreate) == 1);
    }

    TEST_CASE("the file is closed when the last object is gone, once, even if close fails") {
        Kernel kernel;
        kernel.fail(Call::Close, 1, EIO);
        {
            auto queue = [&] {
                const auto device = must(accel::Device::open(kernel));
                return must(must(device.create_context()).create_queue());
            }();
            CHECK(kernel.live() == Live{.files = 1, .contexts = 1, .queues = 1});
        }
        CHECK(kernel.live() == Live{});
        CHECK(kernel.count(Call::Close) == 1);
    }

    TEST_CASE("more contexts than the device has answer ENOSPC") {
        Kernel kernel;
        kernel.device.info.max_contexts = 1;
        const auto device = must(accel::Device::open(kernel));
        const auto context = must(device.create_context());
        CHECK(code(device.create_context()) == ENOSPC);
    }

    TEST_CASE("a device that was moved from answers EBADF without a system call") {
        Kernel kernel;
        auto device = must(accel::Device::open(kernel));
        const auto moved = std::move(device);

        CHECK(code(device.info()) == EBADF);            // NOLINT(bugprone-use-after-move)
        CHECK(code(device.create_context()) == EBADF);  // NOLINT(bugprone-use-after-move)
        CHECK(device.path().empty());                   // NOLINT(bugprone-use-after-move)
        CHECK(kernel.count(Call::DevQuery) == 0);
        CHECK(kernel.count(Call::CtxCreate) == 0);
    }
}
