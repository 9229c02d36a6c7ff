// SPDX-License-Identifier: MIT
//
// The real program with the XDNA provider on the double of XRT, and a guest of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "daemon/vm.hpp"

namespace daemon_test {

// False where the build had no XRT.
[[nodiscard]] bool xdna_is_built();

// Words that have a program run on the double, which does what `script` says.
[[nodiscard]] std::string on_double(const std::string& script = "");

// A program of this build, beside the daemon.
[[nodiscard]] std::filesystem::path beside_tests(const std::string& name);

class XdnaDaemon {
 public:
    // With `--socket-path`, and a control socket where there can be one.
    explicit XdnaDaemon(const std::vector<std::string>& more, const std::string& script = "");

    // Compiles for the double, after `body` of a shell script. An empty cache goes with it.
    [[nodiscard]] static std::vector<std::string> compiler(const TemporaryDirectory& directory,
                                                           const std::string& body = "");
    [[nodiscard]] Client connect() const { return Client(directory.file("s")); }

    TemporaryDirectory directory;
    Acceld acceld;
};

// Runs the INT8 product of providers.md 6.4, whose result is known.
class Product {
 public:
    explicit Product(RunningVm& vm);

    [[nodiscard]] wire::Status load(std::span<const std::byte> artifact, std::uint32_t format);
    [[nodiscard]] wire::Status load();
    // Just the command.
    [[nodiscard]] driver::Bytes load_frame();
    // Whether the result is right. The product is loaded.
    [[nodiscard]] bool runs();
    // An event of a submission.
    [[nodiscard]] std::uint64_t submit();
    [[nodiscard]] driver::Answer poll(std::uint64_t event);

 private:
    [[nodiscard]] driver::ProgramFields fields(std::uint32_t format) const;
    [[nodiscard]] std::uint64_t buffer(std::uint64_t bytes);

    RunningVm& vm_;
    std::uint64_t request_ = 1'000;
    std::uint64_t context_ = 0;
    std::uint64_t program_ = 0;
    std::uint64_t queue_ = 0;
    std::uint64_t lhs_ = 0, rhs_ = 0, output_ = 0;
};

}  // namespace daemon_test
