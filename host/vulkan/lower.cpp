// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <numeric>

#include "tosa/number.hpp"
#include "vulkan/lowerer.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

// Every dispatch has a pipeline of its own, which the driver compiles at load.
constexpr std::size_t kMostSteps = 4096;

// RESHAPE, IDENTITY.
Result<void> add_view(Lowerer& to, const tosa::Operator& op) {
    const ValueId operands[] = {op.inputs[0], op.outputs[0]};
    if (auto fits = to.check(operands); !fits) return fits;
    const TensorId from = to.root(op.inputs[0]), into = op.outputs[0];
    Tensor& source = to.out.tensors[from];
    const std::uint32_t slot = to.out.tensors[into].slot;
    if (slot != tosa::kNoId) {
        if (source.slot != tosa::kNoId || !source.contents.empty()) {
            add_copy(to, from, into);
            return {};
        }
        source.slot = slot;
    }
    to.view(into, from);
    return {};
}

// CONST, CONST_SHAPE: whoever reads them finds their contents.
Result<void> add_nothing(Lowerer&, const tosa::Operator&) {
    return {};
}

constexpr LowerRow kRows[] = {
    {tosa::Op::Const, add_nothing},
    {tosa::Op::ConstShape, add_nothing},
    {tosa::Op::Identity, add_view},
    {tosa::Op::Reshape, add_view},
};

using Table = std::array<Lower, tosa::kLastStableOp + 1>;

const Table& table() {
    static const Table made = [] {
        Table rows{};
        for (const auto family :
             {std::span<const LowerRow>(kRows), elementwise_rows(), rescale_rows(), move_rows(),
              product_rows(), window_rows(), reduce_rows(), lookup_rows()})
            for (const LowerRow& row : family)
                rows[static_cast<std::size_t>(row.op)] = row.lower;
        return rows;
    }();
    return made;
}

}  // namespace

std::optional<std::uint32_t> shader_type(tosa::DType type) {
    switch (type) {
        case tosa::DType::Fp32:
            return shader::kFp32;
        case tosa::DType::Fp16:
            return shader::kFp16;
        case tosa::DType::Fp8E4M3:
            return shader::kFp8E4M3;
        case tosa::DType::Fp8E5M2:
            return shader::kFp8E5M2;
        case tosa::DType::Bool:
            return shader::kBool;
        case tosa::DType::Int8:
            return shader::kInt8;
        case tosa::DType::Int32:
            return shader::kInt32;
        default:
            return std::nullopt;
    }
}

Extents padded(const tosa::Value& tensor) {
    Extents dims;
    dims.fill(1);
    std::ranges::transform(tensor.dims, dims.end() - static_cast<std::ptrdiff_t>(tensor.rank()),
                           [](std::int32_t d) { return static_cast<std::uint32_t>(d); });
    return dims;
}

Extents strides_of(const Extents& dims) {
    Extents result{};
    std::uint32_t step = 1;
    for (std::size_t i = kMostDims; i-- > 0; step *= dims[i])
        result[i] = dims[i] == 1 ? 0 : step;
    return result;
}

std::optional<std::vector<std::int64_t>> integers(const tosa::Value& value) {
    if (!value.constant() || tosa::is_float(value.type)) return std::nullopt;
    std::vector<std::int64_t> values(value.elements);
    for (std::uint64_t i = 0; i < value.elements; ++i)
        values[i] = tosa::read_integer(value.type, value.data.data(), i);
    return values;
}

Result<std::int32_t> zero_point(const Lowerer& to, const tosa::Operator& op, std::size_t operand) {
    if (operand >= op.inputs.size()) return 0;
    const tosa::Value& value = to.value(op.inputs[operand]);
    if (value.constant() && value.elements == 1) {
        if (!tosa::is_float(value.type))
            return static_cast<std::int32_t>(tosa::read_integer(value.type, value.data.data(), 0));
        if (tosa::read_float(value.type, value.data.data(), 0) == 0) return 0;
    }
    return std::unexpected(ErrorKind::Unsupported);
}

// A value in two slots would need a copy that the graph does not ask for, and so
// would a constant: such graphs are refused, as everywhere.
Result<void> Lowerer::bind_slots() {
    if (graph.inputs.size() + graph.outputs.size() >= grid.elements)
        return std::unexpected(ErrorKind::ResourceLimit);
    for (const tosa::Value& v : graph.values)
        append({.type = shader_type(v.type).value_or(shader::kFp32),
                .elements = v.elements,
                .bytes = v.bytes,
                .contents = v.constant() ? v.data : std::span<const std::byte>{}});
    std::uint32_t slot = 0;
    for (const auto* ids : {&graph.inputs, &graph.outputs}) {
        for (const ValueId id : *ids) {
            if (auto fits = check(id); !fits) return fits;
            Tensor& tensor = out.tensors[id];
            if (tensor.slot != tosa::kNoId || !tensor.contents.empty())
                return std::unexpected(ErrorKind::Unsupported);
            tensor.slot = slot++;
        }
    }
    out.inputs.assign(graph.inputs.begin(), graph.inputs.end());
    out.outputs.assign(graph.outputs.begin(), graph.outputs.end());
    return {};
}

Result<void> Lowerer::check(ValueId id) const {
    const tosa::Value& v = graph.values[id];
    if (!shader_type(v.type) || v.rank() > kMostDims)
        return std::unexpected(ErrorKind::Unsupported);
    if (v.bytes > grid.max_range) return std::unexpected(ErrorKind::ResourceLimit);
    return {};
}

Result<void> Lowerer::check(std::span<const ValueId> ids) const {
    for (const ValueId id : ids)
        if (auto fits = check(id); !fits) return fits;
    return {};
}

TensorId Lowerer::append(const Tensor& tensor) {
    const auto id = static_cast<TensorId>(out.tensors.size());
    out.tensors.push_back(tensor);
    out.tensors.back().same_as = id;
    return id;
}

Result<TensorId> Lowerer::temporary(std::uint32_t type, std::uint64_t elements) {
    const std::uint64_t bytes = elements * (4 / shader::lanes_of(type));
    if (bytes > grid.max_range) return std::unexpected(ErrorKind::ResourceLimit);
    return append({.type = type, .elements = elements, .bytes = bytes});
}

Result<TensorId> Lowerer::constant(std::uint32_t type, std::vector<std::byte> contents) {
    if (contents.size() > grid.max_range) return std::unexpected(ErrorKind::ResourceLimit);
    const auto& kept = out.made.emplace_back(std::move(contents));
    return append({.type = type,
                   .elements = kept.size() / (4 / shader::lanes_of(type)),
                   .bytes = kept.size(),
                   .contents = kept});
}

void Lowerer::push(Step step) {
    for (Place& place : step.reads)
        place.tensor = root(place.tensor);
    if (step.chain)
        for (ChainInput& input : step.chain->inputs)
            if (input.tensor != kNoTensor) input.tensor = root(input.tensor);
    out.steps.push_back(std::move(step));
}

Result<Lowering> lower(const tosa::Graph& graph, const Grid& grid) {
    Lowerer lowerer(graph, grid);
    if (auto bound = lowerer.bind_slots(); !bound) return std::unexpected(bound.error());
    for (const auto& op : graph.operators) {
        if (op.dead()) continue;
        const Lower add = table()[static_cast<std::size_t>(op.op)];
        if (!add) return std::unexpected(ErrorKind::Unsupported);
        if (auto added = add(lowerer, op); !added) return std::unexpected(added.error());
        if (lowerer.out.steps.size() > kMostSteps) return std::unexpected(ErrorKind::ResourceLimit);
    }
    fuse(lowerer.out);
    return std::move(lowerer.out);
}

}  // namespace vulkan
