// SPDX-License-Identifier: MIT
#include <cerrno>
#include <optional>
#include <type_traits>

#include "rig.hpp"

using namespace fake;

template <class T>
constexpr bool kMoveOnly = std::is_nothrow_move_constructible_v<T> &&
                           std::is_nothrow_move_assignable_v<T> && !std::is_copy_constructible_v<T>;
static_assert(kMoveOnly<accel::Buffer> && kMoveOnly<accel::Program> && kMoveOnly<accel::Queue> &&
              kMoveOnly<accel::Event> && kMoveOnly<accel::Submission>);
static_assert(kMoveOnly<accel::Context> && kMoveOnly<accel::Device>);

TEST_SUITE("libaccel/object") {
    TEST_CASE("a context lives until everything made from it is gone") {
        Kernel kernel;
        const auto device = must(accel::Device::open(kernel));
        std::optional<accel::Context> context = must(device.create_context());
        std::optional<accel::Buffer> buffer = must(context->create_buffer(kBuffer));

        context.reset();
        CHECK(kernel.live() == Live{.files = 1, .contexts = 1, .buffers = 1});
        CHECK(buffer->write(0, kArtifactBytes).has_value());

        buffer.reset();
        CHECK(kernel.live() == Live{.files = 1});
    }

    TEST_CASE("a handle number that the kernel used again is released by its new owner only") {
        Kernel kernel;
        const auto device = must(accel::Device::open(kernel));
        const auto context = must(device.create_context());
        auto event_or_queue = must(context.create_queue());
        auto moved = std::move(event_or_queue);
        moved = must(context.create_queue());  // releases the first, whose number is free now
        const auto reused = must(context.create_queue());

        {
            const auto gone = std::move(moved);
        }
        CHECK(kernel.live().queues == 1);
        CHECK(kernel.count(Call::QueueDestroy) == 2);
    }

    TEST_CASE("assigning over an object releases it at once, not when the source goes") {
        Rig rig;
        auto source = must(rig.context.create_queue());
        rig.queue = std::move(source);
        CHECK(rig.kernel.live().queues == 1);
    }

    TEST_CASE("assigning over an object in another context releases it before its context") {
        Rig rig;
        auto other = must(rig.device.create_context());
        auto buffer = must(other.create_buffer(kBuffer));
        other = must(rig.device.create_context());

        buffer = must(rig.context.create_buffer(kBuffer));

        CHECK(rig.kernel.live().buffers == 3);
        CHECK(rig.kernel.live().contexts == 2);
        CHECK(rig.kernel.count(Call::BufClose) == 1);
        CHECK(rig.kernel.count(Call::CtxDestroy) == 1);
    }

    TEST_CASE("an object that was moved from answers EBADF without a system call") {
        Rig rig;
        auto context = std::move(rig.context);
        auto input = std::move(rig.input);
        CHECK(code(rig.context.create_queue()) == EBADF);
        CHECK(code(rig.context.create_buffer(kBuffer)) == EBADF);
        CHECK(code(rig.context.load_program(kArtifact)) == EBADF);
        CHECK(code(rig.input.write(0, kArtifactBytes)) == EBADF);
        CHECK(code(rig.submit()) == EBADF);
        auto queue = std::move(rig.queue);
        CHECK(code(rig.submit()) == EBADF);
        CHECK(rig.kernel.count(Call::QueueCreate) == 1);
        CHECK(rig.kernel.count(Call::BufWrite) == 0);
        CHECK(rig.kernel.count(Call::Submit) == 0);
    }

    TEST_CASE("what the kernel refuses to create leaves nothing") {
        Rig rig;
        const Live before = rig.kernel.live();
        for (const int error : {ENOMEM, ENOSPC, ENODEV, EIO, ETIME}) {
            CAPTURE(error);
            rig.kernel.fail(Call::BufCreate, 1, error);
            rig.kernel.fail(Call::ProgLoad, 1, error);
            rig.kernel.fail(Call::QueueCreate, 1, error);
            rig.kernel.fail(Call::Submit, 1, error);
            CHECK(code(rig.context.create_buffer(kBuffer)) == error);
            CHECK(code(rig.context.load_program(kArtifact)) == error);
            CHECK(code(rig.context.create_queue()) == error);
            CHECK(code(rig.submit()) == error);
        }
        CHECK(rig.kernel.live() == before);
    }

    TEST_CASE("a program arrives on the device as it was given") {
        Rig rig;
        Program loaded;
        rig.kernel.device.load = [&](const Program& program) {
            loaded = program;
            return 0;
        };
        const std::array bytes{std::byte{1}, std::byte{2}, std::byte{3}};
        accel::Artifact artifact{
            .format = 0x544F5341, .target = {}, .bytes = bytes, .resident_bytes = 1ULL << 40};
        for (std::uint32_t i = 0; i < artifact.target.size(); ++i)
            artifact.target[i] = 100 + i;

        CHECK(rig.context.load_program(artifact).has_value());

        CHECK(loaded.format == artifact.format);
        CHECK(loaded.target == artifact.target);
        CHECK(std::ranges::equal(loaded.bytes, bytes));
        CHECK(loaded.resident_bytes == artifact.resident_bytes);
    }

    TEST_CASE("what the device says about a program reaches the caller unchanged") {
        Rig rig;
        for (const int error : {EOPNOTSUPP, ENOEXEC, EINVAL, ENOSPC}) {
            rig.kernel.device.load = [error](const Program&) { return error; };
            CHECK(code(rig.context.load_program(kArtifact)) == error);
        }
    }
}
