// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "xdna/xrt/entry.hpp"

namespace {

std::shared_ptr<xdna::Xrt> never() noexcept {
    std::abort();
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const xdna::Entry virtio_accel_xrt;
const xdna::Entry virtio_accel_xrt{xdna::kContract + 1, never};
