// SPDX-License-Identifier: MIT
//
// The program that an operator names to make kernels. What it is asked, and what it answers,
// is in docs/providers/xdna-compiler.md; its answer is trusted no more than a guest's.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <string>

#include "xdna/store/bounded_process.hpp"
#include "xdna/store/errors.hpp"
#include "xdna/store/key.hpp"

namespace xdna {

class Compiler {
 public:
    using Log = std::function<void(const std::string&)>;

    // It works in directories that are made in `place`, which is private.
    Compiler(const std::filesystem::path& program, std::filesystem::path place,
             ProcessLimits limits, int stop_fd, Log log);

    [[nodiscard]] std::expected<Toolchain, NoBinary> measure() const;
    // An error if it turns out to be another toolchain.
    [[nodiscard]] std::expected<Binary, NoBinary> compile(const Spec& spec,
                                                          const Toolchain& toolchain) const;

 private:
    [[nodiscard]] std::expected<std::string, NoBinary> start(const std::filesystem::path& directory,
                                                             std::string argument,
                                                             std::chrono::milliseconds time) const;

    std::filesystem::path program_;
    std::filesystem::path place_;
    ProcessLimits limits_;
    int stop_fd_;
    Log log_;
};

}  // namespace xdna
