// SPDX-License-Identifier: MIT
//
// What turns one operator after the other into steps. Each family of operators has a file,
// lower_FAMILY.cpp, and adds its operators by the functions declared here.
#pragma once

#include <initializer_list>
#include <utility>

#include "tosa_generated.h"
#include "vulkan/plan.hpp"

namespace vulkan {

inline constexpr std::uint64_t kManyGroups = 256;  // workgroups that fill a large device

class Lowerer {
 public:
    Lowerer(const tosa::Graph& g, const Grid& measures) : graph(g), grid(measures) {}

    // Inputs and outputs of the program get their slots.
    [[nodiscard]] Result<void> bind_slots();

    // A value that kernels can read or write. Unsupported or ResourceLimit otherwise.
    [[nodiscard]] Result<void> check(tosa::ValueId id) const;
    [[nodiscard]] Result<void> check(std::span<const tosa::ValueId> ids) const;

    [[nodiscard]] const tosa::Value& value(tosa::ValueId id) const { return graph.values[id]; }
    [[nodiscard]] std::uint32_t type(TensorId id) const { return out.tensors[id].type; }
    [[nodiscard]] std::uint32_t count(TensorId id) const {
        return static_cast<std::uint32_t>(out.tensors[id].elements);
    }
    [[nodiscard]] std::uint32_t extent(tosa::ValueId id, std::size_t axis) const {
        return static_cast<std::uint32_t>(graph.values[id].dims[axis]);
    }

    // A tensor of no value of the graph: an intermediate, or a constant.
    [[nodiscard]] Result<TensorId> temporary(std::uint32_t type, std::uint64_t elements);
    [[nodiscard]] Result<TensorId> constant(std::uint32_t type, std::vector<std::byte> contents);

    void push(Step step);
    void view(TensorId to, TensorId from) { out.tensors[to].same_as = root(from); }
    [[nodiscard]] TensorId root(TensorId id) const { return out.tensors[id].same_as; }

    // So many invocations, as workgroups.
    [[nodiscard]] std::uint64_t groups(std::uint64_t invocations) const {
        return (invocations + grid.workgroup - 1) / grid.workgroup;
    }

    [[nodiscard]] std::uint64_t words(TensorId id) const {
        const std::uint32_t lanes = shader::lanes_of(type(id));
        return (out.tensors[id].elements + lanes - 1) / lanes;
    }
    // One for each word of a tensor.
    [[nodiscard]] std::uint64_t word_groups(TensorId id) const { return groups(words(id)); }

    const tosa::Graph& graph;
    const Grid& grid;
    Lowering out;

 private:
    TensorId append(const Tensor& tensor);
};

// The type as the shaders number it. None: no kernel takes it.
[[nodiscard]] std::optional<std::uint32_t> shader_type(tosa::DType type);

// Extents with leading ones, and row-major strides, 0 where an extent is 1.
[[nodiscard]] Extents padded(const tosa::Value& tensor);
[[nodiscard]] Extents strides_of(const Extents& dims);

// An input of a chain whose output has the extents `dims`: the whole tensor, or broadcast.
[[nodiscard]] ChainInput chain_input(const Lowerer& to, tosa::ValueId id, const Extents& dims);

// The contents of an integer parameter: a shape, shifts... None: they are not known at load.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const tosa::Value& value);

// A zero point or a shift, 0 if absent. Unsupported: it is not known at load, or a float
// other than 0.
[[nodiscard]] Result<std::int32_t> zero_point(const Lowerer& to, const tosa::Operator& op,
                                              std::size_t operand);

// As the shaders number it.
[[nodiscard]] std::uint32_t nan_mode(tosa::fbs::NanPropagationMode mode);

// Adds an operator, whose tensors add() has to check. Those of one family share a function.
using Lower = Result<void> (*)(Lowerer& to, const tosa::Operator& op);
struct LowerRow {
    tosa::Op op;
    Lower lower;
};

[[nodiscard]] std::span<const LowerRow> elementwise_rows();
[[nodiscard]] std::span<const LowerRow> rescale_rows();
[[nodiscard]] std::span<const LowerRow> move_rows();
[[nodiscard]] std::span<const LowerRow> product_rows();
[[nodiscard]] std::span<const LowerRow> window_rows();
[[nodiscard]] std::span<const LowerRow> reduce_rows();
[[nodiscard]] std::span<const LowerRow> lookup_rows();

// An elementwise step of its own.
void add_chain(Lowerer& to, TensorId writes, Chain chain);

// A copy of the bytes of one tensor to another of the same size.
void add_copy(Lowerer& to, TensorId from, TensorId into);

}  // namespace vulkan
