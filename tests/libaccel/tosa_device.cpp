// SPDX-License-Identifier: MIT
#include "tosa_device.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tosa_generated.h"

namespace fake {

namespace {

namespace fbs = tosa::fbs;

using Values = std::vector<float>;
using Tensors = std::map<std::string, Values>;

const fbs::TosaBasicBlock& block_of(const Program& program) {
    return *fbs::GetTosaGraph(program.bytes.data())->regions()->Get(0)->blocks()->Get(0);
}

Values values_of(std::span<const std::byte> bytes) {
    Values values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

Values values_of(const flatbuffers::Vector<std::uint8_t>& bytes) {
    return values_of(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

const fbs::TosaTensor& tensor(const fbs::TosaBasicBlock& block, const std::string& name) {
    return **std::ranges::find_if(*block.tensors(),
                                  [&](const auto* one) { return one->name()->str() == name; });
}

// [1, m, k] by [1, k, n]
Values multiply(const Values& a, const Values& b, std::size_t m, std::size_t k) {
    const std::size_t n = b.size() / k;
    Values product(m * n);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t l = 0; l < k; ++l)
                product[i * n + j] += a[i * k + l] * b[l * n + j];
    return product;
}

Values evaluate(const fbs::TosaBasicBlock& block, const fbs::TosaOperator& op,
                const Tensors& tensors) {
    const auto input = [&](flatbuffers::uoffset_t i) -> const Values& {
        return tensors.at(op.inputs()->Get(i)->str());
    };
    switch (op.op()) {
        case fbs::Op::CONST:
            return values_of(*tensor(block, op.outputs()->Get(0)->str()).data());
        case fbs::Op::MATMUL: {
            const auto& shape = *tensor(block, op.inputs()->Get(0)->str()).shape();
            return multiply(input(0), input(1), static_cast<std::size_t>(shape.Get(1)),
                            static_cast<std::size_t>(shape.Get(2)));
        }
        case fbs::Op::ADD: {
            Values sum = input(0);
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += input(1)[i % input(1).size()];
            return sum;
        }
        case fbs::Op::CLAMP: {
            const auto& bounds = *op.attribute_as_ClampAttribute();
            Values clamped = input(0);
            for (float& value : clamped)
                value = std::clamp(value, values_of(*bounds.min_val())[0],
                                   values_of(*bounds.max_val())[0]);
            return clamped;
        }
        default:
            return input(0);  // IDENTITY: others were not loaded
    }
}

}  // namespace

int load_tosa(const Program& program) {
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(program.bytes.data()),
                                   program.bytes.size());
    if (program.format != 0x544F5341) return EOPNOTSUPP;
    if (!fbs::VerifyTosaGraphBuffer(verifier)) return EINVAL;
    const decltype(program.target) floating{0x544F5341, 1, 1, 0, 0, 2, 1};
    if (program.target != floating) return ENOEXEC;
    for (const auto* op : *block_of(program).operators())
        if (op->op() != fbs::Op::CONST && op->op() != fbs::Op::MATMUL && op->op() != fbs::Op::ADD &&
            op->op() != fbs::Op::CLAMP && op->op() != fbs::Op::IDENTITY)
            return EOPNOTSUPP;
    return 0;
}

accel::EventState run_tosa(const Program& program, std::span<const Bound> bound) {
    const auto& block = block_of(program);
    const auto inputs = block.inputs()->size();
    Tensors tensors;
    for (const Bound& binding : bound)
        if (binding.slot < inputs)
            tensors[block.inputs()->Get(binding.slot)->str()] = values_of(binding.bytes);
    for (const auto* op : *block.operators())
        tensors[op->outputs()->Get(0)->str()] = evaluate(block, *op, tensors);
    for (const Bound& binding : bound)
        if (binding.slot >= inputs)
            std::ranges::copy(std::as_bytes(std::span(
                                  tensors.at(block.outputs()->Get(binding.slot - inputs)->str()))),
                              binding.bytes.begin());
    return {.phase = accel::EventState::Phase::Complete};
}

}  // namespace fake
