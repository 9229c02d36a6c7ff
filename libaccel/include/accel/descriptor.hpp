// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "accel/kernel.hpp"

namespace accel {

// A file descriptor of the process. It is closed when this is destroyed.
class ACCEL_API Descriptor {
 public:
    Descriptor(Kernel& kernel, int fd) noexcept : kernel_(&kernel), fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : kernel_(other.kernel_), fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(kernel_, other.kernel_);
        std::swap(fd_, other.fd_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) kernel_->close(fd_);
    }

    [[nodiscard]] int get() const noexcept { return fd_; }
    // Leaves it to the caller to close it.
    [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
    Kernel* kernel_;
    int fd_;
};

}  // namespace accel
