// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "accel/error.hpp"
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
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
    Kernel& kernel_;
    std::string path_;
    int fd_ = -1;
};

}  // namespace accel::detail
