// SPDX-License-Identifier: MIT
//
// Files of several regions and blocks.
#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

using enum Code;

// A block of the same names as identity(), with operators in reverse order.
GraphBuilder two_steps() {
    GraphBuilder graph;
    graph.input("input", {4}).tensor("middle", {4}).output("output", {4});
    graph.op(Op::Identity, {"middle"}, {"output"}).op(Op::Identity, {"input"}, {"middle"});
    return graph;
}

// main: entry (2 tensors, 1 operator) and second (3 tensors, 1 shape, 3 operators);
// other: entry.
GraphBuilder module() {
    GraphBuilder second = two_steps();
    second.shape("s", {4});
    return identity().add_block("second", second).add_region("other", two_steps());
}

TEST_CASE("ids are dense over the whole file, block after block") {
    const auto [file, graph] = built(module().file());
    REQUIRE(graph.regions.size() == 2);
    CHECK(graph.regions[0].name == "main");
    CHECK(graph.regions[0].first_block == 0);
    CHECK(graph.regions[0].blocks == 2);
    CHECK(graph.regions[1].name == "other");
    CHECK(graph.regions[1].first_block == 2);
    CHECK(graph.regions[1].blocks == 1);

    REQUIRE(graph.blocks.size() == 3);
    const auto block = [&](BlockId id, std::string_view name, RegionId region, ValueId first_value,
                           std::uint32_t values, OperatorId first, std::uint32_t operators) {
        CAPTURE(id);
        const Block& actual = graph.blocks[id];
        CHECK(actual.name == name);
        CHECK(actual.region == region);
        CHECK(actual.first_value == first_value);
        CHECK(actual.values == values);
        CHECK(actual.first_operator == first);
        CHECK(actual.operators == operators);
        CHECK(graph.operators_of(actual).size() == operators);
        for (const Value& value : graph.values_of(actual))
            CHECK(value.block == id);
    };
    block(0, "entry", 0, 0, 2, 0, 1);
    block(1, "second", 0, 2, 4, 1, 3);
    block(2, "entry", 1, 6, 3, 4, 2);
    CHECK(graph.values.size() == 9);
    CHECK(graph.operators.size() == 6);
    CHECK(graph.values[5].name == "s");  // shapes behind the tensors of their block
    CHECK(graph.values[5].type == DType::Shape);
    CHECK(graph.values[6].name == "input");
}

TEST_CASE("the graph's inputs and outputs are those of the entry block") {
    const auto [file, graph] = built(module().file());
    CHECK(std::ranges::equal(graph.inputs, std::vector<ValueId>{0}));
    CHECK(std::ranges::equal(graph.outputs, std::vector<ValueId>{1}));
    CHECK(std::ranges::equal(graph.blocks[2].inputs, std::vector<ValueId>{6}));
    CHECK(std::ranges::equal(graph.blocks[2].outputs, std::vector<ValueId>{8}));
}

TEST_CASE("each block has its own order, positions run through the file") {
    const auto [file, graph] = built(module().file());
    // Of block "other": operator 1 of the file comes first.
    CHECK(graph.operators[4].source == 1);
    CHECK(graph.operators[5].source == 0);
    CHECK(graph.values[7].name == "middle");
    CHECK(graph.values[7].producer == 4);
    CHECK(graph.values[7].first_use == 5);
    CHECK(graph.values[7].last_use == 5);
    CHECK(graph.values[8].producer == 5);
    CHECK(graph.values[8].last_use == graph.blocks[2].end());
    CHECK(graph.values[1].last_use == graph.blocks[0].end());
    CHECK(graph.values[4].last_use == 4);
}

TEST_CASE("names are unique in their scope only") {
    GraphBuilder graph = module();
    SUBCASE("regions") {
        graph.more_regions[0].region = "main";
        check_refused(graph.file(), DuplicateName, "two regions are named 'main'");
    }
    SUBCASE("blocks of a region") {
        graph.more_blocks[0].block = "entry";
        check_refused(graph.file(), DuplicateName, "region 'main': two blocks are named 'entry'");
    }
    SUBCASE("values of a later block") {
        graph.more_regions[0].tensor("middle", {4});
        check_refused(graph.file(), DuplicateName,
                      "region 'other', block 'entry': two values are named 'middle'");
    }
}

TEST_CASE("a later region is there in full") {
    GraphBuilder graph = module();
    SUBCASE("without a name") {
        graph.more_regions[0].region.reset();
        check_refused(graph.file(), MissingName, "region 1 has no name");
    }
    SUBCASE("without a block") {
        graph.more_regions[0].blocks = 0;
        check_refused(graph.file(), MissingEntry, "region 'other': there is no block");
    }
    SUBCASE("with a block without a name") {
        graph.more_blocks[0].block.reset();
        check_refused(graph.file(), MissingName, "region 'main': block 1 has no name");
    }
}

TEST_CASE("a reference stays in its block") {
    GraphBuilder graph = module();
    graph.more_regions[0].operators[0].inputs = {"s"};
    check_refused(graph.file(), UnknownSymbol,
                  "region 'other', block 'entry': operator 0 (IDENTITY): no tensor or shape is "
                  "named 's'");
}

TEST_CASE("a defect is located in its block, an operator by its place in the file") {
    const std::string place = "region 'other', block 'entry': ";
    GraphBuilder graph = module();
    GraphBuilder& other = graph.more_regions[0];
    SUBCASE("a cycle") {
        other.operators[1].inputs = {"output"};
        check_refused(graph.file(), DataflowCycle,
                      place + "operator 0 (IDENTITY) waits for its own result");
    }
    SUBCASE("a second producer") {
        other.op(Op::Identity, {"input"}, {"output"});
        check_refused(graph.file(), MultipleProducers,
                      place + "operator 2 (IDENTITY): 'output' already has a producer, operator 0");
    }
    SUBCASE("a produced input") {
        other.inputs.push_back("output");
        check_refused(graph.file(), GraphInputProduced,
                      place + "block input 'output' is produced by operator 0");
    }
    SUBCASE("an operator's rule") {
        other.find("output").dims = {5};
        check_refused(graph.file(), InvalidShape,
                      place + "operator 0 (IDENTITY): the input has shape [4], the output [5]");
    }
    SUBCASE("a loose output") {
        other.output("loose", {4});
        check_refused(graph.file(), DisconnectedSymbol,
                      place + "'loose' is neither a block input nor produced by an operator");
    }
}

TEST_CASE("limits count over the whole file") {
    const auto file = module().file();
    const auto refuse = [&](const Limits& limits, const std::string& message) {
        check_refused(file, LimitExceeded, message, kEverything, limits);
    };
    refuse({.regions = 1}, "more than 1 regions");
    refuse({.blocks = 2}, "more than 2 blocks");
    refuse({.tensors = 7}, "more than 7 tensors");
    refuse({.shapes = 0}, "more than 0 shapes");
    refuse({.operators = 5}, "more than 5 operators");
    refuse({.edges = 16}, "more than 16 operands and block inputs and outputs");
    // graph, version, 2 regions, 3 blocks, 8 tensors, 1 shape, 6 operators and attributes
    refuse({.tables = 27}, "more than 27 tables");
    CHECK(build_graph(file, kEverything,
                      {.tables = 28,
                       .regions = 2,
                       .blocks = 3,
                       .tensors = 8,
                       .shapes = 1,
                       .operators = 6,
                       .edges = 17})
              .has_value());
}

TEST_CASE("bytes of constants count over the whole file") {
    GraphBuilder graph = identity();
    graph.constant("c", {2}, bytes_of({1.0F, 2.0F}));
    GraphBuilder other = graph;
    const auto file = graph.add_region("other", other).file();
    check_refused(file, LimitExceeded,
                  "region 'other', block 'entry': more than 15 bytes of constants", kEverything,
                  {.constant_bytes = 15});
    CHECK(build_graph(file, kEverything, {.constant_bytes = 16}).has_value());
}

TEST_CASE("an unranked tensor is in nobody's way until something uses it") {
    GraphBuilder graph = identity();
    graph.tensors.push_back({.name = "any", .unranked = true});
    const auto [file, read] = built(graph.file());
    CHECK(read.values[2].unranked);
    CHECK(read.values[2].bytes == 0);

    graph.op(Op::Identity, {"input"}, {"any"});
    check_refused(graph, InvalidRank, "operator 1 (IDENTITY): 'any' is unranked");
    graph.operators.pop_back();
    graph.inputs.push_back("any");
    check_refused(graph, InvalidRank, "block inputs: 'any' is unranked");
    graph.tensors.back().data = std::vector<std::byte>(4);
    check_refused(graph, InvalidTensorData, "tensor 'any': 4 bytes of data, where FP32 [] takes 0");
}

TEST_CASE("the target is well-formed") {
    check_refused(identity().file(), InvalidTarget,
                  "the target's profiles and extensions do not match",
                  {.profiles = kProfileInteger, .extensions = kExtensionBf16});
}

TEST_CASE("every code has its own name") {
    CHECK(name(EmptyInput) == "EmptyInput");
    CHECK(name(MultipleProducers) == "MultipleProducers");
    CHECK(name(InvalidTarget) == "InvalidTarget");
    CHECK(name(InvalidVariable) == "InvalidVariable");
    CHECK(name(ControlFlowNestingLimit) == "ControlFlowNestingLimit");
}

}  // namespace
}  // namespace tosa::test
