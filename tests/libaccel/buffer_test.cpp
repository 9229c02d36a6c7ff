// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <vector>

#include "rig.hpp"

using namespace fake;

TEST_SUITE("libaccel/buffer") {
    TEST_CASE("bytes written at an offset are read back, and their neighbours stay") {
        Rig rig;
        const std::array sent{std::byte{1}, std::byte{2}, std::byte{3}};

        CHECK(must(rig.input.write(61, sent)) == 3);

        std::array<std::byte, 4> received{};
        CHECK(must(rig.input.read(60, received)) == 4);
        CHECK(received == std::array{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3}});
    }

    TEST_CASE("a transfer that does not fit answers ERANGE, one whose end overflows EINVAL") {
        Rig rig;
        std::array<std::byte, 4> bytes{};
        for (const std::uint64_t offset : {61ULL, 64ULL, 1ULL << 63, ~0ULL - 4}) {
            CAPTURE(offset);
            CHECK(code(rig.input.write(offset, bytes)) == ERANGE);
            CHECK(code(rig.input.read(offset, bytes)) == ERANGE);
        }
        for (const std::uint64_t offset : {~0ULL - 3, ~0ULL}) {
            CAPTURE(offset);
            CHECK(code(rig.input.write(offset, bytes)) == EINVAL);
            CHECK(code(rig.input.read(offset, bytes)) == EINVAL);
        }
    }

    TEST_CASE("an empty transfer answers EINVAL without a system call") {
        Rig rig;
        CHECK(code(rig.input.write(0, {})) == EINVAL);
        CHECK(code(rig.input.read(0, {})) == EINVAL);
        CHECK(rig.kernel.count(Call::BufWrite) == 0);
        CHECK(rig.kernel.count(Call::BufRead) == 0);
    }

    TEST_CASE("a transfer that a signal cut short says how much it did") {
        Rig rig;
        rig.kernel.device.longest_transfer = 5;
        std::array<std::byte, 8> bytes{};
        CHECK(must(rig.input.write(0, bytes)) == 5);
        CHECK(must(rig.input.read(0, bytes)) == 5);
    }

    TEST_CASE("a direction that the usage does not include answers EPERM") {
        Rig rig;
        auto desc = kBuffer;
        desc.usage = accel::Usage::TransferSource;
        auto buffer = must(rig.context.create_buffer(desc));
        std::array<std::byte, 8> bytes{};
        CHECK(code(buffer.write(0, bytes)) == EPERM);
        CHECK(must(buffer.read(0, bytes)) == 8);
    }

    TEST_CASE("a buffer that a pending event holds answers EBUSY until the event has ended") {
        Rig rig;
        rig.kernel.device.hold = true;
        const auto submission = must(rig.submit());
        std::array<std::byte, 8> bytes{};
        CHECK(code(rig.input.write(0, bytes)) == EBUSY);
        CHECK(code(rig.output.read(0, bytes)) == EBUSY);

        rig.kernel.end_pending({accel::EventState::Phase::Complete});
        CHECK(must(rig.input.write(0, bytes)) == 8);
        CHECK(must(rig.output.read(0, bytes)) == 8);
    }

    TEST_CASE("the domain, the size and the alignment are the device's to judge") {
        Rig rig;
        rig.kernel.device.info.capabilities = 1;
        auto desc = kBuffer;
        CHECK(code(rig.context.create_buffer(desc)) == EOPNOTSUPP);
        desc.domain = accel::Domain::Host;
        CHECK(code(rig.context.create_buffer(desc)) == 0);
        desc.alignment = 3;
        CHECK(code(rig.context.create_buffer(desc)) == EINVAL);
        desc.alignment = 1;
        desc.size = 0;
        CHECK(code(rig.context.create_buffer(desc)) == EINVAL);
        desc.size = ~0ULL;
        CHECK(code(rig.context.create_buffer(desc)) == ENOSPC);
    }
}
