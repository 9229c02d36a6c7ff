// SPDX-License-Identifier: MIT
//
// A kernel made from values that a test describes, without a file or its validation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "cpu/kernel.hpp"
#include "cpu/memory.hpp"
#include "cpu/tensor.hpp"

namespace cpu::test {

class OneOperator {
 public:
    OneOperator(tosa::Op op, const tosa::test::Attribute& attribute) : serialized_(op, attribute) {
        op_.op = op;
        op_.serialized = &*serialized_;
    }

    // Contents make a constant. What is given stays where it is.
    tosa::ValueId value(tosa::DType type, std::span<const std::int32_t> dims,
                        std::uint64_t element_bytes, std::span<const std::byte> contents = {}) {
        tosa::Value value{.type = type, .dims = dims, .data = contents, .elements = 1};
        if (!contents.empty()) value.constness = tosa::Constness::Serialized;
        for (const std::int32_t dim : dims)
            value.elements *= static_cast<std::uint64_t>(dim);
        value.bytes = value.elements * element_bytes;
        graph_.values.push_back(value);
        ids_.push_back(static_cast<tosa::ValueId>(ids_.size()));
        return ids_.back();
    }

    // The last value is the output, all others are inputs.
    std::unique_ptr<Kernel> kernel(Engine engine) {
        op_.inputs = std::span(ids_).first(ids_.size() - 1);
        op_.outputs = std::span(ids_).last(1);
        return make_kernel(engine, graph_, op_);
    }

    // Unit by unit from the last to the first, as none may depend on another.
    static void run(const Kernel& kernel, const std::vector<const std::byte*>& inputs,
                    std::byte* output) {
        std::vector<Place> places;
        for (const std::byte* input : inputs)
            places.push_back({.constant = input});
        std::byte* const slots[] = {output};
        const Place out{.kind = Place::Kind::Slot};
        const Frame frame{slots, nullptr};
        Memory scratch(kernel.scratch_bytes(), kCacheLine);
        for (std::uint64_t unit = kernel.units(); unit-- > 0;) {
            std::fill_n(scratch.data(), kernel.scratch_bytes(), std::byte{0xFF});
            kernel.run({frame, places, std::span(&out, 1), scratch.data()}, unit, unit + 1);
        }
    }

 private:
    SerializedOperator serialized_;
    tosa::Graph graph_;
    tosa::Operator op_;
    std::vector<tosa::ValueId> ids_;
};

}  // namespace cpu::test
