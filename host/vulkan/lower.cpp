// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "tosa_generated.h"
#include "vulkan/plan.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

constexpr std::size_t kMostDims = 6;          // that the kernels index
constexpr std::uint32_t kOutputsPerEdge = 4;  // matmul.comp's kRegisters

// Every dispatch has a pipeline of its own, which the driver compiles at load.
constexpr std::size_t kMostSteps = 4096;

using Dims = std::array<std::uint32_t, kMostDims>;

Dims padded(const tosa::Value& tensor) {
    Dims dims;
    dims.fill(1);
    std::ranges::transform(tensor.dims, dims.end() - static_cast<std::ptrdiff_t>(tensor.rank()),
                           [](std::int32_t d) { return static_cast<std::uint32_t>(d); });
    return dims;
}

// Row-major, 0 where one element stands for a whole dimension.
Dims strides(const Dims& dims) {
    Dims result{};
    std::uint32_t step = 1;
    for (std::size_t i = kMostDims; i-- > 0; step *= dims[i])
        result[i] = dims[i] == 1 ? 0 : step;
    return result;
}

constexpr std::uint64_t ceil_div(std::uint64_t n, std::uint64_t d) {
    return (n + d - 1) / d;
}

// All zero, of either sign.
bool zero(std::span<const std::byte> fp32) {
    for (std::size_t at = 0; at + 4 <= fp32.size(); at += 4) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &fp32[at], 4);
        if ((bits & 0x7FFFFFFF) != 0) return false;
    }
    return !fp32.empty();
}

std::optional<float> scalar(const flatbuffers::Vector<std::uint8_t>* bytes) {
    if (!bytes || bytes->size() != sizeof(float)) return std::nullopt;
    float value = 0;
    std::memcpy(&value, bytes->data(), sizeof(value));
    return value;
}

class Lowerer {
 public:
    Lowerer(const tosa::Graph& graph, const Grid& grid) : graph_(graph), grid_(grid) {
        out_.same_as.resize(graph.values.size());
        std::iota(out_.same_as.begin(), out_.same_as.end(), 0U);
        out_.slot_of.resize(graph.values.size(), tosa::kNoId);
    }

    Result<Lowering> run() {
        if (auto bound = bind_slots(); !bound) return std::unexpected(bound.error());
        for (const auto& op : graph_.operators) {
            if (op.dead()) continue;
            if (auto added = add(op); !added) return std::unexpected(added.error());
            if (out_.steps.size() > kMostSteps) return std::unexpected(ErrorKind::ResourceLimit);
        }
        return std::move(out_);
    }

 private:
    // A value in two slots would need a copy that the graph does not ask for, and so
    // would a constant: such graphs are refused, as everywhere.
    Result<void> bind_slots() {
        if (graph_.inputs.size() + graph_.outputs.size() >= grid_.elements)
            return std::unexpected(ErrorKind::ResourceLimit);
        std::uint32_t slot = 0;
        for (const auto* ids : {&graph_.inputs, &graph_.outputs}) {
            for (const ValueId id : *ids) {
                if (auto fits = check(id); !fits) return fits;
                if (out_.slot_of[id] != tosa::kNoId || graph_.values[id].constant())
                    return std::unexpected(ErrorKind::Unsupported);
                out_.slot_of[id] = slot++;
            }
        }
        return {};
    }

    // A tensor that the kernels can index.
    Result<void> check(ValueId id) const {
        const auto& value = graph_.values[id];
        if (value.type != tosa::DType::Fp32 || value.rank() > kMostDims)
            return std::unexpected(ErrorKind::Unsupported);
        if (value.bytes > grid_.max_range) return std::unexpected(ErrorKind::ResourceLimit);
        return {};
    }

    Result<void> add(const tosa::Operator& op) {
        switch (op.op) {
            case tosa::Op::Const:
            case tosa::Op::ConstShape:
                return {};
            case tosa::Op::Identity:
            case tosa::Op::Reshape:
                return with_tensors(op, 1, [&] { return view(op); });
            case tosa::Op::Add:
                return with_tensors(op, 2, [&] { return add_add(op); });
            case tosa::Op::Clamp:
                return with_tensors(op, 1, [&] { return add_clamp(op); });
            case tosa::Op::MatMul:
                return with_tensors(op, 2, [&] { return add_matmul(op); });
            default:
                return std::unexpected(ErrorKind::Unsupported);
        }
    }

    // The first `inputs` operands are read as tensors; the rest are parameters.
    template <class Lower>
    Result<void> with_tensors(const tosa::Operator& op, std::size_t inputs, Lower lower) {
        for (const ValueId id : op.inputs.first(inputs))
            if (auto fits = check(id); !fits) return fits;
        if (auto fits = check(op.outputs[0]); !fits) return fits;
        return lower();
    }

    void push(Kernel kernel, std::vector<ValueId> reads, ValueId writes,
              std::vector<std::uint32_t> constants, std::uint64_t groups) {
        for (ValueId& id : reads)
            id = out_.same_as[id];
        out_.steps.push_back({.kernel = kernel,
                              .reads = std::move(reads),
                              .writes = writes,
                              .constants = std::move(constants),
                              .groups = groups});
    }

    std::uint32_t count(ValueId id) const {
        return static_cast<std::uint32_t>(graph_.values[id].elements);
    }
    std::uint64_t linear_groups(ValueId id) const { return ceil_div(count(id), grid_.workgroup); }

    Result<void> view(const tosa::Operator& op) {
        const ValueId from = out_.same_as[op.inputs[0]];
        const ValueId to = op.outputs[0];
        std::uint32_t& home = out_.slot_of[from];
        const bool output = out_.slot_of[to] != tosa::kNoId;
        if (output && (home != tosa::kNoId || graph_.values[from].constant())) {
            push(Kernel::Move, {from}, to, {count(to)}, linear_groups(to));
            return {};
        }
        if (output) home = out_.slot_of[to];
        out_.same_as[to] = from;
        return {};
    }

    Result<void> add_add(const tosa::Operator& op) {
        const ValueId lhs = op.inputs[0], rhs = op.inputs[1], sum = op.outputs[0];
        const Dims dims = padded(graph_.values[sum]);
        const Dims lhs_dims = padded(graph_.values[lhs]), rhs_dims = padded(graph_.values[rhs]);
        const bool broadcast = lhs_dims != dims || rhs_dims != dims;
        std::vector<std::uint32_t> constants{count(sum), broadcast};
        for (const Dims& group : {dims, strides(lhs_dims), strides(rhs_dims)})
            constants.insert(constants.end(), group.begin(), group.end());
        push(Kernel::Add, {lhs, rhs}, sum, std::move(constants), linear_groups(sum));
        return {};
    }

    Result<void> add_clamp(const tosa::Operator& op) {
        const auto* attribute = op.serialized->attribute_as_ClampAttribute();
        const auto low = scalar(attribute->min_val());
        const auto high = scalar(attribute->max_val());
        if (!low || !high || !(*low <= *high))  // false for NaN
            return std::unexpected(ErrorKind::InvalidArgument);
        const bool propagate = attribute->nan_mode() == tosa::fbs::NanPropagationMode::PROPAGATE;
        const ValueId to = op.outputs[0];
        push(Kernel::Clamp, {op.inputs[0]}, to,
             {count(to), std::bit_cast<std::uint32_t>(*low), std::bit_cast<std::uint32_t>(*high),
              propagate},
             linear_groups(to));
        return {};
    }

    Result<void> add_matmul(const tosa::Operator& op) {
        for (const ValueId zero_point : op.inputs.subspan(2))
            if (!zero(graph_.values[zero_point].data))
                return std::unexpected(ErrorKind::Unsupported);
        const ValueId lhs = op.inputs[0], rhs = op.inputs[1], product = op.outputs[0];
        const auto extent = [&](ValueId id, std::size_t axis) {
            return static_cast<std::uint32_t>(graph_.values[id].dims[axis]);
        };
        const std::uint32_t batch = extent(lhs, 0), m = extent(lhs, 1), k = extent(lhs, 2);
        const std::uint32_t n = extent(rhs, 2);
        const std::uint32_t block = grid_.edge * kOutputsPerEdge;
        push(Kernel::MatMul, {lhs, rhs}, product, {batch, m, k, n, grid_.edge},
             ceil_div(m, block) * ceil_div(n, block) * batch);
        return {};
    }

    const tosa::Graph& graph_;
    const Grid& grid_;
    Lowering out_;
};

}  // namespace

Result<Lowering> lower(const tosa::Graph& graph, const Grid& grid) {
    return Lowerer(graph, grid).run();
}

}  // namespace vulkan
