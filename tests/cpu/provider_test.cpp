// SPDX-License-Identifier: MIT
//
// The provider contract, as far as it needs no pending job.
#include "cpu/rig.hpp"
#include "provider/answers.hpp"

namespace cpu::test {
namespace {

using provider::BufferDesc;
using provider::MemoryDomain;
using provider::test::busy;
using tosa::Op;
using tosa::test::bytes_of;

TEST_CASE("device info is constant and complete") {
    const Rig rig;
    const provider::DeviceInfo& info = rig.provider->device_info();
    CHECK(info.device_class == provider::DeviceClass::Other);
    CHECK(info.vendor_id == 0);
    CHECK(info.capabilities == (provider::kCapHostVisibleMemory | provider::kCapSharedMemory |
                                provider::kCapEventCancellation));
    CHECK(info.max_contexts > 0);
    CHECK(info.max_bindings_per_submission > 0);
    CHECK(info.max_artifact_bytes > 0);
    CHECK(info == Rig().provider->device_info());
}

TEST_CASE("options without room are refused") {
    CHECK_FALSE(open({.max_buffer_bytes = 0}).has_value());
    CHECK_FALSE(open({.max_program_bytes = 0}).has_value());
}

TEST_CASE("flags are unsupported") {
    const Rig rig;
    CHECK(rig.provider->create_context(1).error() == ErrorKind::Unsupported);
    CHECK(rig.provider->create_queue(*rig.context, 1).error() == ErrorKind::Unsupported);
}

TEST_CASE("a buffer is zero, aligned and what was asked for") {
    const Rig rig;
    for (const MemoryDomain domain : {MemoryDomain::Host, MemoryDomain::Shared})
        for (const std::uint64_t alignment : {1U, 16U, 4096U}) {
            CAPTURE(alignment);
            const BufferDesc desc{
                .bytes = 1000, .alignment = alignment, .domain = domain, .usage = kAllUsage};
            const auto buffer = take(rig.provider->allocate_buffer(*rig.context, desc));
            CHECK(buffer->info().desc == desc);
            CHECK(buffer->info().allocation_bytes >= desc.bytes);
            CHECK(buffer->info().alignment >= alignment);
            CHECK(buffer->info().properties ==
                  (provider::kPropertyHostVisible | provider::kPropertyDirectBinding));
            CHECK(rig.contents(*buffer, 1000) == Bytes(1000));
        }
}

TEST_CASE("a buffer is zero although its memory was used before") {
    const Rig rig;
    for (int round = 0; round < 3; ++round) {
        auto buffer = rig.buffer(4096);
        CHECK(rig.contents(*buffer, 4096) == Bytes(4096));
        const Bytes dirt(4096, std::byte{0xA5});
        Source source(dirt);
        REQUIRE(rig.provider->write_buffer(*buffer, 0, source).has_value());
        CHECK(released(rig.provider->free_buffer(std::move(buffer))));
    }
}

TEST_CASE("a buffer that cannot be had is refused") {
    const Rig rig({.max_buffer_bytes = 4096});
    const auto refusal = [&](const BufferDesc& desc) {
        return rig.provider->allocate_buffer(*rig.context, desc).error();
    };
    CHECK(refusal({.bytes = 0, .usage = 1}) == ErrorKind::InvalidArgument);
    CHECK(refusal({.bytes = 1, .usage = 0}) == ErrorKind::InvalidArgument);
    CHECK(refusal({.bytes = 1, .alignment = 0, .usage = 1}) == ErrorKind::InvalidArgument);
    CHECK(refusal({.bytes = 1, .alignment = 48, .usage = 1}) == ErrorKind::InvalidArgument);
    CHECK(refusal({.bytes = 1, .domain = MemoryDomain::Device, .usage = 1}) ==
          ErrorKind::Unsupported);
    CHECK(refusal({.bytes = 4097, .usage = 1}) == ErrorKind::ResourceLimit);
    CHECK(refusal({.bytes = 1, .alignment = 1ULL << 63, .usage = 1}) == ErrorKind::ResourceLimit);
    CHECK(rig.provider->allocate_buffer(*rig.context, {.bytes = 4096, .usage = 1}).has_value());
}

TEST_CASE("transfers stay inside the buffer and its usage, and are counted") {
    const Rig rig;
    const auto buffer = rig.buffer_of(bytes_of<char>({1, 2, 3, 4}));
    Bytes three(3);
    Source source(three);
    Sink sink(three);
    CHECK(rig.provider->write_buffer(*buffer, 2, source).error() == ErrorKind::OutOfBounds);
    CHECK(rig.provider->read_buffer(*buffer, 2, sink).error() == ErrorKind::OutOfBounds);
    CHECK(rig.provider->write_buffer(*buffer, ~0ULL, source).error() == ErrorKind::OutOfBounds);
    CHECK(rig.provider->read_buffer(*buffer, 1, sink).has_value());
    CHECK(three == bytes_of<char>({2, 3, 4}));
    CHECK(rig.provider->copy_counters().explicit_transfer_bytes == 4 + 3);

    const auto readable = rig.buffer(4, provider::kUsageTransferSource);
    const auto writable = rig.buffer(4, provider::kUsageTransferDestination);
    CHECK(rig.provider->write_buffer(*readable, 0, source).error() == ErrorKind::PermissionDenied);
    CHECK(rig.provider->read_buffer(*writable, 0, sink).error() == ErrorKind::PermissionDenied);
}

TEST_CASE("a program that cannot run is refused at load, with the reason told") {
    std::string reason;
    const Rig rig({.program_refused = [&](std::string_view why) { reason = why; }});
    const auto refusal = [&](const provider::ProgramDesc& desc, const Bytes& artifact) {
        Source source(artifact);
        return rig.provider->load_program(*rig.context, desc, source).error();
    };
    const provider::ProgramDesc good{.format = tosa::kFormat,
                                     .target = tosa::encode_target(tosa::kFloatTarget),
                                     .resident_bytes = kNoCeiling};
    const Bytes artifact = identity().file();

    provider::ProgramDesc bad = good;
    bad.format = 0x58444E50;
    CHECK(refusal(bad, artifact) == ErrorKind::Unsupported);
    bad = good;
    bad.target[3] = 1;  // TOSA 1.1
    CHECK(refusal(bad, artifact) == ErrorKind::Incompatible);
    bad = good;
    bad.target[7] = tosa::kExtensionDynamic;
    CHECK(refusal(bad, artifact) == ErrorKind::Incompatible);
    bad.target = {};
    CHECK(refusal(bad, artifact) == ErrorKind::Incompatible);
    CHECK(reason.empty());

    CHECK(refusal(good, Bytes(artifact.begin(), artifact.end() - 1)) == ErrorKind::InvalidArgument);
    CHECK(refusal(good, {}) == ErrorKind::InvalidArgument);
    CHECK(reason == "the file is empty");

    CHECK(refusal(good, identity().add_block("other", identity()).file()) ==
          ErrorKind::Unsupported);
    CHECK(reason == "2 blocks in a region, where 1 is supported");

    tosa::test::GraphBuilder graph;
    graph.input("a", {2}).output("b", {2}).op(
        Op::Custom, {"a"}, {"b"}, [](flatbuffers::FlatBufferBuilder& builder) {
            return tosa::fbs::CreateCustomAttributeDirect(builder, "name", "domain").Union();
        });
    CHECK(refusal(good, graph.file()) == ErrorKind::Unsupported);
    CHECK(reason == "CUSTOM of FP32 is not computed here");
}

TEST_CASE("an artifact longer than the limit is refused without being read") {
    class Endless final : public provider::ByteSource {
     public:
        explicit Endless(std::uint64_t size) : size_(size) {}
        [[nodiscard]] std::uint64_t size() const override { return size_; }
        [[nodiscard]] provider::Result<void> read(std::uint64_t /*offset*/,
                                                  std::span<std::byte> /*to*/) override {
            FAIL_CHECK("was read");
            return std::unexpected(ErrorKind::DeviceLost);
        }

     private:
        std::uint64_t size_;
    };
    const Rig rig;
    const provider::ProgramDesc desc{.format = tosa::kFormat,
                                     .target = tosa::encode_target(tosa::kFloatTarget),
                                     .resident_bytes = kNoCeiling};
    Endless artifact(rig.provider->device_info().max_artifact_bytes + 1);
    CHECK(rig.provider->load_program(*rig.context, desc, artifact).error() ==
          ErrorKind::ResourceLimit);
}

TEST_CASE("what a program keeps stays below its ceiling") {
    constexpr std::uint64_t kIntermediate = 1 << 20;
    tosa::test::GraphBuilder graph;
    graph.input("a", {kIntermediate / 4}).tensor("b", {kIntermediate / 4});
    graph.output("c", {kIntermediate / 4});
    graph.op(Op::Add, {"a", "a"}, {"b"}).op(Op::Add, {"b", "b"}, {"c"});
    const Bytes artifact = graph.file();

    const Rig rig({.threads = 1});
    std::uint64_t refused = artifact.size() + kIntermediate;
    std::uint64_t enough = refused + 20'000;
    CHECK(rig.try_load(artifact, 0).error() == ErrorKind::ResourceLimit);
    CHECK(rig.try_load(artifact, artifact.size()).error() == ErrorKind::ResourceLimit);
    CHECK(rig.try_load(artifact, refused).error() == ErrorKind::ResourceLimit);
    CHECK(rig.try_load(artifact, enough).has_value());

    const Rig small({.max_program_bytes = refused, .threads = 1});
    CHECK(small.try_load(artifact).error() == ErrorKind::ResourceLimit);
    CHECK(small.try_load(identity().file()).has_value());
}

// A loaded IDENTITY and one buffer of 64 bytes for its two slots.
struct Bound : Rig {
    std::unique_ptr<provider::Program> program = load(identity());
    std::unique_ptr<provider::Buffer> shared = buffer(64);
    std::vector<Binding> bindings{
        {.buffer = shared.get(), .offset = 0, .bytes = 16, .slot = 0, .access = Access::Read},
        {.buffer = shared.get(), .offset = 32, .bytes = 16, .slot = 1, .access = Access::Write}};

    // The refusal of what `spoil` makes of sound bindings.
    template <class Spoil>
    [[nodiscard]] provider::Error refusal(Spoil spoil) {
        std::vector<Binding> spoiled = bindings;
        spoil(spoiled);
        const auto event = try_submit(*program, spoiled);
        REQUIRE_FALSE(event.has_value());
        CHECK(provider->copy_counters().direct_bindings == 0);
        return event.error();
    }
};

TEST_CASE("a sound submission binds its ranges in place") {
    Bound rig;
    const Bytes in = bytes_of<std::uint32_t>({1, 2, 3, 4});
    Source source(in);
    REQUIRE(rig.provider->write_buffer(*rig.shared, 0, source).has_value());
    auto event = take(rig.try_submit(*rig.program, rig.bindings));
    CHECK(rig.wait(*event).phase == EventPhase::Complete);

    const Bytes all = rig.contents(*rig.shared, 64);
    CHECK(std::ranges::equal(std::span(all).subspan(32, 16), in));
    CHECK(std::ranges::equal(std::span(all).first(16), in));
    CHECK(std::ranges::all_of(std::span(all).subspan(48),
                              [](std::byte b) { return b == std::byte{0}; }));
    const auto counters = rig.provider->copy_counters();
    CHECK(counters.direct_bindings == 2);
    CHECK(counters.staged_direct_bindings == 0);
    CHECK(counters.staged_direct_bytes == 0);
    CHECK(released(rig.provider->destroy_event(std::move(event))));
}

TEST_CASE("a submission binds every slot once, exactly, as the program wants it") {
    Bound rig;
    using Bindings = std::vector<Binding>;
    CHECK(rig.refusal([](Bindings& b) { b.clear(); }) == ErrorKind::ResourceLimit);
    CHECK(rig.refusal([](Bindings& b) { b.resize(65, b[0]); }) == ErrorKind::ResourceLimit);
    CHECK(rig.refusal([](Bindings& b) { b[1].slot = 0; }) == ErrorKind::InvalidArgument);
    CHECK(rig.refusal([](Bindings& b) { std::swap(b[0], b[1]); }) == ErrorKind::InvalidArgument);
    CHECK(rig.refusal([](Bindings& b) { b[0].offset = 49; }) == ErrorKind::OutOfBounds);
    CHECK(rig.refusal([](Bindings& b) { b[0].offset = ~0ULL; }) == ErrorKind::OutOfBounds);
    CHECK(rig.refusal([](Bindings& b) { b.pop_back(); }) == ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[1].slot = 2; }) == ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[0].bytes = 12; }) == ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[1].bytes = 20; }) == ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[0].offset = 2; }) == ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[0].access = Access::Write; }) == ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[1].access = Access::Read; }) == ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[1].access = Access::ReadWrite; }) ==
          ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[1].offset = 12; }) == ErrorKind::Incompatible);
    CHECK(rig.refusal([](Bindings& b) { b[1].offset = 0; }) == ErrorKind::Incompatible);
}

TEST_CASE("a binding respects the usage of its buffer") {
    Bound rig;
    const auto in = rig.buffer(16, provider::kUsageProgramInput);
    const auto out = rig.buffer(16, provider::kUsageProgramOutput);
    const auto in_out =
        rig.buffer(16, provider::kUsageProgramInput | provider::kUsageProgramOutput);
    const auto try_bind = [&](provider::Buffer& read, provider::Buffer& written,
                              Access access = Access::Write) {
        std::vector<Binding> bindings = rig.bindings;
        bindings[0].buffer = &read;
        bindings[1] = {.buffer = &written, .bytes = 16, .slot = 1, .access = access};
        return rig.try_submit(*rig.program, bindings);
    };
    CHECK(try_bind(*out, *out).error() == ErrorKind::PermissionDenied);
    CHECK(try_bind(*in, *in).error() == ErrorKind::PermissionDenied);
    CHECK(try_bind(*in, *in_out, Access::ReadWrite).error() == ErrorKind::PermissionDenied);
    auto event = take(try_bind(*in, *out));
    CHECK(rig.wait(*event).phase == EventPhase::Complete);
}

TEST_CASE("objects of another context are refused") {
    Bound rig;
    auto other = take(rig.provider->create_context(0));
    const auto foreign =
        take(rig.provider->allocate_buffer(*other, {.bytes = 64, .usage = kAllUsage}));
    CHECK(rig.refusal([&](auto& b) { b[0].buffer = foreign.get(); }) == ErrorKind::InvalidArgument);
    const auto foreign_queue = take(rig.provider->create_queue(*other, 0));
    rig.queue = take(rig.provider->create_queue(*other, 0));
    CHECK(rig.refusal([](auto&) {}) == ErrorKind::InvalidArgument);
}

TEST_CASE("a context with children is not destroyed") {
    Rig rig;
    auto context = take(rig.provider->create_context(0));
    auto buffer = take(rig.provider->allocate_buffer(*context, {.bytes = 1, .usage = 1}));
    context = busy(rig.provider->destroy_context(std::move(context)));
    CHECK(released(rig.provider->free_buffer(std::move(buffer))));
    CHECK(released(rig.provider->destroy_context(std::move(context))));
}

TEST_CASE("each kind of object has its limit, and a released one makes room") {
    Rig rig;
    const provider::DeviceInfo& info = rig.provider->device_info();
    std::vector<std::unique_ptr<provider::Context>> contexts;
    while (contexts.size() + 1 < info.max_contexts)
        contexts.push_back(take(rig.provider->create_context(0)));
    CHECK(rig.provider->create_context(0).error() == ErrorKind::ResourceLimit);
    CHECK(released(rig.provider->destroy_context(std::move(contexts.back()))));
    contexts.back() = take(rig.provider->create_context(0));

    std::vector<std::unique_ptr<provider::Queue>> queues;
    while (queues.size() + 1 < info.max_queues_per_context)
        queues.push_back(take(rig.provider->create_queue(*rig.context, 0)));
    CHECK(rig.provider->create_queue(*rig.context, 0).error() == ErrorKind::ResourceLimit);
    CHECK(rig.provider->create_queue(*contexts[0], 0).has_value());

    std::vector<std::unique_ptr<provider::Buffer>> buffers;
    while (buffers.size() < info.max_buffers_per_context)
        buffers.push_back(rig.buffer(1));
    CHECK(rig.provider->allocate_buffer(*rig.context, {.bytes = 1, .usage = 1}).error() ==
          ErrorKind::ResourceLimit);
    CHECK(released(rig.provider->free_buffer(std::move(buffers.back()))));
    buffers.back() = rig.buffer(1);

    std::vector<std::unique_ptr<provider::Program>> programs;
    while (programs.size() < info.max_programs_per_context)
        programs.push_back(rig.load(identity()));
    CHECK(rig.try_load(identity().file()).error() == ErrorKind::ResourceLimit);
    CHECK(released(rig.provider->unload_program(std::move(programs.back()))));
    programs.back() = rig.load(identity());
}

}  // namespace
}  // namespace cpu::test
