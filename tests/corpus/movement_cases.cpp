// SPDX-License-Identifier: MIT
//
// Operators that move elements, with rows of odd length: of types narrower than a word, rows
// begin and end within one, beside elements of others.
#include "corpus/recipe.hpp"

namespace corpus {
namespace {

void add_movement(std::vector<Case>& cases, const Kind& kind) {
    const auto& [suffix, type, target] = kind;
    const auto recipe = [&](const std::string& name) { return Recipe(name + suffix, target); };
    const Tensor matrix = pattern(type, {3, 5}, 2);
    const Tensor cube = pattern(type, {3, 5, 3}, 2);

    cases.push_back(recipe("pad-odd")
                        .input(matrix)
                        .shape({1, 1, 0, 2})
                        .constant(tensor(type, {1}, {type == DType::Int8 ? -3.0 : 0.0}))
                        .output(Op::Pad, computed(type, {5, 7})));
    cases.push_back(recipe("slice-odd")
                        .input(cube)
                        .shape({0, 1, 1})
                        .shape({3, 3, 1})
                        .output(Op::Slice, computed(type, {3, 3, 1})));
    cases.push_back(
        recipe("tile-odd").input(matrix).shape({3, 3}).output(Op::Tile, computed(type, {9, 15})));
    for (const std::int32_t axis : {0, 1, 2})
        cases.push_back(recipe("reverse-odd-axis" + std::to_string(axis))
                            .input(cube)
                            .output(Op::Reverse, computed(type, {3, 5, 3}), kExact,
                                    attribute(Op::Reverse, {.axis = axis})));
    cases.push_back(recipe("transpose-odd")
                        .input(cube)
                        .output(Op::Transpose, computed(type, {3, 3, 5}), kExact,
                                attribute(Op::Transpose, {.perms = Dims{2, 0, 1}})));
    cases.push_back(recipe("concat-odd")
                        .input(pattern(type, {3, 1}, 1))
                        .input(pattern(type, {3, 3}, 2))
                        .input(pattern(type, {3, 1}, 3))
                        .output(Op::Concat, computed(type, {3, 5}), kExact,
                                attribute(Op::Concat, {.axis = 1})));
    cases.push_back(
        recipe("gather-odd")
            .input(pattern(type, {2, 5, 3}, 2))
            .input(tensor(DType::Int32, {2, 7}, {4, 0, 0, 3, 1, 2, 4, 1, 1, 4, 2, 0, 3, 3}))
            .output(Op::Gather, computed(type, {2, 7, 3})));
    cases.push_back(recipe("scatter-odd")
                        .input(pattern(type, {2, 5, 3}, 2))
                        .input(tensor(DType::Int32, {2, 2}, {4, 0, 1, 3}))
                        .input(pattern(type, {2, 2, 3}, 4))
                        .output(Op::Scatter, computed(type, {2, 5, 3})));
}

// Doubles an image of 3 x 3, by pixel centres or by corners.
void add_resize(std::vector<Case>& cases, const Kind& kind) {
    const auto& [suffix, type, target] = kind;
    struct Where {
        const char* name;
        std::int64_t offset, border;
    };
    for (const auto& [name, offset, border] : {Where{"centres", -1, 1}, Where{"corners", 0, 2}})
        for (const bool bilinear : {false, true}) {
            const DType out = bilinear && type == DType::Int8 ? DType::Int32 : type;
            const char* mode = bilinear ? "resize-bilinear-" : "resize-nearest-";
            cases.push_back(Recipe(std::string(mode) + name + suffix, target)
                                .input(pattern(type, {1, 3, 3, 3}, 2))
                                .shape({4, 2, 4, 2})
                                .shape({offset, offset})
                                .shape({border, border})
                                .output(Op::Resize, computed(out, {1, 6, 6, 3}), kExact,
                                        attribute(Op::Resize, {.mode = bilinear ? 2U : 1U})));
        }
}

}  // namespace

void add_movement_cases(std::vector<Case>& cases) {
    for (const Kind& kind : kKinds) {
        add_movement(cases, kind);
        add_resize(cases, kind);
    }
}

}  // namespace corpus
