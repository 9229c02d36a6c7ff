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

// Regions, blocks, control flow and variables in one small file.
std::vector<std::byte> small_module() {
    GraphBuilder branch;
    branch.input("x", {2}).output("y", {2}).variable("v", "state", {2});
    branch.find("v").data = bytes_of({1.0F, 2.0F});
    branch.op(Op::VariableRead, {}, {"v"}).op(Op::Add, {"v", "x"}, {"v"});
    branch.op(Op::VariableWrite, {"v"}, {}).op(Op::Identity, {"v"}, {"y"});
    GraphBuilder graph;
    graph.input("go", {1}, DType::Bool).input("a", {2}).output("b", {2});
    // A name of seven, which lies last in the file: nothing pads it.
    graph.cond_if({"go", "a"}, {"b"}, "left___", "right");
    return graph.add_region("left___", branch)
        .add_region("right", branch)
        .add_block("spare", identity())
        .file();
}

// A copy of exact size, so that a sanitizer sees the first byte past it.
bool accepted(std::span<const std::byte> file) {
    const std::vector<std::byte> copy(file.begin(), file.end());
    const auto graph = build_graph(copy, kEverything);
    CHECK((graph.has_value() || !graph.error().message.empty()));
    return graph.has_value();
}

TEST_CASE("no truncation of a valid file is accepted") {
    std::vector<std::byte> file;
    SUBCASE("one block") {
        file = small_model();
    }
    SUBCASE("several blocks") {
        file = small_module();
    }
    REQUIRE(accepted(file));
    for (std::size_t size = 0; size < file.size(); ++size) {
        CAPTURE(size);
        CHECK_FALSE(accepted(std::span(file).first(size)));
    }
}

TEST_CASE("a file with one byte changed is accepted or refused, never followed out of bounds") {
    std::vector<std::byte> file;
    SUBCASE("one block") {
        file = small_model();
    }
    SUBCASE("several blocks") {
        file = small_module();
    }
    for (std::size_t i = 0; i < file.size(); ++i)
        for (const unsigned flip : {0x01U, 0x04U, 0x80U, 0xFFU}) {
            const std::byte original = file[i];
            file[i] ^= static_cast<std::byte>(flip);
            (void)accepted(file);
            file[i] = original;
        }
    CHECK(accepted(file));
}

// Ends a file whose only block is made of these.
std::vector<std::byte> finish(
    flatbuffers::FlatBufferBuilder& builder,
    flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fbs::TosaOperator>>> operators,
    flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fbs::TosaTensor>>> tensors = 0) {
    const auto name = builder.CreateString("b");
    const auto block = fbs::CreateTosaBasicBlock(builder, name, operators, tensors);
    const auto region =
        fbs::CreateTosaRegion(builder, name, builder.CreateVector(std::vector{block}));
    const auto version = fbs::CreateVersion(builder, 1, 0, 0, false);
    fbs::FinishTosaGraphBuffer(
        builder, fbs::CreateTosaGraph(builder, version, builder.CreateVector(std::vector{region})));
    const auto view = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {view.begin(), view.end()};
}

// One IDENTITY, as often as asked, that reads `name` so many times.
std::vector<std::byte> shared_operator(std::size_t operators, const std::string& name,
                                       std::size_t reads) {
    flatbuffers::FlatBufferBuilder builder;
    const auto text = builder.CreateString(name);
    const auto names = builder.CreateVector(std::vector(reads, text));
    const auto attribute = empty_attribute(builder);
    const auto op = fbs::CreateTosaOperator(builder, fbs::Op::IDENTITY,
                                            fbs::Attribute::IdentityAttribute, attribute, names);
    const auto dims = builder.CreateVector(Dims{1});
    const auto tensor = fbs::CreateTosaTensor(builder, text, dims, fbs::DType::FP32);
    const auto list = builder.CreateVector(std::vector(operators, op));
    return finish(builder, list, builder.CreateVector(std::vector{tensor}));
}

// Many operators that share one vector of names: small on disk, but each visit of
// the vector would count.
TEST_CASE("names shared by many operators count once for each") {
    check_refused(shared_operator(40'000, "t", 40'000), Code::LimitExceeded,
                  "more than 8000000 operands and block inputs and outputs");
}

// Each lookup compares the name: what counts is how often, not where it is stored.
TEST_CASE("a long name counts as often as it is used") {
    check_refused(shared_operator(1'000, std::string(1'000, 't'), 1'000), Code::LimitExceeded,
                  "region 'b', block 'b': operator 536 (IDENTITY): more than 536870912 bytes of "
                  "names and data");
}

TEST_CASE("too many tables are refused by name, shared or not") {
    check_refused(shared_operator(1'100'000, "t", 0), Code::LimitExceeded,
                  "more than 1000000 operators");
    // An operator and its attribute are two.
    check_refused(shared_operator(600'000, "t", 0), Code::LimitExceeded,
                  "more than 1000000 tables");

    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<fbs::TosaOperator>> operators;
    for (int i = 0; i < 550'000; ++i) {
        const auto attribute = empty_attribute(builder);
        operators.push_back(fbs::CreateTosaOperator(builder, fbs::Op::VARIABLE,
                                                    fbs::Attribute::VariableAttribute, attribute));
    }
    check_refused(finish(builder, builder.CreateVector(operators)), Code::LimitExceeded,
                  "more than 1000000 tables");
}

}  // namespace
}  // namespace tosa::test
