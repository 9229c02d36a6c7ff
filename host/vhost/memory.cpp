// SPDX-License-Identifier: MIT
#include "vhost/memory.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <format>

#include <sys/mman.h>
#include <sys/stat.h>

#include "vhost/failure.hpp"

namespace vhost {

namespace {

constexpr std::uint64_t kPage = 4096;

bool wraps(std::uint64_t start, std::uint64_t size) {
    std::uint64_t end = 0;
    return __builtin_add_overflow(start, size, &end);
}

// Both ranges are known not to wrap.
bool overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) {
    return a < b + b_size && b < a + a_size;
}

std::expected<void, std::string> check(const RegionDesc& r) {
    if (r.size == 0) return std::unexpected("empty memory region");
    if ((r.guest | r.user | r.size | r.offset) % kPage != 0) {
        return std::unexpected("memory region off page boundaries");
    }
    if (wraps(r.guest, r.size) || wraps(r.user, r.size) || wraps(r.offset, r.size)) {
        return std::unexpected("memory region wraps around");
    }
    return {};
}

}  // namespace

std::expected<Mapping, std::string> Mapping::create(const UniqueFd& fd, std::uint64_t offset,
                                                    std::uint64_t size) {
    struct stat file{};
    if (::fstat(fd.value(), &file) != 0) return failure("fstat", errno);
    if (file.st_size < 0 || std::cmp_less(file.st_size, offset + size)) {
        return std::unexpected(std::format("memory region ends at byte {} of a file of {}",
                                           offset + size, file.st_size));
    }
    // hugetlbfs maps and unmaps whole huge pages only, and reports their size here.
    const auto granule = std::max(kPage, static_cast<std::uint64_t>(file.st_blksize));
    const std::uint64_t start = offset / granule * granule;
    const std::uint64_t end = (offset + size + granule - 1) / granule * granule;
    void* base = ::mmap(nullptr, end - start, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                        fd.value(), static_cast<off_t>(start));
    if (base == MAP_FAILED) return failure("mmap of guest memory", errno);
    const std::span mapped{static_cast<std::byte*>(base), end - start};
    return Mapping(mapped, mapped.subspan(offset - start, size));
}

Mapping::~Mapping() {
    guard_.reset();  // before these addresses are another mapping's
    if (!mapped_.empty()) ::munmap(mapped_.data(), mapped_.size());
}

std::expected<Memory::Shared, std::string> Memory::with(const RegionDesc& region,
                                                        const UniqueFd& fd) const {
    if (auto ok = check(region); !ok) return std::unexpected(ok.error());
    if (regions_.size() == kMaxRegions) return std::unexpected("too many memory regions");
    for (const auto& [desc, mapping] : regions_) {
        if (overlap(desc.guest, desc.size, region.guest, region.size) ||
            overlap(desc.user, desc.size, region.user, region.size)) {
            return std::unexpected("memory regions overlap");
        }
    }
    auto mapping = Mapping::create(fd, region.offset, region.size);
    if (!mapping) return std::unexpected(mapping.error());

    auto changed = std::make_shared<Memory>(*this);
    const auto place = std::ranges::upper_bound(changed->regions_, region.guest, {},
                                                [](const Region& r) { return r.desc.guest; });
    changed->regions_.insert(place, {region, std::make_shared<const Mapping>(*std::move(mapping))});
    return changed;
}

std::expected<Memory::Shared, std::string> Memory::without(const RegionDesc& region) const {
    auto changed = std::make_shared<Memory>(*this);
    const auto erased = std::erase_if(changed->regions_, [&](const Region& r) {
        return r.desc.guest == region.guest && r.desc.user == region.user &&
               r.desc.size == region.size;
    });
    if (erased == 0) return std::unexpected("no such memory region");
    return changed;
}

void Memory::probe() const {
    for (const auto& [desc, mapping] : regions_)
        (void)std::atomic_ref(mapping->bytes().back()).load(std::memory_order_relaxed);
}

bool Memory::lost() const {
    return std::ranges::any_of(regions_, &Mapping::lost,
                               [](const Region& r) -> const Mapping& { return *r.mapping; });
}

std::span<std::byte> Memory::piece_at(std::uint64_t guest, std::uint64_t length) const {
    auto next =
        std::ranges::upper_bound(regions_, guest, {}, [](const Region& r) { return r.desc.guest; });
    if (next == regions_.begin()) return {};
    const Region& region = *std::prev(next);
    const std::uint64_t skip = guest - region.desc.guest;
    if (skip >= region.desc.size) return {};
    return region.mapping->bytes().subspan(skip, std::min(length, region.desc.size - skip));
}

std::byte* Memory::at_user(std::uint64_t user, std::uint64_t length) const {
    for (const auto& [desc, mapping] : regions_) {
        if (user < desc.user || user - desc.user >= desc.size) continue;
        const std::uint64_t skip = user - desc.user;
        return length <= desc.size - skip ? mapping->bytes().data() + skip : nullptr;
    }
    return nullptr;
}

}  // namespace vhost
