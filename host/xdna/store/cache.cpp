// SPDX-License-Identifier: MIT
#include "xdna/store/cache.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include <sys/file.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include "xdna/store/has_slots.hpp"
#include "xdna/store/key.hpp"

namespace xdna {

namespace {

using base::UniqueFd;

// Everything under this name is of a process that has the lock.
constexpr const char* kStaging = "staging";

std::optional<Binary> kernel_in(std::span<const std::byte> file, const Spec& spec) {
    auto binary = from_container(file);
    if (!binary || !has_slots(*binary, spec)) return std::nullopt;
    return std::move(*binary);
}

struct Kept {
    timespec since;
    std::uint64_t bytes;
    std::string name;
};

bool older(const Kept& a, const Kept& b) {
    return std::pair(a.since.tv_sec, a.since.tv_nsec) < std::pair(b.since.tv_sec, b.since.tv_nsec);
}

std::vector<Kept> kernels_in(const std::filesystem::path& path, const UniqueFd& directory) {
    std::vector<Kept> kept;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
        const std::string name = entry.path().filename();
        struct stat about{};
        if (entry.path().extension() == ".xrtn" &&
            ::fstatat(directory.value(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0)
            kept.push_back({about.st_mtim, static_cast<std::uint64_t>(about.st_size), name});
    }
    return kept;
}

}  // namespace

Opened<Catalogue> Catalogue::open(const std::filesystem::path& path) {
    return open_directory(path).transform(
        [](UniqueFd directory) { return Catalogue(std::move(directory)); });
}

std::optional<Binary> Catalogue::get(const std::string& key, const Spec& spec) const {
    const auto file = read_file(directory_, file_name(key), kBinaryBytes, Links::Follow);
    return file ? kernel_in(*file, spec) : std::nullopt;
}

Opened<Cache> Cache::open(const std::filesystem::path& path, std::uint64_t most_bytes) {
    // Compilers are told of places in it, from where they are.
    const auto whole = std::filesystem::absolute(path);
    return open_private_directory(whole).transform(
        [&](UniqueFd directory) { return Cache(whole, std::move(directory), most_bytes); });
}

std::optional<Binary> Cache::get(const std::string& key, const Spec& spec) const {
    const auto file = read_file(directory_, file_name(key), kBinaryBytes);
    auto binary = file ? kernel_in(*file, spec) : std::nullopt;
    const bool bad = file ? !binary : file.error() == EINVAL || file.error() == EFBIG;
    if (bad) ::unlinkat(directory_.value(), file_name(key).c_str(), 0);
    return binary;
}

bool Cache::put(const std::string& key, const Binary& binary) const {
    const auto container = to_container(binary);
    if (container.size() > std::min(kBinaryBytes, most_bytes_)) return false;
    const UniqueFd lock(::openat(directory_.value(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock || ::flock(lock.value(), LOCK_EX) != 0) return false;
    ::unlinkat(directory_.value(), kStaging, 0);  // of a process that was killed
    make_room_for(container.size());
    const bool kept =
        write_file(directory_, kStaging, container) &&
        ::renameat(directory_.value(), kStaging, directory_.value(), file_name(key).c_str()) == 0;
    if (!kept) ::unlinkat(directory_.value(), kStaging, 0);
    return kept;
}

void Cache::make_room_for(std::uint64_t bytes) const {
    std::vector<Kept> kept = kernels_in(path_, directory_);
    std::ranges::sort(kept, older);
    for (const Kept& kernel : kept)
        bytes += kernel.bytes;
    for (const Kept& kernel : kept) {
        if (bytes <= most_bytes_) return;
        if (::unlinkat(directory_.value(), kernel.name.c_str(), 0) == 0) bytes -= kernel.bytes;
    }
}

}  // namespace xdna
