// SPDX-License-Identifier: MIT
#include "worker/device_files.hpp"

#include <cerrno>
#include <format>
#include <set>
#include <system_error>

#include <sys/stat.h>

#include <fcntl.h>
#include <grp.h>
#include <unistd.h>

namespace acceld {

namespace {

std::string group_of(const std::filesystem::path& path) {
    struct stat file{};
    if (::stat(path.c_str(), &file) != 0) return "?";
    const group* found = ::getgrgid(file.st_gid);  // NOLINT: for list, which has one thread
    return found == nullptr ? std::to_string(file.st_gid) : found->gr_name;
}

}  // namespace

std::string closed_device_files(const std::filesystem::path& folder, std::string_view begin) {
    std::error_code none;
    std::set<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
        if (entry.path().filename().native().starts_with(begin)) paths.insert(entry.path());
    std::string closed;
    for (const auto& path : paths) {
        if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) == 0) continue;
        const std::string why = std::generic_category().message(errno);
        closed += std::format("{}{}: {}, its group is {}", closed.empty() ? "" : "; ",
                              path.native(), why, group_of(path));
    }
    return closed;
}

}  // namespace acceld
