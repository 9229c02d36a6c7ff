// SPDX-License-Identifier: MIT
#include <memory>

#include <doctest/doctest.h>

#include "budget/allocations.hpp"
#include "driver/guest.hpp"
#include "driver/validator.hpp"
#include "provider/mock/mock.hpp"

TEST_SUITE_BEGIN("driver/device");

TEST_CASE("a command in place, from its frame to its checked answer, allocates nothing") {
    driver::Guest guest(std::make_unique<mock::Provider>());
    const driver::Block request = guest.memory.allocate(16);
    const driver::Block response = guest.memory.allocate(92);
    const driver::Block readable[] = {request.part(0, 3), request.part(3, 13)};
    const driver::Block writable[] = {response.part(0, 5), response.part(5, 87)};
    const driver::Validator validator(4096);
    const std::span<const std::byte> written = response.bytes;
    const auto run = [&](std::uint64_t id) {
        const driver::Request info = driver::get_device_info(id);
        info.copy_to(request.bytes);
        if (!guest.ring.publish(readable, writable) || guest.device.service() != 1) return false;
        const auto used = guest.ring.pop();
        wire::Reader reader({&written, 1});
        return used && validator.check(driver::Expected(info), reader, used->length).has_value();
    };
    REQUIRE(run(1));  // the device's scratch grows once

    int answered = 0;
    std::uint64_t calls = 0;
    {
        const budget::Allocations allocations;
        for (std::uint64_t id = 2; id < 1002; ++id)
            answered += run(id) ? 1 : 0;
        calls = allocations.calls();
    }
    CHECK(answered == 1000);
    CHECK(calls == 0);
}

TEST_CASE("guest memory is given out in order, aligned, and no more than there is") {
    driver::Guest guest(std::make_unique<mock::Provider>(), {.memory_bytes = 1 << 16});
    CHECK_THROWS_AS((void)guest.memory.allocate(1 << 16), std::bad_alloc);
    const std::size_t before = guest.memory.mark();
    const driver::Block block = guest.memory.allocate(100, 4096);
    CHECK(block.guest % 4096 == 0);
    guest.memory.rewind(before);
    CHECK(guest.memory.allocate(100, 4096).guest == block.guest);
}

TEST_SUITE_END();
