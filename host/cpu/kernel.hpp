// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tosa/graph.hpp"

namespace cpu {

// Where a value lies while a program runs.
struct Place {
    enum class Kind : std::uint8_t { Constant, Slot, Arena };
    Kind kind = Kind::Constant;
    std::uint64_t index = 0;  // Slot: its number. Arena: byte offset
    const std::byte* constant = nullptr;
};

// The memory of one run.
struct Frame {
    std::span<std::byte* const> slots;
    std::byte* arena = nullptr;

    [[nodiscard]] std::byte* writable(const Place& place) const {
        return place.kind == Place::Kind::Slot ? slots[place.index] : arena + place.index;
    }
    [[nodiscard]] const std::byte* readable(const Place& place) const {
        return place.kind == Place::Kind::Constant ? place.constant : writable(place);
    }
};

// What a kernel computes on in one run.
struct Operands {
    const Frame& frame;
    std::span<const Place> inputs;
    std::span<const Place> outputs;

    template <class T>
    [[nodiscard]] const T* input(std::size_t i) const {
        return reinterpret_cast<const T*>(frame.readable(inputs[i]));
    }
    template <class T>
    [[nodiscard]] T* output(std::size_t i) const {
        return reinterpret_cast<T*>(frame.writable(outputs[i]));
    }
};

// An operator with its shapes and attributes, made when the program is loaded. Its
// work is `units` pieces that do not depend on each other, of about `unit_cost`
// scalar steps each.
class Kernel {
 public:
    Kernel(std::uint64_t units, std::uint64_t unit_cost) : units_(units), unit_cost_(unit_cost) {}
    virtual ~Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    virtual void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const = 0;

    [[nodiscard]] std::uint64_t units() const { return units_; }

    // How many units take no longer than a job may go unchecked.
    [[nodiscard]] std::uint64_t units_per_slice() const {
        constexpr std::uint64_t kSliceCost = std::uint64_t{1} << 22;
        return std::max<std::uint64_t>(1, kSliceCost / unit_cost_);
    }

 private:
    std::uint64_t units_;
    std::uint64_t unit_cost_;
};

// Two implementations of every operator: as fast as we can, and as plain as we can.
enum class Engine : std::uint8_t { Fast, Reference };

// Where there is no fast kernel, the plain one. Null for an operator, or types, that this
// provider does not compute.
[[nodiscard]] std::unique_ptr<Kernel> make_kernel(Engine engine, const tosa::Graph& graph,
                                                  const tosa::Operator& op);

[[nodiscard]] std::unique_ptr<Kernel> make_copy(std::uint64_t bytes);

}  // namespace cpu
