// SPDX-License-Identifier: MIT
#include "file.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>

#include "guarded.hpp"

namespace accel::detail {

// Without O_NONBLOCK a thread could be stuck in a read: another may have taken what poll
// had announced.
Result<std::shared_ptr<File>> File::open(const std::string& path, Kernel& kernel) noexcept {
    return guarded("device_open", [&]() -> Result<std::shared_ptr<File>> {
        auto file = std::make_shared<File>(path, kernel);
        do {
            file->fd_ = kernel.open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
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

Result<std::size_t> File::read(std::span<std::byte> memory, const char* operation) const noexcept {
    ssize_t result = 0;
    do {
        result = kernel_.read(fd_, memory.data(), memory.size());
    } while (result < 0 && errno == EINTR);
    if (result > 0) return static_cast<std::size_t>(result);
    if (result < 0 && errno == EAGAIN) return 0;
    // The file has no end: 0 means that what comes next is larger than all that was asked for.
    return std::unexpected(Error{result < 0 ? errno : EIO, operation});
}

Result<bool> File::wait_readable(Deadline deadline, const char* operation) const noexcept {
    using namespace std::chrono;
    int result = 0;
    do {
        const auto now = steady_clock::now();
        const auto left = std::max(deadline, now) - now;
        const auto whole = duration_cast<seconds>(left);
        const std::timespec timeout{.tv_sec = whole.count(), .tv_nsec = (left - whole).count()};
        result = kernel_.poll(fd_, deadline == Deadline::max() ? nullptr : &timeout);
    } while (result < 0 && errno == EINTR);
    if (result < 0) return std::unexpected(Error{errno, operation});
    return result > 0;
}

}  // namespace accel::detail
