// SPDX-License-Identifier: MIT
#include "xdna/store/work_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <format>
#include <memory>
#include <string>
#include <string_view>

#include <sys/file.h>
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace xdna {

namespace {

using base::UniqueFd;

constexpr std::string_view kPrefix = "work.";
constexpr int kDeepest = 64;

UniqueFd open_below(const UniqueFd& directory, const char* name) {
    return UniqueFd(
        ::openat(directory.value(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

struct Close {
    void operator()(DIR* stream) const { ::closedir(stream); }
};

// Calls each(name) until it returns false. False as well if the directory cannot be read.
template <class Each>
bool for_each(const UniqueFd& directory, Each each) {
    const int again = ::openat(directory.value(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, Close> stream(again < 0 ? nullptr : ::fdopendir(again));
    if (!stream) {
        if (again >= 0) ::close(again);
        return false;
    }
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != ".." && !each(entry->d_name)) return false;
    }
    return true;
}

// What is left of the limits.
struct Room {
    std::uint64_t bytes;
    std::uint64_t files;
};

bool fits(const UniqueFd& directory, Room& room, int depth) {
    return for_each(directory, [&](const char* name) {
        struct stat about{};
        if (::fstatat(directory.value(), name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            return errno == ENOENT;
        const std::uint64_t bytes = static_cast<std::uint64_t>(about.st_blocks) * 512;
        if (room.files == 0 || bytes > room.bytes) return false;
        --room.files;
        room.bytes -= bytes;
        if (!S_ISDIR(about.st_mode)) return true;
        const UniqueFd below = open_below(directory, name);
        if (!below) return errno == ENOENT || errno == ENOTDIR;
        return depth > 0 && fits(below, room, depth - 1);
    });
}

bool is_directory(const UniqueFd& parent, const char* name) {
    struct stat about{};
    return ::fstatat(parent.value(), name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(about.st_mode);
}

// However deep it is, and whatever its modes: what is below a directory is moved to `top`.
class Emptier {
 public:
    explicit Emptier(const UniqueFd& top) : top_(top) {}

    void empty() {
        for (bool more = true; more;) {
            more = false;
            for_each(top_, [&](const char* name) {
                more |= remove(name);
                return true;
            });
        }
    }

 private:
    // Whether there is something new at the top.
    bool remove(const char* name) {
        if (::unlinkat(top_.value(), name, 0) == 0 || !is_directory(top_, name)) return false;
        if (::fchmodat(top_.value(), name, 0700, 0) != 0) return false;
        const UniqueFd below = open_below(top_, name);
        bool moved = false;
        if (below) {
            for_each(below, [&](const char* child) {
                moved |= rise(below, child);
                return true;
            });
        }
        ::unlinkat(top_.value(), name, AT_REMOVEDIR);
        return moved;
    }

    // A directory is changed when it is moved, so its mode has a say.
    bool rise(const UniqueFd& below, const char* child) {
        if (::unlinkat(below.value(), child, 0) == 0 || !is_directory(below, child)) return false;
        if (::fchmodat(below.value(), child, 0700, 0) != 0) return false;
        std::string name;
        do {
            name = std::format("{}", next_++);
        } while (::faccessat(top_.value(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        return ::renameat(below.value(), child, top_.value(), name.c_str()) == 0;
    }

    const UniqueFd& top_;
    std::uint64_t next_ = 0;
};

void remove_all(const std::filesystem::path& path, const UniqueFd& directory) {
    Emptier(directory).empty();
    ::rmdir(path.c_str());
}

}  // namespace

std::expected<WorkDirectory, int> WorkDirectory::make(const std::filesystem::path& parent) {
    std::string path = parent / (std::string(kPrefix) + "XXXXXX");
    if (::mkdtemp(path.data()) == nullptr) return std::unexpected(errno);
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd || ::flock(fd.value(), LOCK_EX) != 0) {
        const int error = errno;
        ::rmdir(path.c_str());
        return std::unexpected(error);
    }
    return WorkDirectory(std::move(path), std::move(fd));
}

void WorkDirectory::remove_stale(const std::filesystem::path& parent) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
        if (!entry.path().filename().native().starts_with(kPrefix)) continue;
        const UniqueFd fd(
            ::open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (fd && ::flock(fd.value(), LOCK_EX | LOCK_NB) == 0) remove_all(entry.path(), fd);
    }
}

WorkDirectory::~WorkDirectory() {
    if (fd_) remove_all(path_, fd_);
}

bool holds_more(const UniqueFd& directory, std::uint64_t bytes, std::uint64_t files) {
    Room room{bytes, files};
    return !fits(directory, room, kDeepest);
}

}  // namespace xdna
