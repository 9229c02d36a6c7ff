// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/unique_fd.hpp"
#include "xdna/store.hpp"
#include "xdna/store/cache.hpp"
#include "xdna/store/compiler.hpp"

namespace xdna {

struct StoreOptions {
    std::filesystem::path catalogue;  // empty: none, as with the others
    std::filesystem::path compiler;
    std::filesystem::path cache;  // of what the compiler has made, which needs one
    std::uint64_t cache_bytes = Cache::kMostBytes;
    ProcessLimits limits{};
    // For operators, who may see paths. From any thread.
    Compiler::Log log = [](const std::string&) {};
};

// A store in this process: a catalogue; then, with a compiler, the cache of what it has made;
// then the compiler itself, which makes one kernel at a time.
class DirectStore final : public Store {
 public:
    [[nodiscard]] static std::expected<std::unique_ptr<DirectStore>, std::string> open(
        const StoreOptions& options);

    [[nodiscard]] std::expected<Binary, NoBinary> find(const Spec& spec, Effort effort) override;

    // From now on nothing is compiled, and what is being compiled ends.
    void stop();

 private:
    DirectStore() = default;

    [[nodiscard]] std::expected<Toolchain, NoBinary> toolchain();
    [[nodiscard]] std::expected<Binary, NoBinary> compile(const Spec& spec);

    std::optional<Catalogue> catalogue_;
    std::optional<Cache> cache_;
    std::optional<Compiler> compiler_;
    base::UniqueFd stop_;
    Compiler::Log log_;

    std::mutex compiling_;
    std::mutex toolchain_mutex_;
    std::optional<Toolchain> toolchain_;  // once it was measured; under its mutex
};

}  // namespace xdna
