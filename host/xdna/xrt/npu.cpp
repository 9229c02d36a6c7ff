// SPDX-License-Identifier: MIT
#include "xdna/xrt/npu.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "provider/guard.hpp"
#include "xdna/xrt/context.hpp"

namespace xdna::native_xrt {

namespace {

// Memory of the host is one group to an NPU, the first: what the compiler calls HOST.
constexpr xrt::memory_group kHostGroup = 0;

// XRT keeps an xclbin of each UUID until the device is closed (xclbin_map in device.h). A
// guest that may bring its own could bring any number: so these are all that it may, with a
// guess of what one takes besides its bytes.
constexpr std::uint64_t kMostKept = 256ULL << 20;
constexpr std::uint64_t kBesides = 64ULL << 10;

xrt::bo host_buffer(const xrt::device& device, std::uint64_t bytes) {
    return {device, bytes, xrt::bo::flags::host_only, kHostGroup};
}

}  // namespace

Result<void> MappedMemory::sync(xclBOSyncDirection direction, std::uint64_t offset,
                                std::uint64_t bytes) {
    if (bytes == 0) return {};  // XRT would take a line of the cache for it
    return bare(native([&] { buffer_.sync(direction, bytes, offset); }));
}

// XRT (xrt_bo.cpp, buffer_sub) asks of a part of a buffer only that it is inside, and gives
// the array the sum of address and offset; amdxdna's shim (buffer.cpp) takes any range to
// flush. So what remains is what the array's DMA can address: words of 4 bytes.
std::uint64_t Device::binding_alignment() const {
    return 4;
}

Result<std::shared_ptr<Memory>> Device::allocate(std::uint64_t bytes) {
    auto buffer = native([&] { return host_buffer(device_, bytes); });
    if (!buffer) return std::unexpected(buffer.error().error);
    const auto mapped = native([&] { return buffer->map(); });
    if (!mapped) return std::unexpected(mapped.error().error);
    const std::span all(static_cast<std::byte*>(*mapped), bytes);
    std::ranges::fill(all, std::byte{0});
    return provider::guarded([&]() -> Result<std::shared_ptr<Memory>> {
        auto memory = std::make_shared<MappedMemory>(std::move(*buffer), all);
        // No zero may still be in a cache when the array has written something there.
        return memory->to_device(0, bytes).transform([&] { return memory; });
    });
}

// The kernel's driver has several words for "no room for one more context":
//   ENODEV  no columns are free, nor any that may be shared (aie2_solver.c)
//   EINVAL  the firmware refuses (aie_send_mgmt_msg_wait()); it is the answer to some other
//           faults too, which an eviction does not cure and does not make worse
//   ENOENT, EBUSY, ENOSPC  AMD's own tree, over one of its limits (aie2_ctx_runqueue.c)
// ENODEV is also the word for a device that is gone, and only then nothing works any more.
Error Device::refusal(const Failure& failure) const {
    switch (failure.number) {
        case ENODEV:
            return native([&] { return host_buffer(device_, 4); }) ? ErrorKind::ResourceLimit
                                                                   : ErrorKind::DeviceLost;
        case EINVAL:
        case ENOENT:
        case EBUSY:
        case ENOSPC:
            return ErrorKind::ResourceLimit;
        default:
            return failure.error;
    }
}

bool Device::may_keep(const xrt::uuid& id, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto known = kept_.find(id);
    const std::uint64_t before = known == kept_.end() ? 0 : known->second;
    const std::uint64_t after = std::max(before, bytes + kBesides);
    if (after - before > kMostKept - kept_bytes_) return false;
    kept_[id] = after;
    kept_bytes_ += after - before;
    return true;
}

Result<std::shared_ptr<Context>> Device::create_context(std::span<const std::byte> xclbin) {
    const std::string_view text(reinterpret_cast<const char*>(xclbin.data()), xclbin.size());
    const auto image = native([&] { return xrt::xclbin(text); });
    if (!image) return std::unexpected(image.error().error);
    const auto id = native([&] { return image->get_uuid(); });
    if (!id) return std::unexpected(id.error().error);
    const auto kept = provider::guarded([&] -> Result<bool> { return may_keep(*id, text.size()); });
    if (!kept) return std::unexpected(kept.error());
    if (!*kept) return std::unexpected(ErrorKind::ResourceLimit);
    const auto registered = native([&] { return device_.register_xclbin(*image); });
    if (!registered) return std::unexpected(registered.error().error);
    auto context = native([&] {
        return xrt::hw_context(device_, *registered, xrt::hw_context::access_mode::shared);
    });
    if (!context) return std::unexpected(refusal(context.error()));
    return provider::guarded([&]() -> Result<std::shared_ptr<Context>> {
        return std::make_shared<Partition>(device_, std::move(*context));
    });
}

}  // namespace xdna::native_xrt
