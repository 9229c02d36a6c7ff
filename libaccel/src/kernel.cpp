// SPDX-License-Identifier: MIT
#include "accel/kernel.hpp"

#include <sys/ioctl.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace accel {

namespace {

class SystemKernel final : public Kernel {
 public:
    int open(const char* path, int flags) noexcept override { return ::open(path, flags); }
    int ioctl(int fd, unsigned long request, void* argument) noexcept override {
        return ::ioctl(fd, request, argument);
    }
    ssize_t read(int fd, void* memory, std::size_t bytes) noexcept override {
        return ::read(fd, memory, bytes);
    }
    int poll(int fd, const std::timespec* timeout) noexcept override {
        pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
        return ::ppoll(&one, 1, timeout, nullptr);
    }
    int close(int fd) noexcept override { return ::close(fd); }
};

}  // namespace

Kernel::~Kernel() = default;

Kernel& system_kernel() noexcept {
    static SystemKernel kernel;
    return kernel;
}

}  // namespace accel
