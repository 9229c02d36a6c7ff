// SPDX-License-Identifier: MIT
//
// Each template's own conditions: what is matched, and what is off by one of them.
#include "xdna/matched.hpp"
#include "xdna/templates.hpp"

namespace xdna::test {
namespace {

using enum DType;

TEST_SUITE("xdna/match") {
    TEST_CASE("a graph of each template is matched") {
        for (const auto& [spec, graph] : templates())
            accept(spec, graph);
    }

    TEST_CASE("IDENTITY is matched in BF16 and INT8, once, in a chain, as a tree or not at all") {
        for (const std::int32_t count : {1024, 2048, 262144})
            accept(Bf16Identity{static_cast<std::uint32_t>(count)}, identity(Bf16, {count}));
        for (const std::int32_t count : {4, 8, 1020, 1024, 2048})
            accept(Int8Identity{static_cast<std::uint32_t>(count)}, identity(Int8, {1, count}));

        GraphBuilder chain;
        chain.input("a", {1024}, Bf16).tensor("x", {1024}, Bf16).tensor("y", {1024}, Bf16);
        chain.output("out", {1024}, Bf16).op(Op::Identity, {"y"}, {"out"});
        chain.op(Op::Identity, {"x"}, {"y"}).op(Op::Identity, {"a"}, {"x"});
        accept(Bf16Identity{1024}, chain);

        GraphBuilder tree = identity(Int8, {8});
        accept(Int8Identity{8}, tree.tensor("x", {8}, Int8).op(Op::Identity, {"a"}, {"x"}));

        GraphBuilder none;
        none.input("a", {1024}, Int8).outputs = {"a"};
        accept(Int8Identity{1024}, none);
    }

    TEST_CASE("IDENTITY of another type or size is refused") {
        refuse(identity(Bf16, {1023}),
               "IDENTITY of 'a': elements = 1023 is not a positive multiple of 1024");
        refuse(identity(Bf16, {8}),
               "IDENTITY of 'a': elements = 8 is not a positive multiple of 1024");
        refuse(identity(Bf16, {}),
               "IDENTITY of 'a': elements = 1 is not a positive multiple of 1024");
        refuse(identity(Int8, {6}),
               "IDENTITY of 'a': elements = 6 is not a positive multiple of 4");
        refuse(identity(Int8, {1028}),
               "IDENTITY of 'a': elements = 1028 is not a positive multiple of 1024");
        for (const DType type : {Bool, Int4, Int16, Int32, Int48, Fp32, Fp16, Fp8E4M3, Fp8E5M2})
            refuse(identity(type, {1024}),
                   "IDENTITY of " + std::string(tosa::name(type)) + " is not supported");
    }

    TEST_CASE("CAST is matched from either FP8 to BF16") {
        accept(Fp8ToBf16{Fp8::E4M3, 1024}, cast(Fp8E4M3, Bf16, {1024}));
        accept(Fp8ToBf16{Fp8::E5M2, 2048}, cast(Fp8E5M2, Bf16, {2, 1, 1024}));
    }

    TEST_CASE("CAST of other types or another size is refused") {
        refuse(cast(Fp8E4M3, Bf16, {512}),
               "operator 0 (CAST): elements = 512 is not a positive multiple of 1024");
        refuse(cast(Fp8E4M3, Fp16, {1024}), "operator 0 (CAST): FP8E4M3 to FP16 is not supported");
        refuse(cast(Fp8E5M2, Fp32, {1024}), "operator 0 (CAST): FP8E5M2 to FP32 is not supported");
        refuse(cast(Fp32, Bf16, {1024}), "operator 0 (CAST): FP32 to BF16 is not supported");
        refuse(cast(Int8, Bf16, {1024}), "operator 0 (CAST): INT8 to BF16 is not supported");
        refuse(cast(Bf16, Fp8E4M3, {1024}), "operator 0 (CAST): BF16 to FP8E4M3 is not supported");
        refuse(cast(Int8, Int32, {1024}), "operator 0 (CAST): INT8 to INT32 is not supported");
    }

    TEST_CASE("MATMUL is matched in BF16, in INT8 and of what is cast from FP8") {
        accept(Bf16Matmul{{32, 64, 32}}, matmul(kBf16Product, 32, 64, 32));
        accept(Bf16Matmul{{64, 128, 96}}, matmul(kBf16Product, 64, 128, 96));
        accept(Bf16Matmul{{512, 512, 512}}, matmul(kBf16Product, 512, 512, 512));
        accept(Int8Matmul{{2, 3, 2}, -2, 3}, matmul(kInt8Product, 2, 3, 2));
        accept(Int8Matmul{{64, 64, 32}, -128, 127},
               matmul({.a = Int8, .b = Int8, .out = Int32, .a_zero = -128, .b_zero = 127}, 64, 64,
                      32));
        for (const auto& [a, first] : {std::pair(Fp8E4M3, Fp8::E4M3), {Fp8E5M2, Fp8::E5M2}})
            for (const auto& [b, second] : {std::pair(Fp8E4M3, Fp8::E4M3), {Fp8E5M2, Fp8::E5M2}})
                accept(Fp8Matmul{first, second, {64, 128, 96}},
                       matmul({a, b, Fp32, Bf16, Bf16}, 64, 128, 96));
    }

    TEST_CASE("MATMUL of FP8 is matched in whichever order its operands are cast") {
        GraphBuilder graph = matmul(kFp8Product, 32, 64, 32);
        std::ranges::reverse(graph.operators);
        accept(Fp8Matmul{Fp8::E4M3, Fp8::E5M2, {32, 64, 32}}, graph);
    }

    TEST_CASE("MATMUL may have one constant for both zero points") {
        GraphBuilder graph;
        graph.input("a", {1, 32, 64}, Bf16).input("b", {1, 64, 32}, Bf16);
        graph.output("out", {1, 32, 32}).constant("zero", {1}, zeros(Bf16), Bf16);
        accept(Bf16Matmul{{32, 64, 32}}, graph.op(Op::MatMul, {"a", "b", "zero", "zero"}, {"out"}));
    }

    TEST_CASE("MATMUL of another shape is refused") {
        const std::string bf16 = "operator 2 (MATMUL): ", fp8 = "operator 4 (MATMUL): ";
        for (const auto& [p, place] : {std::pair(kBf16Product, bf16), {kFp8Product, fp8}}) {
            refuse(matmul(p, 48, 64, 32), place + "M = 48 is not a positive multiple of 32");
            refuse(matmul(p, 32, 96, 32), place + "K = 96 is not a positive multiple of 64");
            refuse(matmul(p, 32, 64, 33), place + "N = 33 is not a positive multiple of 32");
            refuse(matmul(p, 544, 64, 32), place + "M = 544 is not in 1..512");
            refuse(matmul(p, 32, 576, 32), place + "K = 576 is not in 1..512");
            refuse(matmul(p, 32, 64, 544), place + "N = 544 is not in 1..512");
            Product two = p;
            two.batch = 2;
            refuse(matmul(two, 32, 64, 32), place + "a batch of 2 is not supported");
        }
        refuse(matmul(kInt8Product, 513, 1, 1), bf16 + "M = 513 is not in 1..512");
        refuse(matmul(kInt8Product, 1, 513, 1), bf16 + "K = 513 is not in 1..512");
        refuse(matmul(kInt8Product, 1, 1, 513), bf16 + "N = 513 is not in 1..512");
        refuse(matmul(kInt8Product, 64, 64, 40),
               bf16 + "the bytes of all tensors are 16896, more than 16384");
        refuse(matmul({.a = Int8, .b = Int8, .out = Int32, .batch = 2}, 2, 3, 2),
               bf16 + "a batch of 2 is not supported");
    }

    TEST_CASE("MATMUL of other types is refused") {
        const std::string alone = "operator 2 (MATMUL): ", after = "operator 4 (MATMUL): ";
        const auto types = [](DType a, DType b, DType out) {
            return matmul({a, b, out}, 32, 64, 32);
        };
        refuse(types(Fp32, Fp32, Fp32), alone + "FP32 by FP32 to FP32 is not supported");
        refuse(types(Fp16, Fp16, Fp32), alone + "FP16 by FP16 to FP32 is not supported");
        refuse(types(Fp16, Fp16, Fp16), alone + "FP16 by FP16 to FP16 is not supported");
        refuse(types(Fp8E4M3, Fp8E4M3, Fp16),
               alone + "FP8E4M3 by FP8E4M3 to FP16 is not supported");
        refuse(types(Int16, Int16, Int48), alone + "INT16 by INT16 to INT48 is not supported");

        const auto cast = [](DType a, DType b, DType wide, DType out) {
            return matmul({a, b, out, wide, wide}, 32, 64, 32);
        };
        refuse(cast(Fp32, Fp8E4M3, Bf16, Fp32), after + "FP32 by FP8E4M3 to FP32 is not supported");
        refuse(cast(Fp8E4M3, Int8, Bf16, Fp32), after + "FP8E4M3 by INT8 to FP32 is not supported");
        refuse(cast(Fp8E4M3, Fp8E4M3, Fp16, Fp32), after + "'a_wide' is no CAST to BF16");
        refuse(cast(Fp8E4M3, Fp8E4M3, Fp32, Fp32), after + "'a_wide' is no CAST to BF16");
        refuse(cast(Bool, Bool, Int8, Int32), after + "'a_wide' is no CAST to BF16");
        refuse(matmul({Fp8E4M3, Bf16, Fp32, Bf16}, 32, 64, 32),
               "operator 3 (MATMUL): it is not supported after operator 0 (CAST)");
    }

    TEST_CASE("MATMUL of one CAST and something else is refused, where there is another CAST") {
        GraphBuilder graph = matmul({Fp8E4M3, Bf16, Fp32, Bf16}, 32, 64, 32);
        graph.tensor("dead", {1, 32, 64}, Bf16).op(Op::Cast, {"a"}, {"dead"});
        std::ranges::rotate(graph.operators, graph.operators.end() - 1);
        refuse(graph, "operator 4 (MATMUL): 'b' is no CAST to BF16");

        GraphBuilder copied = matmul({Fp8E4M3, Bf16, Fp32, Bf16}, 32, 64, 32);
        copied.operators.back().inputs[1] = "copy";
        copied.tensor("copy", {1, 64, 32}, Bf16).op(Op::Identity, {"b"}, {"copy"});
        refuse(copied, "operator 3 (MATMUL): 'copy' is no CAST to BF16");

        graph.find("b").data = zeros(Bf16, {1, 64, 32});
        graph.op(Op::Const, {}, {"b"}).inputs = {"a"};
        refuse(graph, "operator 4 (MATMUL): 'b' is no CAST to BF16");
    }

    TEST_CASE("RESCALE is matched from INT32 to INT8") {
        accept(Int32ToInt8Rescale{1, 0, 2, -128}, rescale({.dims = {},
                                                           .multiplier = bytes_of({0}),
                                                           .shift = bytes_of<char>({2}),
                                                           .out_zero = bytes_of<char>({-128})}));
        accept(Int32ToInt8Rescale{3276, INT32_MAX, 62, 127},
               rescale({.dims = {2, 1638},
                        .multiplier = bytes_of({INT32_MAX}),
                        .shift = bytes_of<char>({62}),
                        .out_zero = bytes_of<char>({127})}));
    }

    TEST_CASE("RESCALE of other types, sizes or attributes is refused") {
        const std::string place = "operator 4 (RESCALE): ";
        refuse(rescale({.in = Int16}), place + "INT16 to INT8 is not supported");
        refuse(rescale({.in = Int8}), place + "INT8 to INT8 is not supported");
        refuse(rescale({.out = Int16}), place + "INT32 to INT16 is not supported");
        refuse(rescale({.out = Int32}), place + "INT32 to INT32 is not supported");
        refuse(rescale({.in = Int48,
                        .multiplier = bytes_of<std::int16_t>({1}),
                        .fields = {.scale32 = false}}),
               place + "INT48 to INT8 is not supported");
        refuse(rescale({.dims = {3277}}),
               place + "the bytes of all tensors are 16388, more than 16384");
        refuse(rescale({.multiplier = bytes_of<std::int16_t>({1}), .fields = {.scale32 = false}}),
               place + "a scale of 16 bits is not supported");
        for (const std::uint32_t mode : {2U, 3U})
            refuse(rescale({.fields = {.rounding_mode = mode}}),
                   place + "only SINGLE_ROUND is supported");
        refuse(rescale({.dims = {8, 1}, .fields = {.per_channel = true}}),
               place + "a scale for each channel is not supported");
        refuse(rescale({.dims = {2},
                        .multiplier = bytes_of({1, 1}),
                        .shift = bytes_of<char>({2, 2}),
                        .fields = {.per_channel = true}}),
               place + "a scale for each channel is not supported");
    }

    TEST_CASE("MAX_POOL2D is matched with any window up to 8") {
        accept(Bf16MaxPool2d{16, 8, 3, 8, 1, 8, 7},
               max_pool(
                   {.in = {1, 16, 8, 3}, .out = {1, 2, 2, 3}, .kernel = {8, 1}, .stride = {8, 7}}));
        accept(Bf16MaxPool2d{8, 16, 1, 1, 8, 7, 8},
               max_pool(
                   {.in = {1, 8, 16, 1}, .out = {1, 2, 2, 1}, .kernel = {1, 8}, .stride = {7, 8}}));
        accept(Bf16MaxPool2d{1, 1, 4096, 1, 1, 1, 1}, max_pool({.in = {1, 1, 1, 4096},
                                                                .out = {1, 1, 1, 4096},
                                                                .kernel = {1, 1},
                                                                .stride = {1, 1}}));
    }

    TEST_CASE("MAX_POOL2D of another type, shape or attribute is refused") {
        const std::string place = "operator 0 (MAX_POOL2D): ";
        for (const DType type : {Int8, Int16, Fp8E4M3, Fp8E5M2, Fp16, Fp32})
            refuse(max_pool({.type = type}),
                   place + std::string(tosa::name(type)) + " is not supported");
        refuse(max_pool({.in = {2, 4, 4, 2}, .out = {2, 2, 2, 2}}),
               place + "a batch of 2 is not supported");
        refuse(max_pool({.nan_mode = tosa::NanMode::Ignore}),
               place + "only the NaN mode PROPAGATE is supported");
        refuse(max_pool({.out = {1, 3, 2, 2}, .pad = {1, 1, 0, 0}}),
               place + "padding is not supported");
        refuse(max_pool({.out = {1, 2, 3, 2}, .pad = {0, 0, 1, 1}}),
               place + "padding is not supported");
        const auto window = [](Dims in, Dims out, Dims kernel, Dims stride) {
            return max_pool({.in = std::move(in),
                             .out = std::move(out),
                             .kernel = std::move(kernel),
                             .stride = std::move(stride)});
        };
        refuse(window({1, 9, 4, 2}, {1, 1, 2, 2}, {9, 2}, {2, 2}),
               place + "height of the kernel = 9 is not in 1..8");
        refuse(window({1, 4, 9, 2}, {1, 2, 1, 2}, {2, 9}, {2, 2}),
               place + "width of the kernel = 9 is not in 1..8");
        refuse(window({1, 11, 4, 2}, {1, 2, 2, 2}, {2, 2}, {9, 2}),
               place + "height of the stride = 9 is not in 1..8");
        refuse(window({1, 4, 11, 2}, {1, 2, 2, 2}, {2, 2}, {2, 9}),
               place + "width of the stride = 9 is not in 1..8");
        refuse(window({1, 1, 1, 4097}, {1, 1, 1, 4097}, {1, 1}, {1, 1}),
               place + "the elements of both tensors are 8194, more than 8192");
    }
}

}  // namespace
}  // namespace xdna::test
