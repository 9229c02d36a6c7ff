// SPDX-License-Identifier: MIT
//
// What the tiers say is what loads: an operator of each kind, of every combination of types.
#include "cpu/rig.hpp"
#include "tosa/single_operator.hpp"
#include "tosa/tiers.hpp"
#include "vulkan/test_device.hpp"

namespace vulkan {
namespace {

using tosa::DType;
using tosa::Op;

constexpr DType kTypes[] = {DType::Bool,  DType::Int4,    DType::Int8,   DType::Int16,
                            DType::Int32, DType::Int48,   DType::Fp32,   DType::Fp16,
                            DType::Bf16,  DType::Fp8E4M3, DType::Fp8E5M2};
constexpr DType kAccumulators[] = {DType::Int32, DType::Int48, DType::Fp32, DType::Fp16};

bool is_structure(Op op) {
    return op == Op::CondIf || op == Op::WhileLoop || op == Op::Custom || op == Op::Variable ||
           op == Op::VariableWrite || op == Op::VariableRead || op == Op::Const ||
           op == Op::ConstShape;
}

TEST_CASE("a provider takes what its tiers list, and nothing else" *
          doctest::skip(test::skipped())) {
    const cpu::test::Rig rig(
        std::shared_ptr<provider::Provider>(open({.name = test::device_name()}).value()));
    std::size_t taken = 0, refused = 0;
    const auto check = [&](Op op, const tosa::test::Types& types, const tosa::Descriptor& tier) {
        const auto single = tosa::test::valid(op, types);
        if (!tosa::test::accepted(single, tier.target)) return;
        CAPTURE(tosa::name(op));
        CAPTURE(tosa::name(types.value));
        CAPTURE(tosa::name(types.result));
        CAPTURE(tosa::describe(tier.target));
        const auto file = single.graph().file();
        const auto graph = tosa::build_graph(file, tier.target);
        REQUIRE(graph);
        const bool listed = tosa::admits(tier, *graph).has_value();
        const auto program = rig.try_load(file, cpu::test::kNoCeiling, tier.target);
        // A tier lists all that the provider takes for its target, and more may load for
        // another's sake.
        if (listed) CHECK(program.has_value());
        listed ? ++taken : ++refused;
        if (!program)
            CHECK((program.error().kind == provider::ErrorKind::Unsupported ||
                   program.error().kind == provider::ErrorKind::Incompatible));
    };
    for (const tosa::Descriptor& tier : tosa::vulkan_tiers())
        for (std::uint32_t number = 1; number <= tosa::kLastStableOp; ++number) {
            const Op op = static_cast<Op>(number);
            if (is_structure(op)) continue;
            for (const DType value : kTypes)
                for (const DType result : kTypes)
                    for (const DType acc : kAccumulators)
                        check(op, {value, result, value, acc}, tier);
        }
    CHECK(taken > 100);
    MESSAGE(taken, " taken, ", refused, " not listed");
}

}  // namespace
}  // namespace vulkan
