// SPDX-License-Identifier: MIT
//
// COND_IF and WHILE_LOOP: the regions that they name.
#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

using enum Code;

const std::string kEntry = "region 'main', block 'entry': ";

// x -> y, of these types and shapes.
GraphBuilder pass(Dims dims = {2}, DType type = DType::Fp32) {
    GraphBuilder graph;
    graph.input("x", dims, type).output("y", dims, type).op(Op::Identity, {"x"}, {"y"});
    return graph;
}

// "chosen" = condition ? yes(a) : no(a)
GraphBuilder choice() {
    GraphBuilder graph;
    graph.input("condition", {1}, DType::Bool).input("a", {2}).output("chosen", {2});
    graph.cond_if({"condition", "a"}, {"chosen"}, "yes", "no");
    return graph.add_region("yes", pass()).add_region("no", pass());
}

// Reads what the body carries and gives a BOOL.
GraphBuilder test_region() {
    GraphBuilder graph;
    graph.input("x", {2}).output("go", {1}, DType::Bool);
    return graph.constant("go_on", {1}, bytes_of<char>({1}), DType::Bool)
        .op(Op::Identity, {"go_on"}, {"go"});
}

GraphBuilder loop() {
    GraphBuilder graph;
    graph.input("a", {2}).output("last", {2}).while_loop({"a"}, {"last"}, "test", "body");
    return graph.add_region("test", test_region()).add_region("body", pass());
}

void refuse(const GraphBuilder& graph, Code code, const std::string& message,
            const Target& target = kEverything) {
    check_refused(graph.file(), code, message, target);
}

TEST_CASE("an operator has the ids of the regions that it names") {
    const auto [file, graph] = built(choice().file(), kEverything);
    CHECK(graph.operators[0].regions == std::array<RegionId, 2>{1, 2});
    CHECK(graph.operators[0].hints == hint::kControlFlow);
    CHECK(graph.operators[1].regions == std::array{kNoId, kNoId});
    const auto [loop_file, looping] = built(loop().file(), kEverything);
    CHECK(looping.operators[0].regions == std::array<RegionId, 2>{1, 2});
    CHECK_FALSE(looping.operators[0].dead());
}

TEST_CASE("one region may be named twice, and by several operators") {
    GraphBuilder graph = choice();
    graph.tensor("again", {2});
    graph.cond_if({"condition", "chosen"}, {"again"}, "yes", "yes");
    CHECK(build_graph(graph.file(), kEverything).has_value());
}

TEST_CASE("what several outputs make ready runs in source order") {
    GraphBuilder graph;
    graph.input("condition", {1}, DType::Bool).tensor("a", {1}).tensor("b", {1});
    graph.output("from_a", {1}).output("from_b", {1});
    graph.cond_if({"condition"}, {"a", "b"}, "two", "two");
    graph.op(Op::Identity, {"b"}, {"from_b"}).op(Op::Identity, {"a"}, {"from_a"});
    GraphBuilder two;
    two.output("one", {1}).outputs.emplace_back("one");
    const auto file =
        graph
            .add_region(
                "two",
                two.constant("one_", {1}, bytes_of({1.0F})).op(Op::Identity, {"one_"}, {"one"}))
            .file();
    const auto [bytes, read] = built(file, kEverything);
    CHECK(read.operators[1].source == 1);
    CHECK(read.operators[2].source == 2);
}

TEST_CASE("control flow takes its extension") {
    refuse(choice(), UnsupportedTypeProfile,
           kEntry + "operator 0 (COND_IF): the target lacks the operator's extension",
           {.profiles = kProfileFloat});
}

TEST_CASE("a region that an operator names is there") {
    const auto named = [](Text yes, Text no) {
        GraphBuilder graph = choice();
        graph.operators.clear();
        return graph.cond_if({"condition", "a"}, {"chosen"}, std::move(yes), std::move(no));
    };
    const std::string place = kEntry + "operator 0 (COND_IF): ";
    refuse(named("yes", "never"), UnknownControlFlowRegion,
           place + "no region is named 'never', its else_graph");
    refuse(named("never", "no"), UnknownControlFlowRegion,
           place + "no region is named 'never', its then_graph");
    refuse(named(std::nullopt, "no"), InvalidAttribute, place + "its then_graph is empty");
    refuse(named("yes", ""), InvalidAttribute, place + "its else_graph is empty");

    GraphBuilder graph = loop();
    graph.more_regions[0].region = "other";
    refuse(graph, UnknownControlFlowRegion,
           kEntry + "operator 0 (WHILE_LOOP): no region is named 'test', its cond_graph");
    graph.more_regions[0].region = "test";
    graph.more_regions[1].region = "other";
    refuse(graph, UnknownControlFlowRegion,
           kEntry + "operator 0 (WHILE_LOOP): no region is named 'body', its body_graph");
}

TEST_CASE("COND_IF and its regions agree") {
    const std::string place = kEntry + "operator 0 (COND_IF): ";
    GraphBuilder graph = choice();
    GraphBuilder& yes = graph.more_regions[0];
    GraphBuilder& no = graph.more_regions[1];
    SUBCASE("an input of another shape") {
        yes = pass({3});
        yes.region = "yes";
        refuse(graph, ControlFlowSignature,
               place + "'a' is FP32 [2], but 'x' of the inputs of region 'yes' is FP32 [3]");
    }
    SUBCASE("an output of another type") {
        no.find("y").type = static_cast<std::uint32_t>(DType::Int32);
        refuse(graph, ControlFlowSignature,
               place + "'chosen' is FP32 [2], but 'y' of the outputs of region 'no' is INT32 [2]");
    }
    SUBCASE("one input more") {
        no.input("z", {1});
        refuse(graph, ControlFlowSignature, place + "1 inputs, but 2 inputs of region 'no'");
    }
    SUBCASE("one output less") {
        yes.outputs.clear();
        refuse(graph, ControlFlowSignature, place + "1 outputs, but 0 outputs of region 'yes'");
    }
    SUBCASE("no condition") {
        graph.operators[0].inputs.clear();
        refuse(graph, InvalidArity, place + "it has 0 inputs, where 1 or more are wanted");
    }
    SUBCASE("a condition of two") {
        graph.find("condition").dims = {2};
        refuse(graph, InvalidShape, place + "its condition has 2 elements, not 1");
    }
    SUBCASE("a condition of another type") {
        graph.find("condition").type = static_cast<std::uint32_t>(DType::Int8);
        refuse(graph, UnsupportedTypeProfile,
               place + "input 0: 'condition' is INT8, which it cannot be");
    }
    SUBCASE("a shape") {
        graph.shape("s", {2}).operators[0].inputs[1] = "s";
        refuse(graph, ExpectedTensor, place + "input 1: 's' is a shape, where a tensor is wanted");
    }
}

TEST_CASE("WHILE_LOOP and its regions agree") {
    const std::string place = kEntry + "operator 0 (WHILE_LOOP): ";
    GraphBuilder graph = loop();
    GraphBuilder& test = graph.more_regions[0];
    GraphBuilder& body = graph.more_regions[1];
    const std::string no_bool = place + "region 'test' does not give one BOOL";
    SUBCASE("a condition of two") {
        test.find("go").dims = {2};
        refuse(graph, ControlFlowSignature, no_bool);
    }
    SUBCASE("a condition that is no BOOL") {
        test.find("go").type = static_cast<std::uint32_t>(DType::Int8);
        refuse(graph, ControlFlowSignature, no_bool);
    }
    SUBCASE("two conditions") {
        test.outputs.emplace_back("x");
        refuse(graph, ControlFlowSignature, no_bool);
    }
    SUBCASE("no condition") {
        test.outputs.clear();
        refuse(graph, ControlFlowSignature, no_bool);
    }
    SUBCASE("a condition region of other inputs") {
        test.find("x").dims = {1};
        refuse(graph, ControlFlowSignature,
               place + "'a' is FP32 [2], but 'x' of the inputs of region 'test' is FP32 [1]");
    }
    SUBCASE("a body that takes something else") {
        body.find("x").dims = {1};
        refuse(graph, ControlFlowSignature,
               place + "'a' is FP32 [2], but 'x' of the inputs of region 'body' is FP32 [1]");
    }
    SUBCASE("a body that gives something else") {
        body.find("y").dims = {1};
        refuse(graph, ControlFlowSignature,
               place + "'last' is FP32 [2], but 'y' of the outputs of region 'body' is FP32 [1]");
    }
    SUBCASE("an operator that gives something else") {
        graph.find("last").dims = {1};
        refuse(graph, ControlFlowSignature,
               place + "'a' is FP32 [2], but 'last' of the outputs is FP32 [1]");
    }
    SUBCASE("an operator that gives more") {
        graph.tensor("more", {2}).operators[0].outputs.emplace_back("more");
        refuse(graph, InvalidArity, place + "it has 1 inputs, but 2 outputs");
    }
}

TEST_CASE("a list of tensors is as long as the level allows") {
    const auto wide = [](std::size_t length) {
        GraphBuilder graph;
        GraphBuilder branch;
        Names in{"condition"};
        graph.input("condition", {1}, DType::Bool);
        for (std::size_t i = 0; i < length; ++i) {
            in.push_back(std::format("i{}", i));
            graph.input(in.back(), {1});
            branch.input(in.back(), {1});
        }
        graph.cond_if(in, {}, "same", "same");
        return graph.add_region("same", branch).file();
    };
    CHECK(build_graph(wide(64), kEverything).has_value());
    check_refused(wide(65), TensorListLimit,
                  kEntry + "operator 0 (COND_IF): its list of 65 inputs is longer than 64");
    CHECK(build_graph(wide(256), kEveryTarget).has_value());
    check_refused(wide(257), TensorListLimit,
                  kEntry + "operator 0 (COND_IF): its list of 257 inputs is longer than 256",
                  kEveryTarget);
}

// Region i names region i + 1; the last names `then`, if anything.
std::vector<std::byte> chain(std::size_t length, const Text& last = std::nullopt) {
    const auto link = [](const std::string& next) {
        GraphBuilder graph;
        graph.input("condition", {1}, DType::Bool).input("a", {2}).output("b", {2});
        // A region takes what the one around it takes.
        if (next.empty()) return graph.op(Op::Identity, {"a"}, {"b"});
        return graph.cond_if({"condition", "condition", "a"}, {"b"}, next, next);
    };
    GraphBuilder graph = link(length == 0 ? "" : "r1");
    for (std::size_t i = 1; i <= length; ++i)
        graph.add_region(std::format("r{}", i),
                         link(i < length ? std::format("r{}", i + 1) : last.value_or("")));
    return graph.file();
}

constexpr Limits kManyRegions{.regions = 70'000, .blocks = 70'000};

TEST_CASE("regions nest as deep as the level allows") {
    CHECK(build_graph(chain(6), kEverything).has_value());
    check_refused(chain(7), ControlFlowNestingLimit,
                  "region 'r6', block 'entry': operator 0 (COND_IF): region 'r7' is nested deeper "
                  "than the level's 6");
    CHECK(build_graph(chain(256), kEveryTarget, kManyRegions).has_value());
    check_refused(chain(257), ControlFlowNestingLimit,
                  "region 'r256', block 'entry': operator 0 (COND_IF): region 'r257' is nested "
                  "deeper than the level's 256",
                  kEveryTarget, kManyRegions);
}

TEST_CASE("the longest way into a region counts") {
    GraphBuilder graph = choice();  // yes is 1 deep here, but 7 deep below
    for (int i = 7; i > 0; --i) {
        GraphBuilder step = choice();
        step.more_regions.clear();
        step.operators.clear();
        const std::string inner = i == 7 ? "yes" : std::format("s{}", i + 1);
        step.cond_if({"condition", "a"}, {"chosen"}, inner, inner);
        graph.add_region(std::format("s{}", i), step);
    }
    refuse(graph, ControlFlowNestingLimit,
           "region 's7', block 'entry': operator 0 (COND_IF): region 'yes' is nested deeper than "
           "the level's 6");
}

TEST_CASE("no region leads back to itself") {
    check_refused(chain(1, "r1"), ControlFlowCycle,
                  "region 'r1', block 'entry': operator 0 (COND_IF): region 'r1' leads back to "
                  "itself");
    check_refused(chain(3, "r2"), ControlFlowCycle,
                  "region 'r3', block 'entry': operator 0 (COND_IF): region 'r2' leads back to "
                  "itself");
    check_refused(chain(1, "main"), ControlFlowCycle,
                  "region 'r1', block 'entry': operator 0 (COND_IF): region 'main' leads back to "
                  "itself");
}

// None of these may make a function call itself 60,000 times.
TEST_CASE("a chain of 60,000 regions is refused by name") {
    const auto file = chain(60'000);
    check_refused(file, LimitExceeded, "more than 64 regions");
    check_refused(file, LimitExceeded, "more than 4096 blocks", kEverything, {.regions = 70'000});
    check_refused(file, ControlFlowNestingLimit,
                  "region 'r256', block 'entry': operator 0 (COND_IF): region 'r257' is nested "
                  "deeper than the level's 256",
                  kEveryTarget, kManyRegions);
    check_refused(chain(60'000, "main"), ControlFlowCycle,
                  "region 'r60000', block 'entry': operator 0 (COND_IF): region 'main' leads back "
                  "to itself",
                  kEveryTarget, kManyRegions);
}

TEST_CASE("references between regions are held before what is in blocks") {
    GraphBuilder graph = choice();
    graph.find("a").dims = {1 << 30, 4};
    graph.more_regions[1].region = "other";
    refuse(graph, UnknownControlFlowRegion,
           kEntry + "operator 0 (COND_IF): no region is named 'no', its else_graph");
}

}  // namespace
}  // namespace tosa::test
