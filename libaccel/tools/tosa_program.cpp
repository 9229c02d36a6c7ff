// SPDX-License-Identifier: MIT
#include "tosa_program.hpp"

#include <cstdint>
#include <string>

#include "tosa_generated.h"

namespace accelctl {

namespace {

namespace fbs = tosa::fbs;
using Names = std::vector<std::string>;

// One region with one block.
class Program {
 public:
    void tensor(const std::string& name, const std::vector<std::int32_t>& shape) {
        tensors_.push_back(
            fbs::CreateTosaTensorDirect(builder_, name.c_str(), &shape, fbs::DType::FP32, nullptr));
    }

    // A tensor and the operator that produces it.
    void constant(const std::string& name, const std::vector<std::int32_t>& shape,
                  std::span<const float> values) {
        const auto data = bytes_of(values);
        tensors_.push_back(
            fbs::CreateTosaTensorDirect(builder_, name.c_str(), &shape, fbs::DType::FP32, &data));
        add(fbs::Op::CONST, fbs::Attribute::ConstAttribute,
            fbs::CreateConstAttribute(builder_).Union(), {}, {name});
    }

    void add(fbs::Op op, fbs::Attribute tag, flatbuffers::Offset<void> attribute,
             const Names& inputs, const Names& outputs) {
        operators_.push_back(fbs::CreateTosaOperator(builder_, op, tag, attribute,
                                                     builder_.CreateVectorOfStrings(inputs),
                                                     builder_.CreateVectorOfStrings(outputs)));
    }

    [[nodiscard]] std::vector<std::byte> finish(const Names& inputs, const Names& outputs) {
        const auto block = fbs::CreateTosaBasicBlock(
            builder_, builder_.CreateString("main"), builder_.CreateVector(operators_),
            builder_.CreateVector(tensors_), builder_.CreateVectorOfStrings(inputs),
            builder_.CreateVectorOfStrings(outputs));
        const std::vector blocks{block};
        const std::vector regions{fbs::CreateTosaRegionDirect(builder_, "main", &blocks)};
        const auto version = fbs::CreateVersion(builder_, 1, 0, 0, false);
        fbs::FinishTosaGraphBuffer(builder_,
                                   fbs::CreateTosaGraphDirect(builder_, version, &regions));
        const auto bytes =
            std::as_bytes(std::span(builder_.GetBufferPointer(), builder_.GetSize()));
        return {bytes.begin(), bytes.end()};
    }

    [[nodiscard]] flatbuffers::FlatBufferBuilder& builder() { return builder_; }

    static std::vector<std::uint8_t> bytes_of(std::span<const float> values) {
        const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
        return {first, first + values.size_bytes()};
    }

 private:
    flatbuffers::FlatBufferBuilder builder_;
    std::vector<flatbuffers::Offset<fbs::TosaOperator>> operators_;
    std::vector<flatbuffers::Offset<fbs::TosaTensor>> tensors_;
};

}  // namespace

std::vector<std::byte> identity_program(std::size_t count) {
    Program program;
    const std::vector shape{static_cast<std::int32_t>(count)};
    program.tensor("x", shape);
    program.tensor("y", shape);
    program.add(fbs::Op::IDENTITY, fbs::Attribute::IdentityAttribute,
                fbs::CreateIdentityAttribute(program.builder()).Union(), {"x"}, {"y"});
    return program.finish({"x"}, {"y"});
}

std::vector<std::byte> linear_program(const LinearConstants& constants) {
    Program program;
    auto& builder = program.builder();
    constexpr std::array kZero{0.0F};
    program.tensor("a", {1, 2, 3});
    program.tensor("b", {1, 3, 2});
    program.constant("a_zero_point", {1}, kZero);
    program.constant("b_zero_point", {1}, kZero);
    program.constant("bias", {1, 1, 2}, constants.bias);
    for (const char* name : {"product", "sum", "y"})
        program.tensor(name, {1, 2, 2});

    program.add(fbs::Op::MATMUL, fbs::Attribute::MatMulAttribute,
                fbs::CreateMatMulAttribute(builder).Union(),
                {"a", "b", "a_zero_point", "b_zero_point"}, {"product"});
    program.add(fbs::Op::ADD, fbs::Attribute::AddAttribute,
                fbs::CreateAddAttribute(builder).Union(), {"product", "bias"}, {"sum"});
    const auto low = Program::bytes_of({&constants.low, 1});
    const auto high = Program::bytes_of({&constants.high, 1});
    const auto clamp =
        fbs::CreateClampAttributeDirect(builder, &low, &high, fbs::NanPropagationMode::PROPAGATE);
    program.add(fbs::Op::CLAMP, fbs::Attribute::ClampAttribute, clamp.Union(), {"sum"}, {"y"});
    return program.finish({"a", "b"}, {"y"});
}

}  // namespace accelctl
