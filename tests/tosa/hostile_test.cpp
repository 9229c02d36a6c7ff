// SPDX-License-Identifier: MIT
//
// Files that no writer makes. The sanitizer builds give these cases their teeth.
#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

// Every operator of this stage in one small file.
std::vector<std::byte> small_model() {
    GraphBuilder graph;
    graph.input("x", {1, 6}).output("y", {1, 2, 2});
    graph.tensor("m", {1, 2, 3}).tensor("p", {1, 2, 2}).tensor("q", {1, 2, 2});
    graph.tensor("r", {1, 2, 2});
    graph.shape("s", {1, 2, 3}).op(Op::Reshape, {"x", "s"}, {"m"});
    graph.constant("w", {1, 3, 2}, bytes_of<float>({1, 2, 3, 4, 5, 6})).matmul("m", "w", "p");
    graph.constant("bias", {1, 1, 2}, bytes_of<float>({1, 2})).op(Op::Add, {"p", "bias"}, {"q"});
    graph.clamp("q", "r", 0, 6).op(Op::Identity, {"r"}, {"y"});
    return graph.file();
}

// A copy of exact size, so that a sanitizer sees the first byte past it.
bool accepted(std::span<const std::byte> file) {
    const std::vector<std::byte> copy(file.begin(), file.end());
    const auto graph = build_graph(copy, kFloatTarget);
    CHECK((graph.has_value() || !graph.error().message.empty()));
    return graph.has_value();
}

TEST_CASE("no truncation of a valid file is accepted") {
    const auto file = small_model();
    REQUIRE(accepted(file));
    for (std::size_t size = 0; size < file.size(); ++size) {
        CAPTURE(size);
        CHECK_FALSE(accepted(std::span(file).first(size)));
    }
}

TEST_CASE("a file with one byte changed is accepted or refused, never followed out of bounds") {
    auto file = small_model();
    for (std::size_t i = 0; i < file.size(); ++i)
        for (const unsigned flip : {0x01U, 0x04U, 0x80U, 0xFFU}) {
            const std::byte original = file[i];
            file[i] ^= static_cast<std::byte>(flip);
            (void)accepted(file);
            file[i] = original;
        }
    CHECK(accepted(file));
}

// Many operators that share one vector of names: small on disk, but each visit of
// the vector would count.
TEST_CASE("names shared by many operators count once for each") {
    flatbuffers::FlatBufferBuilder builder;
    const auto name = builder.CreateString("t");
    const auto names = builder.CreateVector(std::vector(40'000, name));
    const auto attribute = empty_attribute(builder);
    const auto op = fbs::CreateTosaOperator(builder, fbs::Op::IDENTITY,
                                            fbs::Attribute::IdentityAttribute, attribute, names);
    const auto operators = builder.CreateVector(std::vector(40'000, op));
    const auto block_name = builder.CreateString("b");
    const auto block = fbs::CreateTosaBasicBlock(builder, block_name, operators);
    const auto region =
        fbs::CreateTosaRegion(builder, block_name, builder.CreateVector(std::vector{block}));
    const auto version = fbs::CreateVersion(builder, 1, 0, 0, false);
    fbs::FinishTosaGraphBuffer(
        builder, fbs::CreateTosaGraph(builder, version, builder.CreateVector(std::vector{region})));

    check_refused(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())),
                  GraphError::Kind::LimitExceeded,
                  "more than 8000000 operands and block inputs and outputs");
}

}  // namespace
}  // namespace tosa::test
