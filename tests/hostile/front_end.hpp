// SPDX-License-Identifier: MIT
//
// The connection to QEMU: as much of vhost-user as its generic device speaks. QEMU is
// trusted here; what it must not see is a connection that ends.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "base/unique_fd.hpp"
#include "hostile/device.hpp"
#include "vhost/memory.hpp"
#include "vhost/message.hpp"
#include "vhost/ring_view.hpp"

namespace hostile {

class FrontEnd {
 public:
    FrontEnd(UniqueFd socket, Device& device) : socket_(std::move(socket)), device_(device) {}

    // Serves the guest until QEMU ends.
    [[nodiscard]] std::expected<void, std::string> run();

 private:
    using Result = std::expected<void, std::string>;

    [[nodiscard]] std::expected<bool, std::string> step();
    [[nodiscard]] Result serve_message(vhost::Message message);
    [[nodiscard]] std::expected<vhost::Bytes, std::string> reply_to(vhost::Message& message);
    [[nodiscard]] Result start(UniqueFd kick);
    [[nodiscard]] vhost::Bytes read_config(const vhost::Message& message);

    UniqueFd socket_;
    Device& device_;
    vhost::MessageReader reader_;
    vhost::Memory::Shared memory_ = vhost::Memory::none();
    std::uint16_t ring_size_ = 0;
    vhost::RingAddresses ring_addresses_;
    UniqueFd kick_;
};

}  // namespace hostile
