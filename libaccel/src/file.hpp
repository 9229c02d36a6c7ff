// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "accel/error.hpp"
#include "accel/event.hpp"
#include "accel/kernel.hpp"

namespace accel::detail {

// An open device node.
class File {
 public:
    [[nodiscard]] static Result<std::shared_ptr<File>> open(const std::string& path,
                                                            Kernel& kernel) noexcept;
    File(const std::string& path, Kernel& kernel) : kernel_(kernel), path_(path) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();

    [[nodiscard]] Result<void> ioctl(unsigned long request, void* argument,
                                     const char* operation) const noexcept;
    // 0: there is nothing to read now.
    [[nodiscard]] Result<std::size_t> read(std::span<std::byte> memory,
                                           const char* operation) const noexcept;
    // False: the deadline passed.
    [[nodiscard]] Result<bool> wait_readable(Deadline deadline,
                                             const char* operation) const noexcept;
    [[nodiscard]] Kernel& kernel() const noexcept { return kernel_; }
    [[nodiscard]] int fd() const noexcept { return fd_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
    Kernel& kernel_;
    std::string path_;
    int fd_ = -1;
};

}  // namespace accel::detail
