// SPDX-License-Identifier: MIT
//
// What no template allows, whichever it is: a kernel reads the bound buffers, all of them, and
// nothing else.
#include <filesystem>
#include <fstream>

#include "xdna/matched.hpp"
#include "xdna/templates.hpp"

namespace xdna::test {
namespace {

bool is_identity(const Spec& spec) {
    return std::holds_alternative<Bf16Identity>(spec) || std::holds_alternative<Int8Identity>(spec);
}

bool has_two_inputs(const GraphBuilder& graph) {
    return graph.inputs.size() == 2;
}

Dims dims_of(GraphBuilder& graph, const std::string& name) {
    return *graph.find(name).dims;
}

DType type_of(GraphBuilder& graph, const std::string& name) {
    return static_cast<DType>(graph.find(name).type);
}

tosa::test::OperatorSpec& reader(GraphBuilder& graph, const std::string& name) {
    return *std::ranges::find_if(
        graph.operators, [&](const auto& op) { return std::ranges::contains(op.inputs, name); });
}

void twin(GraphBuilder& graph, const std::string& name, const std::string& of) {
    graph.tensor(name, dims_of(graph, of), type_of(graph, of));
}

// Spoils a graph of any template, of those with two inputs, or of those that are no IDENTITY.
enum class Of : std::uint8_t { Any, TwoInputs, NoIdentity };

struct Spoiler {
    std::string_view what;
    Of of;
    void (*spoil)(GraphBuilder& graph);
    std::string_view why;  // a part of it
};

void put_identity_first(GraphBuilder& graph) {
    twin(graph, "copy", "a");
    reader(graph, "a").inputs[0] = "copy";
    graph.op(Op::Identity, {"a"}, {"copy"});
}

void put_identity_last(GraphBuilder& graph) {
    twin(graph, "copy", "out");
    graph.op(Op::Identity, {"out"}, {"copy"}).outputs = {"copy"};
}

void add_dead_identity(GraphBuilder& graph) {
    twin(graph, "copy", "a");
    graph.op(Op::Identity, {"a"}, {"copy"});
}

void put_reverse_last(GraphBuilder& graph) {
    if (dims_of(graph, "out").empty()) return;
    twin(graph, "reversed", "out");
    graph.op(Op::Reverse, {"out"}, {"reversed"}, attribute(Op::Reverse, {.axis = 0}));
    graph.outputs = {"reversed"};
}

void make_constant(GraphBuilder& graph, const std::string& name) {
    graph.find(name).data = zeros(type_of(graph, name), dims_of(graph, name));
    std::erase(graph.inputs, name);
    graph.op(Op::Const, {}, {name});
}

void bake(GraphBuilder& graph) {
    make_constant(graph, "a");
}

void bake_beside_an_input(GraphBuilder& graph) {
    graph.input("unused", dims_of(graph, "a"), type_of(graph, "a"));
    make_constant(graph, "a");
}

void add_input(GraphBuilder& graph) {
    graph.input("unused", dims_of(graph, "a"), type_of(graph, "a"));
}

void put_input_first(GraphBuilder& graph) {
    add_input(graph);
    std::ranges::rotate(graph.inputs, graph.inputs.end() - 1);
}

void add_output(GraphBuilder& graph) {
    graph.outputs.emplace_back("a");
}

void repeat_output(GraphBuilder& graph) {
    graph.outputs.emplace_back("out");
}

void drop_output(GraphBuilder& graph) {
    graph.outputs.clear();
}

void put_out_input(GraphBuilder& graph) {
    graph.outputs = {"a"};
}

void add_constant(GraphBuilder& graph) {
    graph.constant("unread", {1}, zeros(DType::Int8), DType::Int8);
}

void put_out_constant(GraphBuilder& graph) {
    graph.constant("known", {1}, zeros(DType::Int8), DType::Int8).outputs = {"known"};
}

void add_shape(GraphBuilder& graph) {
    graph.shape("unread", {1});
}

void add_block(GraphBuilder& graph) {
    graph.add_block("more", identity(DType::Int8, {8}));
}

void add_region(GraphBuilder& graph) {
    graph.add_region("more", identity(DType::Int8, {8}));
}

void make_variable(GraphBuilder& graph) {
    graph.find("out").variable = true;
    graph.find("out").variable_name = "kept";
}

void exchange_inputs(GraphBuilder& graph) {
    std::swap(graph.inputs[0], graph.inputs[1]);
}

void square(GraphBuilder& graph) {
    std::ranges::replace(reader(graph, "b").inputs, "b", "a");
}

void square_alone(GraphBuilder& graph) {
    square(graph);
    graph.inputs = {"a"};
}

constexpr Spoiler kSpoilers[] = {
    {"another operator before", Of::NoIdentity, put_identity_first, "it is not supported after"},
    {"another operator behind", Of::NoIdentity, put_identity_last, "it is not supported after"},
    {"another operator beside", Of::NoIdentity, add_dead_identity, "supported"},
    {"an operator of no template", Of::Any, put_reverse_last,
     "(REVERSE): the operator is not supported"},
    {"a constant operand", Of::NoIdentity, bake, "the block has"},
    {"a constant operand and an unused input", Of::NoIdentity, bake_beside_an_input,
     "'a' is read where the block's input 0 should be"},
    {"an unused input", Of::Any, add_input, "the block has"},
    {"an unused input first", Of::Any, put_input_first, "the block has"},
    {"a second output", Of::Any, add_output, "2 outputs, not"},
    {"the output twice", Of::Any, repeat_output, "2 outputs, not"},
    {"no output", Of::Any, drop_output, "0 outputs, not"},
    {"an input for the output", Of::NoIdentity, put_out_input,
     "the block's output is 'a' instead of the result"},
    {"an unread constant", Of::Any, add_constant, "(CONST): no template has this constant"},
    {"a constant for the output", Of::Any, put_out_constant,
     "(CONST): no template has this constant"},
    {"an unread shape", Of::Any, add_shape, "(CONST_SHAPE): the operator is not supported"},
    {"a second block", Of::Any, add_block, "2 blocks, where 1 is supported"},
    {"a second region", Of::Any, add_region, "2 regions, where 1 is supported"},
    {"a variable", Of::Any, make_variable, "variable 'out' is not supported"},
    {"inputs in another order", Of::TwoInputs, exchange_inputs,
     "'a' is read where the block's input 0 should be"},
    {"one of two inputs twice", Of::TwoInputs, square,
     "'a' is read where the block's input 1 should be"},
    {"the only input twice", Of::TwoInputs, square_alone, "the block has 1 inputs"},
};

bool concerns(const Spoiler& spoiler, const Templated& templated) {
    switch (spoiler.of) {
        case Of::Any:
            return true;
        case Of::TwoInputs:
            return has_two_inputs(templated.graph);
        case Of::NoIdentity:
            return !is_identity(templated.spec);
    }
    return false;
}

}  // namespace

TEST_SUITE("xdna/match") {
    TEST_CASE("a graph that is more or less than a template is refused") {
        for (const Templated& templated : templates())
            for (const Spoiler& spoiler : kSpoilers) {
                if (!concerns(spoiler, templated)) continue;
                CAPTURE(to_text(templated.spec));
                CAPTURE(spoiler.what);
                GraphBuilder graph = templated.graph;
                spoiler.spoil(graph);
                const auto made = matched(graph);
                REQUIRE(!made);
                CAPTURE(made.error());
                CHECK(made.error().contains(spoiler.why));
            }
    }

    TEST_CASE("a parameter that is known at run time only is refused") {
        for (const auto& [spec, original] : templates()) {
            const auto constant =
                std::ranges::find(original.operators, static_cast<std::uint32_t>(Op::Const),
                                  &tosa::test::OperatorSpec::op);
            if (constant == original.operators.end()) continue;
            GraphBuilder graph = original;
            const std::string name = constant->outputs[0];
            graph.operators.erase(graph.operators.begin() +
                                  (constant - original.operators.begin()));
            graph.find(name).data.clear();
            graph.inputs.push_back(name);
            CAPTURE(to_text(spec));
            tosa::Target target = tosa::test::kEverything;
            target.extensions |= tosa::kExtensionDynamic;
            const auto [file, built] = tosa::test::built(graph.file(), target);
            const auto made = match(built);
            REQUIRE(!made);
            CHECK(made.error().contains("its operands must satisfy a condition at run time"));
        }
    }

    TEST_CASE("a constant that IDENTITY reads is refused, with a block input or without") {
        GraphBuilder graph = identity(DType::Int8, {8});
        graph.constant("known", {8}, zeros(DType::Int8, {8}), DType::Int8);
        graph.operators[0].inputs = {"known"};
        refuse(graph, "operator 1 (CONST): no template has this constant");
        graph.inputs.clear();
        refuse(graph, "operator 1 (CONST): no template has this constant");
    }

    // Of graphs that the front end refuses, and match() does not rely on it.
    TEST_CASE("what no valid graph has is refused as well") {
        const auto spoilt = [](const GraphBuilder& builder, const std::string& constant,
                               const std::vector<std::byte>& data) {
            auto [file, graph] = tosa::test::built(builder.file(), tosa::test::kEverything);
            std::ranges::find(graph.values, constant, &tosa::Value::name)->data = data;
            const auto made = match(graph);
            REQUIRE(!made);
            return made.error();
        };
        const GraphBuilder product = matmul(kBf16Product, 32, 64, 32);
        const auto one = bytes_of<std::uint16_t>({0x3F80});
        CHECK(spoilt(product, "a_zero", one) ==
              "operator 2 (MATMUL): input 2, 'a_zero', is not zero");
        CHECK(spoilt(product, "b_zero", one) ==
              "operator 2 (MATMUL): input 3, 'b_zero', is not zero");
        CHECK(spoilt(matmul(kFp8Product, 32, 64, 32), "b_zero", one) ==
              "operator 4 (MATMUL): input 3, 'b_zero', is not zero");
        CHECK(spoilt(rescale(), "a_zero", bytes_of({1})) ==
              "operator 4 (RESCALE): the input's zero point 1 is not zero");
        CHECK(spoilt(rescale(), "multiplier", bytes_of({-1})) ==
              "operator 4 (RESCALE): multiplier = -1 is not in 0..2147483647");
        CHECK(spoilt(rescale(), "shift", bytes_of<char>({1})) ==
              "operator 4 (RESCALE): shift = 1 is not in 2..62");
        CHECK(spoilt(rescale(), "shift", bytes_of<char>({63})) ==
              "operator 4 (RESCALE): shift = 63 is not in 2..62");
    }

    TEST_CASE("unsigned numbers are refused") {
        const auto [file, graph] = tosa::test::built(
            rescale({.in = DType::Int8, .fields = {.output_unsigned = true}}).file(),
            tosa::test::kEverything);
        auto [other, spoilt] = tosa::test::built(rescale().file(), tosa::test::kEverything);
        spoilt.operators.back().serialized = graph.operators.back().serialized;
        const auto made = match(spoilt);
        REQUIRE(!made);
        CHECK(made.error() == "operator 4 (RESCALE): unsigned numbers are not supported");
    }

    TEST_CASE("of the other writer's files two are matched" *
              doctest::skip(!std::filesystem::exists("../shared/tosa"))) {
        std::vector<std::string> all;
        for (const auto& entry : std::filesystem::directory_iterator("../shared/tosa")) {
            std::vector<std::byte> bytes(entry.file_size());
            std::ifstream file(entry.path(), std::ios::binary);
            file.read(reinterpret_cast<char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
            const auto graph = tosa::build_graph(bytes, tosa::kEveryTarget);
            REQUIRE(graph);
            if (const auto spec = match(*graph)) all.push_back(to_text(*spec));
        }
        std::ranges::sort(all);
        CHECK(all == std::vector<std::string>{"int8-identity elements=8",
                                              "int8-matmul m=2 k=3 n=2 a_zero=-2 b_zero=3"});
    }
}

}  // namespace xdna::test
