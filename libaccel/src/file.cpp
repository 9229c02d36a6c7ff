// SPDX-License-Identifier: MIT
#include "file.hpp"

#include <cerrno>

#include <fcntl.h>

#include "guarded.hpp"

namespace accel::detail {

Result<std::shared_ptr<File>> File::open(const std::string& path, Kernel& kernel) noexcept {
    return guarded("device_open", [&]() -> Result<std::shared_ptr<File>> {
        auto file = std::make_shared<File>(path, kernel);
        do {
            file->fd_ = kernel.open(path.c_str(), O_RDWR | O_CLOEXEC);
        } while (file->fd_ < 0 && errno == EINTR);
        if (file->fd_ < 0) return std::unexpected(Error{errno, "device_open"});
        return file;
    });
}

// Linux releases the descriptor whatever close(2) returns, so there is nothing to
// repeat and nothing to report.
File::~File() {
    if (fd_ >= 0) kernel_.close(fd_);
}

// A signal may interrupt any command: the driver has then undone what it did, so it
// is repeated, and a deadline is absolute, so repeating lengthens no wait. Unlike in
// libdrm's drmIoctl, EAGAIN is an answer: no command of the interface asks with it
// to be repeated.
Result<void> File::ioctl(unsigned long request, void* argument,
                         const char* operation) const noexcept {
    int result = 0;
    do {
        result = kernel_.ioctl(fd_, request, argument);
    } while (result < 0 && errno == EINTR);
    if (result < 0) return std::unexpected(Error{errno, operation});
    return {};
}

}  // namespace accel::detail
