// SPDX-License-Identifier: MIT
#include "vm/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>

namespace vm {

std::optional<std::string> read_all(int fd) {
    std::string bytes;
    char block[65536];
    while (const ssize_t got = ::read(fd, block, sizeof block)) {
        if (got > 0) {
            bytes.append(block, static_cast<std::size_t>(got));
        } else if (errno != EINTR) {
            return std::nullopt;
        }
    }
    return bytes;
}

Result<std::string> read_file(const std::filesystem::path& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd)
        if (auto bytes = read_all(fd.value())) return std::move(*bytes);
    return fail("{}: {}", path.native(), errno_text(errno));
}

Result<void> write_file(const std::filesystem::path& path, std::string_view bytes) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!fd || !write_all(fd.value(), bytes))
        return fail("{}: {}", path.native(), errno_text(errno));
    return {};
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(put));
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

Result<TemporaryDirectory> TemporaryDirectory::make() {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    if (error) return fail("no directory for temporary files: {}", error.message());
    std::string name = (parent / "accel-vm-XXXXXX").native();
    if (!::mkdtemp(name.data())) return fail("{}: {}", name, errno_text(errno));
    return TemporaryDirectory(name);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace vm
