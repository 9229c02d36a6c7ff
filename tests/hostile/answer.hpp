// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hostile/lie.hpp"
#include "vhost/descriptor_chain.hpp"
#include "wire/request.hpp"
#include "wire/status.hpp"

namespace hostile {

// What a device says to one command, before it gets into guest memory.
struct Answer {
    std::vector<std::byte> frame;  // as long as what is writable
    std::uint32_t written = 0;     // bytes of it that guest memory gets
    std::uint32_t used = 0;        // bytes that the used element claims

    // The object or event that it names, 0 if none.
    [[nodiscard]] std::uint64_t id() const;
    void set_id(std::uint64_t id);

    // Writes what is to be written.
    void write_to(const vhost::DescriptorChain& chain) const;
};

// All zeros if there is no header to be read.
[[nodiscard]] wire::RequestHeader header_of(const vhost::DescriptorChain& chain);
// The object that a command is about, if it is one of those that name nothing else.
[[nodiscard]] std::uint64_t operand_of(const vhost::DescriptorChain& chain);

// A well-formed answer with a payload of `payload_bytes` zeros.
[[nodiscard]] Answer make_answer(const vhost::DescriptorChain& chain, wire::Status status,
                                 std::uint32_t payload_bytes = 0);

[[nodiscard]] Answer make_event_answer(const vhost::DescriptorChain& chain, std::uint16_t state);

// Makes an honest answer one that is not, for the lies that concern nothing but its bytes.
void falsify(Answer& answer, const Lie& lie);

}  // namespace hostile
