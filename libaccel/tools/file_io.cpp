// SPDX-License-Identifier: MIT
#include "file_io.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

namespace accelctl {

namespace {

constexpr std::size_t kChunk = 1 << 20;

std::unexpected<std::string> system_failure(const std::string& path, int error) {
    return failure("{}: {}", path, std::generic_category().message(error));
}

struct CloseStream {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
};
using Stream = std::unique_ptr<std::FILE, CloseStream>;

// mkstemp() makes files private; this one becomes what open() would have made.
int share(int fd) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return ::fchmod(fd, 0666 & ~mask);
}

}  // namespace

Outcome<std::vector<std::byte>> read_file(const std::string& path, std::uint64_t limit) {
    const Stream stream(std::fopen(path.c_str(), "rbe"));
    if (!stream) return system_failure(path, errno);
    std::vector<std::byte> contents;
    std::size_t got = kChunk;
    while (got == kChunk) {
        const std::size_t before = contents.size();
        contents.resize(before + kChunk);
        got = std::fread(contents.data() + before, 1, kChunk, stream.get());
        contents.resize(before + got);
        if (contents.size() > limit) return failure("{}: larger than {} bytes", path, limit);
    }
    if (std::ferror(stream.get()) != 0) return system_failure(path, errno);
    return contents;
}

PendingFile::PendingFile(std::string path, std::string temporary)
    : path_(std::move(path)), temporary_(std::move(temporary)) {}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

PendingFile::~PendingFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Outcome<PendingFile> PendingFile::write(const std::string& path,
                                        std::span<const std::byte> contents) {
    // Renaming would put a plain file where a device or a directory was.
    std::error_code error;
    const auto there = std::filesystem::status(path, error).type();
    if (there != std::filesystem::file_type::not_found &&
        there != std::filesystem::file_type::regular)
        return failure("{}: not a regular file", path);

    std::string temporary = path + ".XXXXXX";
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) return system_failure(path, errno);
    PendingFile pending(path, std::move(temporary));
    Stream stream(::fdopen(fd, "wb"));
    if (!stream) {
        const int why = errno;
        ::close(fd);
        return system_failure(path, why);
    }
    if (share(fd) != 0 ||
        std::fwrite(contents.data(), 1, contents.size(), stream.get()) != contents.size() ||
        std::fclose(stream.release()) != 0)
        return system_failure(path, errno);
    return pending;
}

Outcome<void> PendingFile::commit() {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return system_failure(path_, errno);
    temporary_.clear();
    return {};
}

}  // namespace accelctl
