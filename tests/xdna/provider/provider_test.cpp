// SPDX-License-Identifier: MIT
//
// Contexts, buffers and programs.
#include <array>

#include "xdna/provider/rig.hpp"

namespace xdna::test {
namespace {

// Gives half of what it says.
class BrokenSource final : public provider::ByteSource {
 public:
    explicit BrokenSource(const Bytes& bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] Result<void> read(std::uint64_t, std::span<std::byte> to) override {
        std::copy_n(bytes_.begin(), to.size() / 2, to.begin());
        return std::unexpected(ErrorKind::DeviceLost);
    }

 private:
    const Bytes& bytes_;
};

ErrorKind allocation_error(const Rig& rig, const provider::BufferDesc& desc) {
    return error_of(rig->allocate_buffer(*rig.context, desc));
}

TEST_SUITE("xdna/provider") {
    TEST_CASE("the device is described as what it is") {
        const Rig rig;
        const provider::DeviceInfo& info = rig->device_info();
        CHECK(std::string(info.uuid.begin(), info.uuid.end()) ==
              std::string("amd.xdna.npu") + std::string(4, '\0'));
        CHECK(info.device_class == provider::DeviceClass::Npu);
        CHECK(info.vendor_id == 0x1022);
        CHECK(info.device_id == 0x17F0);
        CHECK(info.capabilities == (provider::kCapHostVisibleMemory | provider::kCapSharedMemory));
        CHECK(info.max_contexts == 64);
        CHECK(info.max_buffers_per_context == 1024);
        CHECK(info.max_programs_per_context == 64);
        CHECK(info.max_queues_per_context == 64);
        CHECK(info.max_events_per_context == 4096);
        CHECK(info.max_bindings_per_submission == 256);
        CHECK(info.max_buffer_bytes == 16ULL << 30);
        CHECK(info.max_artifact_bytes == 256ULL << 20);
    }

    TEST_CASE("a kernel computes, and nothing of it stays") {
        Rig rig;
        auto program = rig.load(Int8Matmul{{2, 3, 2}, -2, 3});
        auto a = rig.buffer(bytes_of<std::int8_t>({1, 2, 3, -4, 5, -6, 0, 0}));
        auto b = rig.buffer(bytes_of<std::int8_t>({7, -8, 9, 10, -11, 12, 0, 0}));
        auto c = rig.buffer(16);
        rig.finish(rig.submit(*program, {{a.get(), 0, 8, 0, Access::Read},
                                         {b.get(), 0, 8, 1, Access::Read},
                                         {c.get(), 0, 16, 2, Access::Write}}));

        CHECK(rig.read(*c) == bytes_of<std::int32_t>({-34, 40, 90, 35}));
        CHECK(rig->copy_counters().direct_bindings == 3);
        CHECK(rig->copy_counters().explicit_transfer_bytes == 32);
        for (auto* buffer : {&a, &b, &c})
            rig.free(std::move(*buffer));
        rig.unload(std::move(program));
    }

    TEST_CASE("flags are unsupported, and no more objects than were promised are made") {
        Rig rig;
        const provider::DeviceInfo& info = rig->device_info();
        CHECK(error_of(rig->create_context(1)) == ErrorKind::Unsupported);
        CHECK(error_of(rig->create_queue(*rig.context, 1)) == ErrorKind::Unsupported);

        std::vector<std::unique_ptr<provider::Context>> contexts;
        for (std::uint32_t i = 1; i < info.max_contexts; ++i)
            contexts.push_back(make(rig->create_context(0)));
        CHECK(error_of(rig->create_context(0)) == ErrorKind::ResourceLimit);
        for (auto& context : contexts)
            released(rig->destroy_context(std::move(context)));

        std::vector<std::unique_ptr<provider::Queue>> queues;
        for (std::uint32_t i = 1; i < info.max_queues_per_context; ++i)
            queues.push_back(make(rig->create_queue(*rig.context, 0)));
        CHECK(error_of(rig->create_queue(*rig.context, 0)) == ErrorKind::ResourceLimit);
        for (auto& queue : queues)
            released(rig->destroy_queue(std::move(queue)));

        std::vector<std::unique_ptr<provider::Program>> programs;
        for (std::uint32_t i = 0; i < info.max_programs_per_context; ++i)
            programs.push_back(rig.load());
        CHECK(error_of(rig.try_load(kCopy)) == ErrorKind::ResourceLimit);
        for (auto& program : programs)
            rig.unload(std::move(program));

        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        for (std::uint32_t i = 0; i < info.max_buffers_per_context; ++i)
            buffers.push_back(rig.buffer(4));
        CHECK(allocation_error(rig, {.bytes = 4, .usage = kEveryUsage}) ==
              ErrorKind::ResourceLimit);
        for (auto& buffer : buffers)
            rig.free(std::move(buffer));
    }

    TEST_CASE("a context with anything in it is not destroyed") {
        Rig rig;
        auto* const context = rig.context.get();
        busy(rig->destroy_context(std::move(rig.context)), rig.context, context);
    }

    TEST_CASE("a buffer is zero, whole words, and as aligned as its address says") {
        Rig rig;
        auto buffer = rig.buffer(6);
        const provider::AllocationInfo& info = buffer->info();
        CHECK(info.desc == provider::BufferDesc{.bytes = 6, .usage = kEveryUsage});
        CHECK(info.allocation_bytes == 8);
        CHECK(info.properties ==
              (provider::kPropertyHostVisible | provider::kPropertyDirectBinding));
        const auto address = reinterpret_cast<std::uintptr_t>(
            static_cast<const BufferObject&>(*buffer).storage->memory->bytes().data());
        CHECK(address % info.alignment == 0);
        CHECK(address % (2 * info.alignment) != 0);
        CHECK(info.alignment >= 4096);
        CHECK(rig.read(*buffer) == Bytes(6));
        rig.free(std::move(buffer));
    }

    TEST_CASE("a buffer that cannot be is refused") {
        const Rig rig;
        CHECK(allocation_error(rig, {.bytes = 0, .usage = 1}) == ErrorKind::InvalidArgument);
        CHECK(allocation_error(rig, {.bytes = 4, .alignment = 3, .usage = 1}) ==
              ErrorKind::InvalidArgument);
        CHECK(allocation_error(rig, {.bytes = 4, .usage = 0}) == ErrorKind::InvalidArgument);
        CHECK(allocation_error(rig, {.bytes = 4, .usage = 1U << 5}) == ErrorKind::InvalidArgument);
        CHECK(allocation_error(rig, {.bytes = 4, .domain = MemoryDomain::Device, .usage = 1}) ==
              ErrorKind::Unsupported);
        CHECK(allocation_error(rig, {.bytes = (16ULL << 30) + 1, .usage = 1}) ==
              ErrorKind::ResourceLimit);
        CHECK(allocation_error(rig, {.bytes = 4, .alignment = 1ULL << 40, .usage = 1}) ==
              ErrorKind::Incompatible);
        CHECK(rig.alive() == 1);  // the device
    }

    TEST_CASE("transfers keep to the buffer and to what it may be used for") {
        Rig rig;
        const Bytes two = bytes_of<std::uint16_t>({0x1234});
        auto buffer = rig.buffer(6, provider::kUsageTransferSource);
        provider::SpanSource source(two);
        CHECK(error_of(rig->write_buffer(*buffer, 0, source)) == ErrorKind::PermissionDenied);
        rig.free(std::move(buffer));

        buffer = rig.buffer(6, provider::kUsageTransferDestination);
        Bytes room(2);
        provider::SpanSink sink(room);
        CHECK(error_of(rig->read_buffer(*buffer, 0, sink)) == ErrorKind::PermissionDenied);
        CHECK(error_of(rig->write_buffer(*buffer, 5, source)) == ErrorKind::OutOfBounds);
        CHECK(error_of(rig->write_buffer(*buffer, ~0ULL, source)) == ErrorKind::OutOfBounds);
        CHECK(rig->write_buffer(*buffer, 4, source));
        rig.free(std::move(buffer));
    }

    TEST_CASE("a transfer of nothing asks XRT for nothing") {
        Rig rig;
        auto buffer = rig.buffer(8);
        const auto syncs = xrt_double::count("sync");
        rig.write(*buffer, 8, {});
        Bytes nothing;
        provider::SpanSink sink(nothing);
        CHECK(rig->read_buffer(*buffer, 8, sink));
        CHECK(xrt_double::count("sync") == syncs);
        rig.free(std::move(buffer));
    }

    TEST_CASE("what a write changes is what the device sees change") {
        Rig rig;
        Pair pair(rig, payload(1));
        auto program = rig.load();
        Bytes expected = payload(1);
        const Bytes two = bytes_of<std::uint16_t>({0x1234});
        std::ranges::copy(two, expected.begin() + 3);
        rig.write(*pair.in, 3, two);
        rig.finish(rig.submit(*program, pair.bindings()));
        CHECK(rig.read(*pair.out) == expected);
        pair.free(rig);
        rig.unload(std::move(program));
    }

    TEST_CASE("after a write that failed on the way, host and device see the same") {
        Rig rig;
        Pair pair(rig, payload(1));
        auto program = rig.load();
        const Bytes other = payload(2);
        BrokenSource source(other);
        CHECK(error_of(rig->write_buffer(*pair.in, 0, source)) == ErrorKind::DeviceLost);
        CHECK(rig.losses == 0);  // the source's, not the device's

        const Bytes seen = Rig::seen(*pair.in);
        CHECK(seen != payload(1));
        rig.finish(rig.submit(*program, pair.bindings()));
        CHECK(rig.read(*pair.out) == seen);
        pair.free(rig);
        rig.unload(std::move(program));
    }

    TEST_CASE("a run and the bytes beside what it writes do not harm each other") {
        Rig rig;
        auto in = rig.buffer(payload(1));
        auto out = rig.buffer(24);
        auto program = rig.load();
        rig.write(*out, 0, payload(2));
        rig.write(*out, 16, payload(3));
        rig.finish(rig.submit(
            *program, {{in.get(), 0, 8, 0, Access::Read}, {out.get(), 8, 8, 1, Access::Write}}));
        const auto write_more = bytes_of<std::uint8_t>({9});
        rig.write(*out, 7, write_more);
        rig.write(*out, 16, write_more);

        Bytes expected = payload(2);
        for (const Bytes& more : {payload(1), payload(3)})
            expected.insert(expected.end(), more.begin(), more.end());
        expected[7] = expected[16] = std::byte{9};
        CHECK(rig.read(*out) == expected);
        rig.free(std::move(in));
        rig.free(std::move(out));
        rig.unload(std::move(program));
    }

    TEST_CASE("handles that were never released go after the provider, in any order") {
        std::array<int, 5> order{0, 1, 2, 3, 4};
        do {
            Rig rig;
            auto program = rig.load();
            Pair pair(rig);
            auto event = rig.submit(*program, pair.bindings());
            CHECK(rig.wait(*event).phase == EventPhase::Complete);
            rig.close();
            for (const int next : order) {
                if (next == 0) event.reset();
                if (next == 1) program.reset();
                if (next == 2) pair.in.reset(), pair.out.reset();
                if (next == 3) rig.queue.reset();
                if (next == 4) rig.context.reset();
            }
        } while (std::ranges::next_permutation(order).found);
    }
}

}  // namespace
}  // namespace xdna::test
