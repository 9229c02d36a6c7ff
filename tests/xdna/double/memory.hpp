// SPDX-License-Identifier: MIT
//
// Memory of the double: what the host sees and what the device sees are two copies, so that a
// sync that was forgotten shows. Neither is zero at first, as XRT promises nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "xdna/double/control.hpp"
#include "xdna/double/xrt.hpp"

namespace xrt_double {

struct Memory {
    static constexpr std::size_t kPage = 4096;

    explicit Memory(std::size_t bytes)
        : host(bytes + kPage, std::byte{0xA5}), device(bytes, std::byte{0x5A}) {}

    [[nodiscard]] std::span<std::byte> mapped() {
        void* begin = host.data();
        std::size_t space = host.size();
        return {static_cast<std::byte*>(std::align(kPage, device.size(), begin, space)),
                device.size()};
    }

    std::vector<std::byte> host;  // a page in it begins the map
    std::vector<std::byte> device;
};

}  // namespace xrt_double

namespace xrt {

class bo_impl {
 public:
    bo_impl(std::shared_ptr<xrt_core::device> of, std::size_t bytes, bo::flags kind,
            memory_group in)
        : size(bytes),
          flags(kind),
          group(in),
          memory(std::make_shared<xrt_double::Memory>(bytes)),
          device_(std::move(of)),
          counted_("bo") {}
    bo_impl(std::shared_ptr<bo_impl> parent, std::size_t bytes, std::size_t from)
        : size(bytes),
          offset(from),
          flags(parent->flags),
          group(parent->group),
          memory(parent->memory),
          parent_(std::move(parent)),
          counted_("sub_bo") {}

    const std::size_t size;
    const std::size_t offset = 0;
    const bo::flags flags;
    const memory_group group;
    const std::shared_ptr<xrt_double::Memory> memory;

 private:
    std::shared_ptr<xrt_core::device> device_;
    std::shared_ptr<bo_impl> parent_;
    xrt_double::Counted counted_;
};

}  // namespace xrt
