// SPDX-License-Identifier: MIT
//
// NaN among numbers: it is handed on, or ignored where there is a number beside it.
#include <limits>

#include "corpus/recipe.hpp"

namespace corpus {
namespace {

using tosa::NanMode;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void add_cases_of(std::vector<Case>& cases, const std::string& suffix, DType type, NanMode mode) {
    const auto recipe = [&](const char* name) { return Recipe(name + suffix, kFloat); };
    const Tensor x = tensor(type, {3, 3}, {1, kNan, -3, kNan, 2, -kInfinity, 7, -2, kInfinity});
    const Tensor y = tensor(type, {3, 3}, {kNan, kNan, 2, -1, kNan, 5, 7, 3, -2});
    for (const auto& [name, op] :
         {std::pair{"maximum-nan", Op::Maximum}, {"minimum-nan", Op::Minimum}})
        cases.push_back(recipe(name).input(x).input(y).output(op, computed(type, {3, 3}), kExact,
                                                              attribute(op, {.nan_mode = mode})));
    for (const auto& [name, op] :
         {std::pair{"reduce-max-nan", Op::ReduceMax}, {"reduce-min-nan", Op::ReduceMin}})
        cases.push_back(recipe(name).input(x).output(op, computed(type, {1, 3}), kExact,
                                                     attribute(op, {.axis = 0, .nan_mode = mode})));
    Recipe clamp = recipe("clamp-nan");
    clamp.input(x)
        .graph.output("output", {3, 3}, type)
        .clamp("input0", "output", tensor(type, {1}, {-2.5}).data, tensor(type, {1}, {6}).data,
               mode);
    cases.push_back(clamp.finish({computed(type, {3, 3})}, kExact));
    cases.push_back(recipe("max-pool2d-nan")
                        .input(Tensor{type, {1, 3, 3, 1}, x.data})
                        .output(Op::MaxPool2d, computed(type, {1, 2, 2, 1}), kExact,
                                attribute(Op::MaxPool2d, {.nan_mode = mode,
                                                          .kernel = Dims{2, 2},
                                                          .stride = Dims{1, 1},
                                                          .pad = Dims{0, 0, 0, 0}})));
}

}  // namespace

void add_nan_cases(std::vector<Case>& cases) {
    for (const Kind& kind : kKinds)
        if (tosa::is_float(kind.type)) {
            add_cases_of(cases, std::string("-propagated") + kind.suffix, kind.type,
                         NanMode::Propagate);
            add_cases_of(cases, std::string("-ignored") + kind.suffix, kind.type, NanMode::Ignore);
        }
}

}  // namespace corpus
