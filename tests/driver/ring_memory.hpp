// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "driver/shared_memory.hpp"
#include "vhost/ring_view.hpp"

namespace driver {

struct UsedElement {
    std::uint32_t head = 0;
    std::uint32_t length = 0;

    friend bool operator==(const UsedElement&, const UsedElement&) = default;
};

// The fields of a split ring as the driver reads and writes them, with no rules: what
// Ring is built on, and what a hostile driver uses instead. Flags and indices are
// sequentially consistent, as on the device's side (vhost/ring_view.hpp).
class RingMemory {
 public:
    // `size` is a power of two, at most 32768.
    RingMemory(SharedMemory& memory, std::uint16_t size);

    [[nodiscard]] std::uint16_t size() const { return size_; }
    [[nodiscard]] vhost::RingAddresses addresses() const;
    // What a driver does before it (re)initialises the device.
    void clear() const;

    void set_descriptor(std::uint16_t index, const vhost::Descriptor& descriptor) const;
    void set_available_head(std::uint16_t index, std::uint16_t head) const;
    void set_available_index(std::uint16_t index) const;
    void set_available_flags(std::uint16_t flags) const;
    // Publishes a head whatever it is.
    void publish(std::uint16_t head) const;

    [[nodiscard]] std::uint16_t available_index() const;
    [[nodiscard]] std::uint16_t used_flags() const;
    [[nodiscard]] std::uint16_t used_index() const;
    void set_used_index(std::uint16_t index) const;
    // Element n, modulo the size.
    [[nodiscard]] UsedElement used(std::uint16_t n) const;

 private:
    template <class T>
    [[nodiscard]] auto field(std::size_t offset) const;
    [[nodiscard]] std::size_t available() const;
    [[nodiscard]] std::size_t used_ring() const;
    [[nodiscard]] std::size_t end() const;

    std::uint16_t size_;
    Block block_;
    std::uint64_t user_;
};

}  // namespace driver
