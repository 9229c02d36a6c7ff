// SPDX-License-Identifier: MIT
//
// A new buffer reads as zero on every provider, whoever used its memory before.
#include <algorithm>

#include <doctest/doctest.h>

#include "cpu/cpu.hpp"
#include "virtqueue/rig.hpp"
#include "vulkan/test_device.hpp"

using namespace virtqueue;
using wire::Status;

TEST_SUITE_BEGIN("virtqueue/contents");

namespace {

std::uint64_t capability(std::uint8_t domain) {
    switch (domain) {
        case VIRTIO_ACCEL_DOMAIN_HOST:
            return VIRTIO_ACCEL_CAP_HOST_VISIBLE_MEMORY;
        case VIRTIO_ACCEL_DOMAIN_DEVICE:
            return VIRTIO_ACCEL_CAP_DEVICE_LOCAL_MEMORY;
        default:
            return VIRTIO_ACCEL_CAP_SHARED_MEMORY;
    }
}

void check_new_buffer(Guest& guest, std::uint64_t context, std::uint8_t domain, std::uint64_t bytes,
                      std::span<const std::byte> dirt) {
    const std::uint64_t buffer =
        guest
            .call(driver::allocate_buffer(guest.next_id(),
                                          {.context = context, .bytes = bytes, .domain = domain}))
            .id();
    const Answer read =
        guest.call(driver::read_buffer(guest.next_id(), buffer, 0, bytes), 16 + bytes);
    REQUIRE(read.used == 16 + bytes);
    CHECK(std::ranges::all_of(read.payload(), [](std::byte b) { return b == std::byte{0}; }));
    REQUIRE(
        guest.call(driver::write_buffer(guest.next_id(), buffer, 0, dirt.first(bytes))).status() ==
        Status::Ok);
    REQUIRE(guest.call(driver::on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, guest.next_id(), buffer))
                .status() == Status::Ok);
}

void check_new_buffers(std::unique_ptr<provider::Provider> provider) {
    Guest guest(std::move(provider), {.memory_bytes = 4 << 20});
    const Bytes dirt(1 << 20, std::byte{0xee});
    int domains = 0;
    for (std::uint8_t domain = VIRTIO_ACCEL_DOMAIN_HOST; domain <= VIRTIO_ACCEL_DOMAIN_SHARED;
         ++domain) {
        CAPTURE(domain);
        if ((guest.device.engine().device_info().capabilities & capability(domain)) == 0) continue;
        ++domains;
        for (int round = 0; round < 3; ++round) {
            const std::uint64_t context = guest.call(driver::create_context(1)).id();
            for (const std::uint64_t bytes : {1ULL, 24ULL, 100ULL, 4096ULL, 1ULL << 20}) {
                CAPTURE(bytes);
                for (int again = 0; again < 3; ++again)
                    check_new_buffer(guest, context, domain, bytes, dirt);
            }
        }
    }
    CHECK(domains > 0);
}

}  // namespace

TEST_CASE("a new buffer of the mock reads as zero") {
    check_new_buffers(std::make_unique<mock::Provider>());
}

TEST_CASE("a new buffer of the CPU reads as zero") {
    check_new_buffers(cpu::open({}).value());
}

TEST_CASE("a new buffer of a Vulkan device reads as zero" *
          doctest::skip(vulkan::test::skipped())) {
    check_new_buffers(vulkan::open({.name = vulkan::test::device_name()}).value());
}

TEST_SUITE_END();
