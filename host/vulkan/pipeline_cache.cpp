// SPDX-License-Identifier: MIT
#include "vulkan/pipeline_cache.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <format>

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/unique_fd.hpp"

namespace vulkan {
namespace {

using Bytes = std::vector<std::byte>;

// Vulkan's header has no driver version, and drivers differ in how well they check it.
struct FileHeader {
    std::array<char, 8> magic{'V', 'A', 'C', 'C', 'P', 'I', 'P', '1'};
    std::uint32_t vendor = 0;
    std::uint32_t device = 0;
    std::uint32_t driver = 0;
    std::array<std::uint8_t, VK_UUID_SIZE> uuid{};
    std::uint32_t reserved = 0;
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
};
static_assert(std::has_unique_object_representations_v<FileHeader>);

// FNV-1a: against accidents.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
    std::uint64_t sum = 0xCBF29CE484222325;
    for (const std::byte byte : bytes)
        sum = (sum ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3;
    return sum;
}

FileHeader header_for(const PhysicalDevice& device, std::span<const std::byte> data) {
    return {.vendor = device.vendor_id,
            .device = device.device_id,
            .driver = device.driver_version,
            .uuid = device.pipeline_cache_uuid,
            .bytes = data.size(),
            .checksum = checksum_of(data)};
}

// As the Vulkan specification describes it at vkGetPipelineCacheData.
bool is_of(const PhysicalDevice& device, std::span<const std::byte> data) {
    VkPipelineCacheHeaderVersionOne header{};
    if (data.size() < sizeof(header)) return false;
    std::memcpy(&header, data.data(), sizeof(header));
    return header.headerSize >= sizeof(header) && header.headerSize <= data.size() &&
           header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
           header.vendorID == device.vendor_id && header.deviceID == device.device_id &&
           std::ranges::equal(header.pipelineCacheUUID, device.pipeline_cache_uuid);
}

std::string path_in(const std::string& directory, const PhysicalDevice& device) {
    std::string name =
        std::format("{}/{:08x}-{:08x}-", directory, device.vendor_id, device.device_id);
    for (const std::uint8_t byte : device.pipeline_cache_uuid)
        name += std::format("{:02x}", byte);
    return name + ".pipelines";
}

// Empty when there is no such file of ours.
Bytes read_file(const std::string& path) {
    const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat about{};
    if (!file || ::fstat(file.value(), &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_uid != ::geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
        about.st_size < 0 || static_cast<std::uint64_t>(about.st_size) > PipelineCache::kMostBytes)
        return {};
    Bytes bytes(static_cast<std::size_t>(about.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got = ::read(file.value(), bytes.data() + done, bytes.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return {};
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

bool write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(file, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return true;
}

// Whoever reads meanwhile finds the old file or the new one.
void replace_file(const std::string& path, std::span<const std::byte> bytes) {
    std::string temporary = path + ".XXXXXX";
    const base::UniqueFd file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!file) return;
    if (!write_all(file.value(), bytes) || ::rename(temporary.c_str(), path.c_str()) != 0)
        ::unlink(temporary.c_str());
}

// Empty if it cannot be had.
Bytes data_of(const Device& device, VkPipelineCache cache) {
    const auto get = device.api().GetPipelineCacheData;
    std::size_t bytes = 0;
    if (get(device.handle(), cache, &bytes, nullptr) != VK_SUCCESS ||
        bytes > PipelineCache::kMostBytes - sizeof(FileHeader))
        return {};
    Bytes data(bytes);
    if (get(device.handle(), cache, &bytes, data.data()) != VK_SUCCESS) return {};
    data.resize(bytes);
    return data;
}

}  // namespace

Bytes wrap(const PhysicalDevice& device, std::span<const std::byte> data) {
    const auto header =
        std::bit_cast<std::array<std::byte, sizeof(FileHeader)>>(header_for(device, data));
    Bytes file(header.begin(), header.end());
    file.insert(file.end(), data.begin(), data.end());
    return file;
}

std::span<const std::byte> unwrap(const PhysicalDevice& device, std::span<const std::byte> file) {
    if (file.size() < sizeof(FileHeader)) return {};
    const auto data = file.subspan(sizeof(FileHeader));
    const FileHeader expected = header_for(device, data);
    const bool whole = std::memcmp(file.data(), &expected, sizeof(expected)) == 0;
    return whole && is_of(device, data) ? data : std::span<const std::byte>();
}

Result<PipelineCache> PipelineCache::open(Device& device, const std::string& directory) {
    PipelineCache cache;
    cache.device_ = &device;
    if (!directory.empty()) {
        cache.path_ = path_in(directory, device.physical());
        const Bytes file = read_file(cache.path_);
        const auto data = unwrap(device.physical(), file);
        cache.stored_.assign(data.begin(), data.end());
    }
    VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                   .initialDataSize = cache.stored_.size(),
                                   .pInitialData = cache.stored_.data()};
    const DeviceApi& api = device.api();
    auto made = device.make(api.CreatePipelineCache, api.DestroyPipelineCache, info);
    if (!made && info.initialDataSize != 0) {
        cache.stored_.clear();
        info.initialDataSize = 0;
        made = device.make(api.CreatePipelineCache, api.DestroyPipelineCache, info);
    }
    if (!made) return std::unexpected(made.error());
    cache.handle_ = std::move(*made);
    return cache;
}

void PipelineCache::save() const {
    const Bytes data = data_of(*device_, handle_.get());
    if (!data.empty() && data != stored_) replace_file(path_, wrap(device_->physical(), data));
}

PipelineCache::~PipelineCache() {
    if (!handle_.get() || path_.empty() || device_->lost()) return;
    try {
        save();
    } catch (const std::exception&) {  // NOLINT: short of memory, there is no file
    }
}

}  // namespace vulkan
