// SPDX-License-Identifier: MIT
#include "open.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace accelctl {

Outcome<accel::Device> open_device(const std::string& path, accel::Kernel& kernel) {
    auto device = path.empty() ? accel::Device::open(kernel) : accel::Device::open(path, kernel);
    if (device) return std::move(*device);
    const int code = device.error().code;
    if (path.empty() && code == ENODEV)
        return failure("no virtio-accel device: is the module loaded?");
    if (code == ENODEV || code == ENOTTY) return failure("{}: not a virtio-accel device", path);
    return failure("{}: {}", path.empty() ? "/dev/accel" : path,
                   std::generic_category().message(code));
}

}  // namespace accelctl
