// SPDX-License-Identifier: MIT
#include "xdna/store/files.hpp"

#include <cerrno>
#include <format>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

namespace xdna {

using base::UniqueFd;

std::unexpected<std::string> failure(const std::filesystem::path& path, int error) {
    return std::unexpected(
        std::format("{}: {}", path.native(), std::generic_category().message(error)));
}

Opened<UniqueFd> open_directory(const std::filesystem::path& path) {
    UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return failure(path, errno);
    return directory;
}

Opened<UniqueFd> open_private_directory(const std::filesystem::path& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failure(path, errno);
    auto directory = open_directory(path);
    if (!directory) return directory;
    struct stat about{};
    if (::fstat(directory->value(), &about) != 0) return failure(path, errno);
    if (about.st_uid != ::geteuid() || (about.st_mode & 077) != 0)
        return std::unexpected(
            std::format("{}: belongs to somebody else, or others have access", path.native()));
    return directory;
}

std::expected<std::vector<std::byte>, int> read_file(const UniqueFd& directory,
                                                     const std::string& name, std::uint64_t most,
                                                     Links links) {
    const int follow = links == Links::Follow ? 0 : O_NOFOLLOW;
    // It might be a pipe that nobody writes to.
    const UniqueFd file(::openat(directory.value(), name.c_str(),
                                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow));
    struct stat about{};
    if (!file || ::fstat(file.value(), &about) != 0)
        return std::unexpected(errno == ELOOP ? EINVAL : errno);
    if (!S_ISREG(about.st_mode)) return std::unexpected(EINVAL);
    if (std::cmp_greater(about.st_size, most)) return std::unexpected(EFBIG);
    std::vector<std::byte> bytes(static_cast<std::size_t>(about.st_size));
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t got = ::read(file.value(), bytes.data() + done, bytes.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return std::unexpected(got < 0 ? errno : EINVAL);
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

bool write_file(const UniqueFd& directory, const std::string& name,
                std::span<const std::byte> bytes) {
    const UniqueFd file(::openat(directory.value(), name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return false;
    while (!bytes.empty()) {
        const ssize_t put = ::write(file.value(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return ::fsync(file.value()) == 0;
}

}  // namespace xdna
