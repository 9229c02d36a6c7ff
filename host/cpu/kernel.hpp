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

    friend bool operator==(const Place&, const Place&) = default;
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
    std::byte* scratch = nullptr;  // Kernel::scratch_bytes() of the running thread's own, at a
                                   // cache line; contents do not matter

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
// scalar steps each. Several threads may be in run() at a time, with other units.
class Kernel {
 public:
    Kernel(std::uint64_t units, std::uint64_t unit_cost) : units_(units), unit_cost_(unit_cost) {}
    virtual ~Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    virtual void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const = 0;

    // Memory that run() needs for itself in each thread that is in it: it allocates none.
    [[nodiscard]] virtual std::uint64_t scratch_bytes() const { return 0; }
    // Memory that the kernel keeps besides itself, such as weights in another order.
    [[nodiscard]] virtual std::uint64_t kept_bytes() const { return 0; }

    [[nodiscard]] std::uint64_t units() const { return units_; }
    [[nodiscard]] std::uint64_t unit_cost() const { return unit_cost_; }

    // How many of `threads` this many units are worth, one at least. More units are worth
    // no fewer.
    [[nodiscard]] unsigned worthwhile_threads(std::uint64_t units, unsigned threads) const {
        // A second one comes for no less: waking it costs some ten microseconds.
        constexpr std::uint64_t kThreadCost = std::uint64_t{1} << 16;
        const std::uint64_t slice = std::min(units, units_per_slice() * threads);
        const std::uint64_t most = slice * std::min(unit_cost_, kThreadCost) / kThreadCost;
        return static_cast<unsigned>(std::clamp<std::uint64_t>(std::min(most, units), 1, threads));
    }

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
