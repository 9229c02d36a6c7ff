// SPDX-License-Identifier: MIT
//
// Writes TOSA files for tests: a plain description, every field of which a test may
// spoil, and the bytes that it stands for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tosa/types.hpp"
#include "tosa_generated.h"

namespace tosa::test {

template <class T>
std::vector<std::byte> bytes_of(std::initializer_list<T> elements) {
    const auto view = std::as_bytes(std::span(elements.begin(), elements.size()));
    return {view.begin(), view.end()};
}

using Text = std::optional<std::string>;
using Dims = std::vector<std::int32_t>;
using Names = std::vector<std::string>;
using Attribute = std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)>;

// An attribute table without fields, and no table at all.
inline flatbuffers::Offset<void> empty_attribute(flatbuffers::FlatBufferBuilder& builder) {
    return builder.EndTable(builder.StartTable());
}
inline flatbuffers::Offset<void> no_attribute(flatbuffers::FlatBufferBuilder& /*builder*/) {
    return {};
}

struct TensorSpec {
    Text name{};
    std::optional<Dims> dims{};
    std::uint32_t type = static_cast<std::uint32_t>(DType::Fp32);
    std::vector<std::byte> data{};
    bool variable = false;
    bool unranked = false;
    std::string variable_name{};
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

struct ShapeSpec {
    Text name{};
    std::uint32_t rank = 0;
    std::vector<std::byte> data{};
};

struct OperatorSpec {
    std::uint32_t op = 0;
    std::uint32_t tag = 0;
    Attribute attribute = empty_attribute;
    Names inputs{};
    Names outputs{};
};

class GraphBuilder {
 public:
    std::int32_t major = 1, minor = 0, patch = 0;
    bool draft = false;
    Text region = "main";
    Text block = "entry";
    std::size_t regions = 1, blocks = 1;  // how often each is written
    // What follows this block in its region, and what regions follow. Of them only what a
    // block or a region has is written.
    std::vector<GraphBuilder> more_blocks, more_regions;
    std::vector<TensorSpec> tensors;
    std::vector<ShapeSpec> shapes;
    std::vector<OperatorSpec> operators;
    Names inputs, outputs;
    std::vector<std::byte> trailer;  // follows the FlatBuffer, for external constants

    GraphBuilder& tensor(std::string name, Dims dims, DType type = DType::Fp32) {
        tensors.push_back({.name = std::move(name),
                           .dims = std::move(dims),
                           .type = static_cast<std::uint32_t>(type)});
        return *this;
    }

    GraphBuilder& input(std::string name, Dims dims, DType type = DType::Fp32) {
        inputs.push_back(name);
        return tensor(std::move(name), std::move(dims), type);
    }

    GraphBuilder& output(std::string name, Dims dims, DType type = DType::Fp32) {
        outputs.push_back(name);
        return tensor(std::move(name), std::move(dims), type);
    }

    GraphBuilder& op(Op code, Names in, Names out, Attribute attribute = empty_attribute) {
        const auto number = static_cast<std::uint32_t>(code);
        operators.push_back({number, number, std::move(attribute), std::move(in), std::move(out)});
        return *this;
    }

    GraphBuilder& constant(std::string name, Dims dims, std::vector<std::byte> data,
                           DType type = DType::Fp32) {
        op(Op::Const, {}, {name});
        tensor(std::move(name), std::move(dims), type);
        tensors.back().data = std::move(data);
        return *this;
    }

    GraphBuilder& shape(std::string name, std::initializer_list<std::int64_t> values) {
        op(Op::ConstShape, {}, {name});
        shapes.push_back(
            {std::move(name), static_cast<std::uint32_t>(values.size()), bytes_of(values)});
        return *this;
    }

    GraphBuilder& clamp(std::string in, std::string out, std::vector<std::byte> low,
                        std::vector<std::byte> high, NanMode mode = NanMode::Propagate) {
        return op(Op::Clamp, {std::move(in)}, {std::move(out)},
                  [low = std::move(low), high = std::move(high),
                   mode](flatbuffers::FlatBufferBuilder& builder) {
                      const auto min = aligned(builder, low);
                      const auto max = aligned(builder, high);
                      return fbs::CreateClampAttribute(builder, min, max,
                                                       static_cast<fbs::NanPropagationMode>(mode))
                          .Union();
                  });
    }

    GraphBuilder& clamp(std::string in, std::string out, float low, float high,
                        NanMode mode = NanMode::Propagate) {
        return clamp(std::move(in), std::move(out), bytes_of({low}), bytes_of({high}), mode);
    }

    // With the two zero points that MATMUL wants, named after the output.
    GraphBuilder& matmul(const std::string& a, const std::string& b, const std::string& out) {
        constant(out + "_azp", {1}, bytes_of({0.0F}));
        constant(out + "_bzp", {1}, bytes_of({0.0F}));
        return op(Op::MatMul, {a, b, out + "_azp", out + "_bzp"}, {out});
    }

    [[nodiscard]] TensorSpec& find(const std::string& name) {
        return *std::ranges::find(tensors, Text(name), &TensorSpec::name);
    }

    // A variable, which belongs to no operator yet.
    GraphBuilder& variable(std::string name, std::string variable_name, Dims dims,
                           DType type = DType::Fp32) {
        tensor(std::move(name), std::move(dims), type);
        tensors.back().variable = true;
        tensors.back().variable_name = std::move(variable_name);
        return *this;
    }

    GraphBuilder& cond_if(Names in, Names out, Text then_graph, Text else_graph) {
        return op(Op::CondIf, std::move(in), std::move(out),
                  [=](flatbuffers::FlatBufferBuilder& builder) {
                      const auto then_name = text(builder, then_graph);
                      const auto else_name = text(builder, else_graph);
                      return fbs::CreateCondIfAttribute(builder, then_name, else_name).Union();
                  });
    }

    GraphBuilder& while_loop(Names in, Names out, Text cond_graph, Text body_graph) {
        return op(Op::WhileLoop, std::move(in), std::move(out),
                  [=](flatbuffers::FlatBufferBuilder& builder) {
                      const auto cond_name = text(builder, cond_graph);
                      const auto body_name = text(builder, body_graph);
                      return fbs::CreateWhileLoopAttribute(builder, cond_name, body_name).Union();
                  });
    }

    // Another region of the file, which starts with `entry`.
    GraphBuilder& add_region(std::string name, GraphBuilder entry) {
        entry.region = std::move(name);
        more_regions.push_back(std::move(entry));
        return *this;
    }

    // Another block of this region.
    GraphBuilder& add_block(std::string name, GraphBuilder other) {
        other.block = std::move(name);
        more_blocks.push_back(std::move(other));
        return *this;
    }

    // Bytes aligned as build_graph() wants them.
    [[nodiscard]] std::vector<std::byte> file() const {
        flatbuffers::FlatBufferBuilder builder;
        std::vector region_offsets(regions, write_region(builder));
        for (const GraphBuilder& other : more_regions)
            region_offsets.push_back(other.write_region(builder));
        const auto region_list = builder.CreateVector(region_offsets);
        const auto version = fbs::CreateVersion(builder, major, minor, patch, draft);
        fbs::FinishTosaGraphBuffer(builder, fbs::CreateTosaGraph(builder, version, region_list));
        const auto view = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
        std::vector<std::byte> bytes(view.begin(), view.end());
        bytes.insert(bytes.end(), trailer.begin(), trailer.end());
        return bytes;
    }

 private:
    using Builder = flatbuffers::FlatBufferBuilder;

    static flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> aligned(
        Builder& builder, const std::vector<std::byte>& data) {
        if (data.empty()) return 0;
        builder.ForceVectorAlignment(data.size(), 1, 8);
        return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(data.data()),
                                    data.size());
    }

    static flatbuffers::Offset<flatbuffers::String> text(Builder& builder, const Text& value) {
        return value ? builder.CreateString(*value) : flatbuffers::Offset<flatbuffers::String>();
    }

    static flatbuffers::Offset<fbs::TosaTensor> write(Builder& builder, const TensorSpec& spec) {
        const auto name = text(builder, spec.name);
        const auto dims = spec.dims ? builder.CreateVector(*spec.dims)
                                    : flatbuffers::Offset<flatbuffers::Vector<std::int32_t>>();
        const auto variable_name = spec.variable_name.empty()
                                       ? flatbuffers::Offset<flatbuffers::String>()
                                       : builder.CreateString(spec.variable_name);
        return fbs::CreateTosaTensor(builder, name, dims, static_cast<fbs::DType>(spec.type),
                                     aligned(builder, spec.data), spec.variable, spec.unranked,
                                     variable_name, spec.offset, spec.size);
    }

    static flatbuffers::Offset<fbs::TosaShape> write(Builder& builder, const ShapeSpec& spec) {
        const auto name = text(builder, spec.name);
        return fbs::CreateTosaShape(builder, name, spec.rank, aligned(builder, spec.data));
    }

    static flatbuffers::Offset<fbs::TosaOperator> write(Builder& builder,
                                                        const OperatorSpec& spec) {
        const auto attribute = spec.attribute(builder);
        const auto in = builder.CreateVectorOfStrings(spec.inputs);
        const auto out = builder.CreateVectorOfStrings(spec.outputs);
        return fbs::CreateTosaOperator(builder, static_cast<fbs::Op>(spec.op),
                                       static_cast<fbs::Attribute>(spec.tag), attribute, in, out);
    }

    template <class Spec>
    static auto write_all(Builder& builder, const std::vector<Spec>& specs) {
        std::vector<decltype(write(builder, specs.front()))> offsets;
        for (const Spec& spec : specs)
            offsets.push_back(write(builder, spec));
        return builder.CreateVector(offsets);
    }

    [[nodiscard]] flatbuffers::Offset<fbs::TosaRegion> write_region(Builder& builder) const {
        std::vector offsets(blocks, write_block(builder));
        for (const GraphBuilder& other : more_blocks)
            offsets.push_back(other.write_block(builder));
        const auto list = builder.CreateVector(offsets);
        return fbs::CreateTosaRegion(builder, text(builder, region), list);
    }

    [[nodiscard]] flatbuffers::Offset<fbs::TosaBasicBlock> write_block(Builder& builder) const {
        const auto operator_list = write_all(builder, operators);
        const auto tensor_list = write_all(builder, tensors);
        const auto shape_list = write_all(builder, shapes);
        const auto in = builder.CreateVectorOfStrings(inputs);
        const auto out = builder.CreateVectorOfStrings(outputs);
        return fbs::CreateTosaBasicBlock(builder, text(builder, block), operator_list, tensor_list,
                                         in, out, shape_list);
    }
};

}  // namespace tosa::test
