// SPDX-License-Identifier: MIT
#include "vm/cpio.hpp"

#include <charconv>
#include <iterator>
#include <optional>

#include <sys/stat.h>

namespace vm {
namespace {

constexpr std::string_view kMagic = "070701";
constexpr std::string_view kTrailer = "TRAILER!!!";
constexpr std::size_t kFields = 13;
constexpr std::size_t kFieldDigits = 8;
constexpr std::size_t kHeaderBytes = kMagic.size() + kFields * kFieldDigits;

enum Field : std::size_t { Inode, Mode, Uid, Gid, Links, Time, Size, NameSize = 11 };

constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + 3) & ~std::size_t{3};
}

std::optional<std::uint32_t> field(std::string_view header, Field which) {
    const auto digits = header.substr(kMagic.size() + which * kFieldDigits, kFieldDigits);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
    if (error != std::errc{} || end != digits.end()) return std::nullopt;
    return value;
}

}  // namespace

void CpioWriter::add_file(std::string_view path, std::string_view bytes, bool executable) {
    add_directory(path.substr(0, path.rfind('/')));
    add_entry(path.substr(1), S_IFREG | (executable ? 0755U : 0644U), bytes);
}

void CpioWriter::add_directory(std::string_view path) {
    if (path.empty() || directories_.contains(path)) return;
    add_directory(path.substr(0, path.rfind('/')));
    directories_.emplace(path);
    add_entry(path.substr(1), S_IFDIR | 0755U, {});
}

std::string CpioWriter::finish() && {
    add_entry(kTrailer, 0, {});
    return std::move(archive_);
}

// Everything belongs to root and has no date, so that equal inputs give equal bytes.
void CpioWriter::add_entry(std::string_view name, std::uint32_t mode, std::string_view bytes) {
    std::format_to(std::back_inserter(archive_), "{}{:08x}{:08x}{:016x}{:08x}{:08x}{:08x}", kMagic,
                   ++inodes_, mode, 0, 1, 0, bytes.size());
    std::format_to(std::back_inserter(archive_), "{:032x}{:08x}{:08x}", 0, name.size() + 1, 0);
    archive_.append(name).push_back('\0');
    pad();
    archive_.append(bytes);
    pad();
}

void CpioWriter::pad() {
    archive_.resize(padded(archive_.size()));
}

Result<std::vector<CpioEntry>> read_cpio(std::string_view archive) {
    std::vector<CpioEntry> entries;
    for (std::size_t at = 0; archive.size() - at >= kHeaderBytes;) {
        const auto header = archive.substr(at, kHeaderBytes);
        const auto mode = field(header, Mode);
        const auto size = field(header, Size);
        const auto name_size = field(header, NameSize);
        if (!header.starts_with(kMagic) || !mode || !size || !name_size || *name_size == 0)
            return fail("not a cpio archive at byte {}", at);

        const std::size_t name_at = at + kHeaderBytes;
        const std::size_t bytes_at = padded(name_at + *name_size);
        const std::size_t next = padded(bytes_at + *size);
        if (next > archive.size()) return fail("cpio archive cut off in the entry at byte {}", at);

        auto name = archive.substr(name_at, *name_size - 1);
        if (name == kTrailer) return entries;
        if (name.starts_with("./")) name.remove_prefix(2);
        if (S_ISREG(*mode)) entries.push_back({std::string(name), archive.substr(bytes_at, *size)});
        at = next;
    }
    return fail("cpio archive without an end");
}

}  // namespace vm
