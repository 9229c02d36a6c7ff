// SPDX-License-Identifier: MIT
//
// What loads, and the hardware contexts that it takes.
#include "tosa/graph_builder.hpp"
#include "xdna/provider/rig.hpp"

namespace xdna::test {
namespace {

using Found = xrt_double::Store::Found;

// Each of another xclbin.
Spec copy_of(std::uint32_t words) {
    return Int8Identity{4 * words};
}

Bytes tosa_copy(std::int32_t elements) {
    tosa::test::GraphBuilder graph;
    graph.input("a", {elements}, tosa::DType::Int8).output("b", {elements}, tosa::DType::Int8);
    graph.op(tosa::Op::Identity, {"a"}, {"b"});
    return graph.file();
}

constexpr tosa::Target kIntegers = kTargets[2];

Result<std::unique_ptr<provider::Program>> try_tosa(Rig& rig, const Bytes& artifact,
                                                    std::uint64_t resident_bytes = kNoCeiling,
                                                    const tosa::Target& target = kIntegers) {
    return rig.try_load(artifact, resident_bytes, tosa::kFormat, tosa::encode_target(target));
}

TEST_SUITE("xdna/program") {
    TEST_CASE("a graph of a template loads the store's binary") {
        Rig rig;
        auto program = make(try_tosa(rig, tosa_copy(8)));
        CHECK(rig.store->compiles == 1);
        Pair pair(rig, payload(7));
        rig.finish(rig.submit(*program, pair.bindings()));
        CHECK(rig.read(*pair.out) == payload(7));
        pair.free(rig);
        rig.unload(std::move(program));
    }

    TEST_CASE("programs for a part of one of the targets are served, for others not") {
        Rig rig;
        for (const tosa::Target& target : kTargets)  // INT8 may be moved in either profile
            rig.unload(make(try_tosa(rig, tosa_copy(8), kNoCeiling, target)));
        rig.unload(make(try_tosa(rig, tosa_copy(8), kNoCeiling, tosa::kFloatTarget)));
        const tosa::Target both{.profiles = tosa::kProfileInteger | tosa::kProfileFloat};
        CHECK(error_of(try_tosa(rig, tosa_copy(8), kNoCeiling, both)) == ErrorKind::Incompatible);
        const tosa::Target more{.profiles = tosa::kProfileInteger,
                                .extensions = tosa::kExtensionInt16};
        CHECK(error_of(try_tosa(rig, tosa_copy(8), kNoCeiling, more)) == ErrorKind::Incompatible);
    }

    TEST_CASE("what is no template is refused with its reason, and asks nobody for a kernel") {
        Rig rig;
        tosa::test::GraphBuilder graph;
        graph.input("a", {8}, tosa::DType::Int8).output("b", {8}, tosa::DType::Int8);
        graph.op(tosa::Op::Abs, {"a"}, {"b"});
        CHECK_FALSE(try_tosa(rig, graph.file()));
        CHECK(error_of(try_tosa(rig, tosa_copy(7))) == ErrorKind::Unsupported);
        CHECK(rig.refusals.size() == 2);
        CHECK(error_of(try_tosa(rig, Bytes(64))) == ErrorKind::InvalidArgument);
        CHECK(rig.store->compiles == 0);
    }

    TEST_CASE("what the store says is the answer, with the reason for the operator") {
        Rig rig;
        const auto artifact = tosa_copy(8);
        rig.store->answer = [](const Spec&, Effort) -> Found {
            return std::unexpected(NoBinary{ErrorKind::Unsupported, "nobody compiles"});
        };
        CHECK(error_of(try_tosa(rig, artifact)) == ErrorKind::Unsupported);
        REQUIRE(rig.refusals.size() == 1);
        CHECK(rig.refusals[0].contains("int8-identity"));
        CHECK(rig.refusals[0].contains("nobody compiles"));

        rig.store->answer = [](const Spec&, Effort) -> Found {
            return std::unexpected(NoBinary{Error(kErrorDomain, 77), "it crashed"});
        };
        const auto failed = try_tosa(rig, artifact);
        REQUIRE_FALSE(failed);
        CHECK(failed.error() == Error(kErrorDomain, 77));

        rig.store->answer = [](const Spec&, Effort) -> Found {
            return xrt_double::binary(copy_of(4));
        };
        CHECK(error_of(try_tosa(rig, artifact)) == ErrorKind::External);
        CHECK(rig.refusals.size() == 3);
    }

    TEST_CASE("a program that needs more than it may keep is refused") {
        Rig rig;
        const Binary binary = xrt_double::binary(kCopy);
        const std::uint64_t needs = binary.xclbin.size() + 4 * binary.instructions.size();
        const auto raw = to_container(binary);
        CHECK(error_of(rig.try_load(raw, needs - 1)) == ErrorKind::ResourceLimit);
        CHECK(error_of(try_tosa(rig, tosa_copy(8), needs - 1)) == ErrorKind::ResourceLimit);
        CHECK(xrt_double::count("hw_context") == 0);
        rig.unload(make(rig.try_load(raw, needs)));
        rig.unload(make(try_tosa(rig, tosa_copy(8), needs)));
    }

    TEST_CASE("raw binaries load where they may, and nothing else does") {
        Rig rig;
        const auto raw = to_container(xrt_double::binary(kCopy));
        rig.unload(make(rig.try_load(raw)));
        CHECK(error_of(rig.try_load(Bytes(raw.begin(), raw.end() - 1))) ==
              ErrorKind::InvalidArgument);
        CHECK(error_of(rig.try_load(raw, kNoCeiling, kBinaryFormat + 1)) == ErrorKind::Unsupported);

        Rig careful({}, {}, false);
        CHECK(error_of(careful.try_load(raw)) == ErrorKind::Unsupported);
        CHECK(xrt_double::count("hw_context") == 0);
    }

    TEST_CASE("an artifact beyond the limits is not read") {
        class Endless final : public provider::ByteSource {
         public:
            [[nodiscard]] std::uint64_t size() const override { return bytes; }
            [[nodiscard]] Result<void> read(std::uint64_t, std::span<std::byte>) override {
                FAIL("it was read");
                return {};
            }
            std::uint64_t bytes = (256ULL << 20) + 1;
        } source;
        Rig rig;
        CHECK(error_of(rig->load_program(*rig.context, {.format = tosa::kFormat}, source)) ==
              ErrorKind::ResourceLimit);
        source.bytes = kBinaryBytes + 1;
        CHECK(error_of(rig->load_program(*rig.context, {.format = kBinaryFormat}, source)) ==
              ErrorKind::ResourceLimit);
    }

    TEST_CASE("programs of one xclbin share a hardware context") {
        Rig rig;
        auto one = rig.load();
        auto other_guest = make(rig->create_context(0));
        const auto raw = to_container(xrt_double::binary(kCopy));
        provider::SpanSource again(raw);
        auto two = make(rig->load_program(
            *other_guest, {.format = kBinaryFormat, .resident_bytes = kNoCeiling}, again));
        CHECK(xrt_double::count("hw_context") == 1);
        auto different = rig.load(copy_of(4));
        CHECK(xrt_double::count("hw_context") == 2);
        rig.unload(std::move(one));
        rig.unload(std::move(different));
        released(rig->unload_program(std::move(two)));
        released(rig->destroy_context(std::move(other_guest)));
    }

    TEST_CASE("a few contexts that nobody uses are kept, the latest of them") {
        Rig rig;
        constexpr std::uint32_t kAll = ContextPool::kIdle + 2;
        for (std::uint32_t i = 1; i <= kAll; ++i)
            rig.unload(rig.load(copy_of(i)));
        CHECK(xrt_double::count("hw_context") == kAll);
        CHECK(xrt_double::count("live.hw_context") == ContextPool::kIdle);
        rig.unload(rig.load(copy_of(3)));
        CHECK(xrt_double::count("hw_context") == kAll);
        rig.unload(rig.load(copy_of(2)));
        CHECK(xrt_double::count("hw_context") == kAll + 1);
        rig.unload(rig.load(copy_of(3)));  // the last one used stayed
        CHECK(xrt_double::count("hw_context") == kAll + 1);
    }

    TEST_CASE("idle contexts make room, one for each that is refused; then nothing does") {
        Rig rig("contexts=3");
        auto used = rig.load(copy_of(1));
        rig.unload(rig.load(copy_of(2)));
        rig.unload(rig.load(copy_of(3)));
        CHECK(xrt_double::count("live.hw_context") == 3);

        auto fourth = rig.load(copy_of(4));  // instead of the second
        CHECK(xrt_double::count("hw_context") == 5);
        auto third = rig.load(copy_of(3));
        CHECK(xrt_double::count("hw_context") == 5);
        CHECK(error_of(rig.try_load(copy_of(5))) == ErrorKind::ResourceLimit);
        CHECK(xrt_double::count("hw_context") == 6);
        CHECK(xrt_double::count("live.hw_context") == 3);

        Pair pair(rig, Bytes(4, std::byte{5}));
        rig.finish(rig.submit(*used, pair.bindings()));
        CHECK(rig.read(*pair.out) == Bytes(4, std::byte{5}));
        pair.free(rig);
        for (auto* program : {&used, &third, &fourth})
            rig.unload(std::move(*program));
    }

    TEST_CASE("a context is not given up for one that fails otherwise") {
        Rig rig("hw_context#2=runtime");
        rig.unload(rig.load(copy_of(1)));
        CHECK_FALSE(rig.try_load(copy_of(2)));
        CHECK(xrt_double::count("hw_context") == 2);
        CHECK(xrt_double::count("live.hw_context") == 1);
    }
}

}  // namespace
}  // namespace xdna::test
