// SPDX-License-Identifier: MIT
//
// Commands and malformed chains for a device behind a real ring.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "driver/guest.hpp"
#include "driver/opcodes.hpp"
#include "driver/validator.hpp"
#include "provider/mock/artifact.hpp"

namespace virtqueue {

using driver::Answer;
using driver::Bytes;
using driver::Guest;
using driver::kOpcodes;

// A context with a buffer of 64 bytes, a program that takes 16 of them, and a queue.
struct Objects {
    explicit Objects(Guest& guest);

    [[nodiscard]] std::uint64_t submit(Guest& guest) const;

    std::uint64_t context;
    std::uint64_t buffer;
    std::uint64_t program;
    std::uint64_t queue;
};

[[nodiscard]] std::unique_ptr<Guest> make_guest(const Guest::Options& options = {});
// Over the mock with this script of faults (provider/fault/script.hpp).
[[nodiscard]] std::unique_ptr<Guest> make_faulty_guest(std::string_view faults);

[[nodiscard]] driver::Request load_xor(std::uint64_t id, std::uint64_t context,
                                       std::span<const std::byte> artifact);
[[nodiscard]] std::array<std::byte, mock::kArtifactBytes> xor_artifact();
[[nodiscard]] std::array<virtio_accel_binding, 1> xor_binding(std::uint64_t buffer);

// A command that succeeds, and everything it needs to. The same on every fresh guest.
struct Prepared {
    Bytes frame;
    std::size_t response_bytes;  // of the answer
};
[[nodiscard]] Prepared prepare(Guest& guest, std::uint16_t opcode);

// Descriptors from `first` on, linked in this order, behind the back of the driver's
// ring. Returns `first`.
std::uint16_t link(Guest& guest, std::uint16_t first,
                   std::initializer_list<vhost::Descriptor> chain);
// A descriptor of new guest memory, which holds sentinels.
[[nodiscard]] vhost::Descriptor readable(Guest& guest, std::size_t bytes);
[[nodiscard]] vhost::Descriptor writable(Guest& guest, std::size_t bytes);
[[nodiscard]] std::span<std::byte> bytes_of(Guest& guest, const vhost::Descriptor& descriptor);

// Publishes the chain at `head` and checks that it is returned once with nothing in it,
// that neither the engine nor memory was touched, and that the device then rests.
void check_unusable(Guest& guest, std::uint16_t head);

}  // namespace virtqueue
