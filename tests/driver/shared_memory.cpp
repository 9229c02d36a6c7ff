// SPDX-License-Identifier: MIT
#include "driver/shared_memory.hpp"

#include <cerrno>
#include <new>
#include <system_error>

#include <sys/mman.h>

#include <unistd.h>

namespace driver {

namespace {

base::UniqueFd make_file(std::size_t size) {
    base::UniqueFd file(::memfd_create("guest", MFD_CLOEXEC));
    if (!file || ::ftruncate(file.value(), static_cast<off_t>(size)) != 0)
        throw std::system_error(errno, std::generic_category(), "guest memory");
    return file;
}

}  // namespace

SharedMemory::SharedMemory(std::size_t size, Mapped mapped)
    : file_(make_file(size)),
      device_side_(vhost::Memory::none()
                       ->with({.guest = kGuest, .size = size, .user = kUser, .offset = 0}, file_)
                       .value()) {
    if (mapped == Mapped::Once) {
        bytes_ = {device_side_->at_user(kUser, size), size};
    } else {
        own_.emplace(vhost::Mapping::create(file_, 0, size).value());
        bytes_ = own_->bytes();
    }
}

vhost::RegionDesc SharedMemory::region() const {
    return {.guest = kGuest, .size = bytes_.size(), .user = kUser, .offset = 0};
}

Block SharedMemory::allocate(std::size_t size, std::size_t alignment) {
    const std::size_t start = (next_ + alignment - 1) / alignment * alignment;
    if (start > bytes_.size() || size > bytes_.size() - start) throw std::bad_alloc();
    next_ = start + size;
    return {kGuest + start, bytes_.subspan(start, size)};
}

}  // namespace driver
