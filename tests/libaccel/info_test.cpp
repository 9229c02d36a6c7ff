// SPDX-License-Identifier: MIT
#include "info.hpp"

#include "rig.hpp"

using namespace fake;

namespace {

std::string first_line(std::uint32_t vendor, std::uint32_t device, std::uint16_t device_class) {
    accel::DeviceInfo info;
    info.vendor_id = vendor;
    info.device_id = device;
    info.device_class = static_cast<accel::DeviceClass>(device_class);
    const auto text = accelctl::describe("node", info);
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_SUITE("libaccel/info") {
    TEST_CASE("the name is made of the vendor, the class and the numbers") {
        CHECK(first_line(0x10005, 0, 0) == "node: Mesa accelerator (10005:0000)");
        CHECK(first_line(0x10DE, 0x2335, 2) == "node: NVIDIA GPU (10de:2335)");
        CHECK(first_line(0x1022, 0x17F0, 1) == "node: AMD NPU (1022:17f0)");
        CHECK(first_line(0xBEEF, 1, 3) == "node: DSP (beef:0001)");
        CHECK(first_line(0xBEEF, 1, 9) == "node: accelerator of class 9 (beef:0001)");
        CHECK(first_line(0, 0, 0) == "node: accelerator (vendor unspecified)");
    }

    TEST_CASE("everything a device says of itself is printed") {
        Kernel kernel;
        const auto device = must(accel::Device::open(kernel));
        CHECK(accelctl::describe(device.path(), must(device.info())) ==
              "/dev/accel/accel0: Mesa accelerator (10005:0000)\n"
              "  uuid          76697274-696f-2d61-6363-656c66616b65\n"
              "  protocol      1.0\n"
              "  capabilities  host memory, device memory, shared memory, cancellation\n"
              "  contexts      8\n"
              "  per context   64 buffers, 16 programs, 4 queues, 128 events\n"
              "  submission    16 bindings\n"
              "  buffer        16777216 bytes\n"
              "  program       1048576 bytes\n");
        auto info = must(device.info());
        info.capabilities = 0x41;
        CHECK(accelctl::describe("node", info).contains("host memory, 0x40\n"));
    }
}
