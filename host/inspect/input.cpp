// SPDX-License-Identifier: MIT
#include "inspect/input.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace inspect {

std::expected<Input, std::string> Input::read(const std::string& path) {
    const auto failure = [&] { return std::unexpected(path + ": " + std::strerror(errno)); };
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) errno = EISDIR;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file || errno == EISDIR) return failure();
    Input input;
    input.size_ = static_cast<std::size_t>(file.tellg());
    input.words_.resize((input.size_ + 7) / 8);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(input.words_.data()),
              static_cast<std::streamsize>(input.size_));
    if (!file) return failure();
    return input;
}

}  // namespace inspect
