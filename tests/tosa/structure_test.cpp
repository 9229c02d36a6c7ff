// SPDX-License-Identifier: MIT
//
// What the parser refuses before it asks what an operator means.
#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

using enum Code;

TEST_CASE("contents without the identifier are no TOSA file") {
    const std::string missing = "not a TOSA file: its identifier is missing";
    check_refused(std::vector<std::byte>{}, EmptyInput, "the file is empty");
    check_refused(std::vector<std::byte>(7), MissingIdentifier, missing);
    auto file = identity().file();
    file[4] = std::byte{'t'};
    check_refused(file, MissingIdentifier, missing);
}

TEST_CASE("a version other than 1.0.0 is unsupported") {
    GraphBuilder graph = identity();
    SUBCASE("major") {
        graph.major = 2;
    }
    SUBCASE("minor") {
        graph.minor = 1;
    }
    SUBCASE("patch") {
        graph.patch = -1;
    }
    SUBCASE("draft") {
        graph.draft = true;
    }
    const std::string message =
        std::format("TOSA version {}.{}.{}{}, where 1.0.0 is wanted", graph.major, graph.minor,
                    graph.patch, graph.draft ? " draft" : "");
    check_refused(graph.file(), UnsupportedVersion, message);
}

TEST_CASE("a target of another version is unsupported") {
    Target target = kFloatTarget;
    target.minor = 1;
    check_refused(identity().file(), UnsupportedVersion,
                  "a target of TOSA 1.1.0, where 1.0.0 is wanted", target);
}

TEST_CASE("there is at least one region of one block, each with a name of its own") {
    GraphBuilder graph = identity();
    SUBCASE("no region") {
        graph.regions = 0;
        check_refused(graph.file(), MissingEntry, "there is no region");
    }
    SUBCASE("two regions") {
        graph.regions = 2;
        check_refused(graph.file(), DuplicateName, "two regions are named 'main'");
    }
    SUBCASE("too many regions") {
        graph.regions = 65;
        check_refused(graph.file(), LimitExceeded, "more than 64 regions");
    }
    SUBCASE("no block") {
        graph.blocks = 0;
        check_refused(graph.file(), MissingEntry, "region 'main': there is no block");
    }
    SUBCASE("two blocks") {
        graph.blocks = 2;
        check_refused(graph.file(), DuplicateName, "region 'main': two blocks are named 'entry'");
    }
}

TEST_CASE("a region, a block and every value has a name") {
    GraphBuilder graph = identity();
    SUBCASE("region without a name") {
        graph.region.reset();
        check_refused(graph.file(), MissingName, "region 0 has no name");
    }
    SUBCASE("block with an empty name") {
        graph.block = "";
        check_refused(graph.file(), EmptyName, "region 'main': the name of block 0 is empty");
    }
    SUBCASE("tensor without a name") {
        graph.tensors[1].name.reset();
        check_refused(graph, MissingName, "tensor 1 has no name");
    }
    SUBCASE("tensor with an empty name") {
        graph.tensors[1].name = "";
        check_refused(graph, EmptyName, "the name of tensor 1 is empty");
    }
    SUBCASE("shape without a name") {
        graph.shapes.emplace_back();
        check_refused(graph, MissingName, "shape 0 has no name");
    }
}

TEST_CASE("names are unique across tensors and shapes") {
    GraphBuilder graph = identity();
    SUBCASE("two tensors") {
        graph.tensor("input", {1});
    }
    SUBCASE("a tensor and a shape") {
        graph.shapes.push_back({.name = "input"});
    }
    check_refused(graph, DuplicateName, "two values are named 'input'");
}

TEST_CASE("names from the file are escaped and shortened in messages") {
    GraphBuilder graph = identity();
    graph.region = "a'\\\x1B[0m\n\xFF";
    graph.block = std::string(65, 'b');
    graph.operators[0].inputs = {"gone"};
    check_refused(graph.file(), UnknownSymbol,
                  "region 'a\\x27\\x5c\\x1b[0m\\x0a\\xff', block '" + std::string(64, 'b') +
                      "...': operator 0 (IDENTITY): no tensor or shape is named 'gone'");
}

TEST_CASE("every reference resolves") {
    GraphBuilder graph = identity();
    const std::string message = "no tensor or shape is named 'gone'";
    SUBCASE("operator input") {
        graph.operators[0].inputs = {"gone"};
        check_refused(graph, UnknownSymbol, "operator 0 (IDENTITY): " + message);
    }
    SUBCASE("operator output") {
        graph.operators[0].outputs = {"gone"};
        check_refused(graph, UnknownSymbol, "operator 0 (IDENTITY): " + message);
    }
    SUBCASE("block input") {
        graph.inputs = {"gone"};
        check_refused(graph, UnknownSymbol, "block inputs: " + message);
    }
    SUBCASE("block output") {
        graph.outputs = {"gone"};
        check_refused(graph, UnknownSymbol, "block outputs: " + message);
    }
}

TEST_CASE("a value has one producer") {
    GraphBuilder graph = identity();
    graph.op(Op::Identity, {"input"}, {"output"});
    check_refused(graph, MultipleProducers,
                  "operator 1 (IDENTITY): 'output' already has a producer, operator 0");
}

TEST_CASE("block inputs and outputs are tensors, each input listed once, none produced") {
    GraphBuilder graph = identity();
    SUBCASE("shape as input") {
        graph.shape("s", {1}).inputs.push_back("s");
        check_refused(graph, GraphIoMustBeTensor, "block inputs: 's' is a shape, not a tensor");
    }
    SUBCASE("shape as output") {
        graph.shape("s", {1}).outputs.push_back("s");
        check_refused(graph, GraphIoMustBeTensor, "block outputs: 's' is a shape, not a tensor");
    }
    SUBCASE("input twice") {
        graph.inputs.push_back("input");
        check_refused(graph, DuplicateName, "block input 'input' is listed twice");
    }
    SUBCASE("input produced") {
        graph.inputs.push_back("output");
        check_refused(graph, GraphInputProduced, "block input 'output' is produced by operator 0");
    }
}

TEST_CASE("what is read comes from somewhere") {
    GraphBuilder graph = identity();
    SUBCASE("operator input") {
        graph.tensor("loose", {2, 3}).operators[0].inputs = {"loose"};
        SUBCASE("without data") {}
        SUBCASE("with data but no CONST") {
            graph.find("loose").data = bytes_of<float>({1, 2, 3, 4, 5, 6});
        }
    }
    SUBCASE("block output") {
        graph.output("loose", {1});
    }
    check_refused(graph, DisconnectedSymbol,
                  "'loose' is neither a block input nor produced by an operator");
}

TEST_CASE("a tensor's type is known and stable") {
    GraphBuilder graph = identity();
    const auto refuse = [&](std::uint32_t type, Code code, const std::string& message) {
        graph.tensors[0].type = type;
        check_refused(graph, code, "tensor 'input': " + message);
    };
    refuse(0, UnknownDataType, "0 is no data type");
    refuse(10, UnknownDataType, "a tensor cannot be of type SHAPE");
    refuse(13, UnsupportedDataType, "data type 13 is from a draft of a later version");
    refuse(18, UnsupportedDataType, "data type 18 is from a draft of a later version");
    refuse(19, UnknownDataType, "19 is no data type");
}

TEST_CASE("a tensor's shape is there, positive and of limited rank") {
    GraphBuilder graph = identity();
    TensorSpec& tensor = graph.tensors[0];
    SUBCASE("no shape") {
        tensor.dims.reset();
        check_refused(graph, RankedTensorWithoutShape,
                      "tensor 'input': it is ranked, but has no shape");
    }
    SUBCASE("unranked") {
        tensor.dims.reset();
        tensor.unranked = true;
        check_refused(graph, InvalidRank, "block inputs: 'input' is unranked");
    }
    SUBCASE("unranked with a shape") {
        tensor.unranked = true;
        check_refused(graph, UnrankedTensorWithDimensions,
                      "tensor 'input': it is unranked, but has 2 extents");
    }
    SUBCASE("zero extent") {
        tensor.dims = {2, 0};
        check_refused(graph, InvalidDimension,
                      "tensor 'input': its shape [2,0] has an extent below 1");
    }
    SUBCASE("dynamic extent") {
        tensor.dims = {-1, 3};
        check_refused(graph, InvalidDimension,
                      "tensor 'input': its shape [-1,3] has an extent below 1");
    }
    SUBCASE("rank 33") {
        tensor.dims = Dims(33, 1);
        check_refused(graph, LimitExceeded, "tensor 'input': more than 32 dimensions");
    }
}

TEST_CASE("a tensor stays within the level's size") {
    GraphBuilder graph = identity();
    const Target unbounded{.profiles = kProfileFloat, .level = Level::Unbounded};
    const auto refuse = [&](Dims dims, const Target& target, const std::string& largest) {
        graph.tensors[0].dims = dims;
        check_refused(
            graph, TensorSizeLimit,
            std::format("tensor 'input' of FP32 {} is larger than the level's {} bytes",
                        dims == Dims{} ? "" : std::format("[{},{}]", dims[0], dims[1]), largest),
            target);
    };
    refuse({1 << 15, 1 << 14}, kFloatTarget, "2147483647");
    refuse({0x7FFFFFFF, 0x7FFFFFFF}, kFloatTarget, "2147483647");
    refuse({0x7FFFFFFF, 0x7FFFFFFF}, unbounded, "9223372036854775807");
    graph.tensors[0].dims = graph.tensors[1].dims = {(1 << 15) - 1, 1 << 14};
    CHECK(build_graph(graph.file(), kFloatTarget).has_value());
    graph.tensors[0].dims = graph.tensors[1].dims = {1 << 15, 1 << 14};
    CHECK(build_graph(graph.file(), unbounded).has_value());
}

TEST_CASE("constant contents have the exact size and valid elements") {
    GraphBuilder graph = identity();
    const auto refuse = [&](DType type, Dims dims, std::vector<std::byte> data,
                            const std::string& message) {
        GraphBuilder bad = graph;
        bad.constant("c", std::move(dims), std::move(data), type);
        check_refused(bad, InvalidTensorData, "tensor 'c': " + message);
    };
    using Bytes = std::vector<std::byte>;
    refuse(DType::Fp32, {2}, Bytes(7), "7 bytes of data, where FP32 [2] takes 8");
    refuse(DType::Fp32, {2}, Bytes(9), "9 bytes of data, where FP32 [2] takes 8");
    refuse(DType::Int4, {3}, Bytes(3), "3 bytes of data, where INT4 [3] takes 2");
    refuse(DType::Int48, {1}, Bytes(6), "6 bytes of data, where INT48 [1] takes 8");
    refuse(DType::Bool, {2}, bytes_of<char>({1, 2}), "its data holds something that is no BOOL");
    refuse(DType::Int4, {2}, bytes_of<std::uint8_t>({0x80}),
           "its data holds something that is no INT4");
    refuse(DType::Int4, {2}, bytes_of<std::uint8_t>({0x08}),
           "its data holds something that is no INT4");
    refuse(DType::Int48, {1}, bytes_of({std::int64_t{1} << 47}),
           "its data holds something that is no INT48");

    graph.constant("i4", {3}, bytes_of<std::uint8_t>({0x97, 0x01}), DType::Int4);
    graph.constant("i48", {1}, bytes_of({-(std::int64_t{1} << 47)}), DType::Int48);
    graph.constant("b", {2}, bytes_of<char>({0, 1}), DType::Bool);
    CHECK(build_graph(graph.file(), kEverything).has_value());
}

TEST_CASE("external constants lie inside the file") {
    GraphBuilder graph = identity();
    graph.constant("c", {2}, {});
    TensorSpec& tensor = graph.tensors.back();
    tensor.size = 8;
    tensor.offset = 2;
    const std::uint64_t file_size = graph.file().size();
    const auto refuse = [&](const std::string& message) {
        check_refused(graph, ExternalDataRange, "tensor 'c': " + message);
    };
    const auto outside = [&](std::uint64_t offset, std::uint64_t bytes) {
        tensor.offset = offset;
        tensor.size = bytes;
        refuse(std::format("its external data, {} bytes at {}, is not inside the file of {} bytes",
                           bytes, offset, graph.file().size()));
    };
    outside(1, 8);
    outside(file_size - 7, 8);
    outside(file_size + 1, 8);
    outside(~std::uint64_t{0}, 8);
    outside(8, ~std::uint64_t{0});

    tensor.offset = file_size - 8;
    tensor.size = 8;
    const auto [file, read] = built(graph.file(), kEverything);
    CHECK(read.values[2].data.data() == file.data() + file_size - 8);

    tensor.data = bytes_of({1.0F, 2.0F});
    refuse("it has both embedded and external data");
    tensor.size = 0;
    refuse(std::format("it has an offset, {}, but no size", tensor.offset));
}

TEST_CASE("a shape holds eight bytes an entry, within the level's range") {
    GraphBuilder graph = identity();
    graph.shape("s", {1, 2});
    SUBCASE("too short") {
        graph.shapes[0].data.pop_back();
        check_refused(graph, InvalidShapeData,
                      "shape 's': 15 bytes of data, where 2 entries take 16");
    }
    SUBCASE("too many entries") {
        graph.shapes[0].rank = 65;
        check_refused(graph, LimitExceeded, "shape 's': more than 64 shape entries");
    }
    SUBCASE("value too large") {
        graph.shapes[0].data = bytes_of({std::int64_t{1} << 31, std::int64_t{0}});
        check_refused(graph, ShapeValueLimit,
                      "shape 's' holds 2147483648, outside the level's range");
    }
    SUBCASE("value too small") {
        graph.shapes[0].data = bytes_of({std::int64_t{0}, -(std::int64_t{1} << 31) - 1});
        check_refused(graph, ShapeValueLimit,
                      "shape 's' holds -2147483649, outside the level's range");
    }
    SUBCASE("smallest value") {
        graph.shapes[0].data = bytes_of({(std::int64_t{1} << 31) - 1, -(std::int64_t{1} << 31)});
        CHECK(build_graph(graph.file(), kEverything).has_value());
    }
}

TEST_CASE("an opcode is known and stable, its attribute is its own") {
    GraphBuilder graph = identity();
    OperatorSpec& op = graph.operators[0];
    const auto refuse = [&](std::uint32_t number, Code code, const std::string& message) {
        op.op = number;
        check_refused(graph, code, message);
    };
    refuse(0, UnknownOperator, "operator 0 (?): 0 is no opcode");
    refuse(76, UnsupportedOperator, "operator 0 (?): opcode 76 is from a draft of a later version");
    refuse(98, UnsupportedOperator, "operator 0 (?): opcode 98 is from a draft of a later version");
    refuse(99, UnknownOperator, "operator 0 (?): 99 is no opcode");
    refuse(67, AttributeMismatch, "operator 0 (CONST): its attribute is of opcode 68");

    op.op = op.tag;
    op.attribute = no_attribute;
    check_refused(graph, MissingAttribute, "operator 0 (IDENTITY): its attribute is missing");
}

TEST_CASE("each limit of the parser is held") {
    GraphBuilder graph = identity();
    graph.constant("c", {2}, bytes_of({1.0F, 2.0F})).shape("s", {1}).shape("t", {1});
    const auto file = graph.file();
    const std::string here = "region 'main', block 'entry': ";
    const auto refuse = [&](const Limits& limits, const std::string& message) {
        check_refused(file, LimitExceeded, message, kEverything, limits);
    };
    refuse({.file_bytes = file.size() - 1},
           std::format("more than {} bytes of file", file.size() - 1));
    refuse({.depth = 1}, "more than 1 levels of tables");
    refuse({.depth = 4}, "more than 4 levels of tables");
    refuse({.tables = 16}, "more than 16 tables");
    refuse({.regions = 0}, "more than 0 regions");
    refuse({.blocks = 0}, "more than 0 blocks");
    refuse({.tensors = 2}, "more than 2 tensors");
    refuse({.shapes = 1}, "more than 1 shapes");
    refuse({.operators = 3}, "more than 3 operators");
    refuse({.edges = 6}, "more than 6 operands and block inputs and outputs");
    refuse({.apparent_bytes = 71}, here + "block outputs: more than 71 bytes of names and data");
    refuse({.name_bytes = 5}, here + "more than 5 bytes of name");
    refuse({.constant_bytes = 23}, here + "more than 23 bytes of constants");
    CHECK(build_graph(file, kEverything,
                      {.file_bytes = file.size(),
                       .apparent_bytes = 72,
                       .depth = 5,
                       .tables = 17,
                       .regions = 1,
                       .blocks = 1,
                       .tensors = 3,
                       .shapes = 2,
                       .operators = 4,
                       .edges = 7,
                       .name_bytes = 6,
                       .constant_bytes = 24})
              .has_value());
}

}  // namespace
}  // namespace tosa::test
