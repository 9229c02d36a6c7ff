// SPDX-License-Identifier: MIT
//
// xrt::bo.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "xdna/double/device.hpp"
#include "xdna/double/memory.hpp"

namespace xrt {

using xrt_double::control;

namespace {

std::shared_ptr<bo_impl> allocate(const std::shared_ptr<xrt_core::device>& on, std::size_t bytes,
                                  bo::flags flags, memory_group group) {
    control().enter("bo");
    if (bytes == 0) throw std::system_error(EINVAL, std::system_category(), "XRT double: no bytes");
    return std::make_shared<bo_impl>(on, bytes, flags, group);
}

void check_range(std::size_t offset, std::size_t bytes, std::size_t whole) {
    if (offset > whole || bytes > whole - offset)
        throw std::system_error(EINVAL, std::generic_category(), "sub buffer size and offset");
}

// Of any alignment: XRT adds the offset to an address and leaves it to the device.
std::shared_ptr<bo_impl> part(const bo& parent, std::size_t bytes, std::size_t offset) {
    control().enter("sub_bo");
    check_range(offset, bytes, parent.get_handle()->size);
    return std::make_shared<bo_impl>(parent.get_handle(), bytes, offset);
}

}  // namespace

bo::bo(const device& on, size_t bytes, bo::flags kind, memory_group group)
    : handle(allocate(on.get_handle(), bytes, kind, group)) {}
bo::bo(const bo& parent, size_t bytes, size_t offset) : handle(part(parent, bytes, offset)) {}
bo::~bo() = default;

memory_group bo::get_memory_group() const {
    return handle->group;
}

void* bo::map() {
    control().enter("map");
    return handle->memory->mapped().data() + handle->offset;
}

void bo::write(const void* from, size_t bytes, size_t offset) {
    control().enter("write");
    check_range(offset, bytes, handle->size);
    std::memcpy(handle->memory->mapped().data() + handle->offset + offset, from, bytes);
}

void bo::sync(xclBOSyncDirection direction, size_t bytes, size_t offset) {
    control().enter("sync");
    const auto host = handle->memory->mapped();
    auto& device = handle->memory->device;
    check_range(offset, bytes, host.size() - handle->offset);
    const auto at = static_cast<std::ptrdiff_t>(handle->offset + offset);
    const auto length = static_cast<std::ptrdiff_t>(bytes);
    if (direction == XCL_BO_SYNC_BO_TO_DEVICE)
        std::copy_n(host.begin() + at, length, device.begin() + at);
    else
        std::copy_n(device.begin() + at, length, host.begin() + at);
}

}  // namespace xrt
