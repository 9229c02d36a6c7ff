// SPDX-License-Identifier: MIT
#include "xdna/store/compiler.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <format>
#include <utility>

#include "xdna/store/contract.hpp"
#include "xdna/store/files.hpp"
#include "xdna/store/has_slots.hpp"
#include "xdna/store/work_directory.hpp"

namespace xdna {

namespace {

using base::UniqueFd;
using Bytes = std::vector<std::byte>;

// To say its versions it has to import a toolchain, and no more.
constexpr std::chrono::milliseconds kTimeForVersions = std::chrono::seconds(60);
constexpr std::size_t kLoggedBytes = 4096;
constexpr std::uint64_t kMostProgramBytes = 64 << 20;

std::unexpected<NoBinary> no(StoreCode code, std::string why) {
    return std::unexpected(failed(code, std::move(why)));
}

std::string message(int error) {
    return std::generic_category().message(error);
}

// For a log: its last lines, and nothing that a terminal would do.
std::string excerpt(std::string text) {
    if (text.size() > kLoggedBytes) text.erase(0, text.size() - kLoggedBytes);
    std::ranges::replace_if(text, [](char c) { return (c < ' ' && c != '\n') || c > '~'; }, '?');
    return text;
}

std::string text_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::expected<std::string, NoBinary> hash_of(const std::filesystem::path& program) {
    // Its path begins at the root.
    const auto file = read_file(UniqueFd(), program, kMostProgramBytes, Links::Follow);
    if (!file)
        return no(StoreCode::SpawnFailed,
                  std::format("the compiler cannot be read: {}", message(file.error())));
    return sha256(*file);
}

std::expected<Bytes, NoBinary> take(const UniqueFd& directory, const char* name,
                                    std::uint64_t most) {
    auto file = read_file(directory, name, most);
    if (!file)
        return no(StoreCode::BadOutput,
                  std::format("the compiler has left no fit {}: {}", name, message(file.error())));
    return std::move(*file);
}

std::expected<Binary, NoBinary> assemble(contract::Result result, const UniqueFd& directory) {
    auto xclbin = take(directory, contract::kXclbinFile, kBinaryBytes);
    if (!xclbin) return std::unexpected(std::move(xclbin.error()));
    const auto words = take(directory, contract::kInstructionFile, contract::kMostInstructionBytes);
    if (!words) return std::unexpected(words.error());
    if (words->empty() || words->size() % sizeof(std::uint32_t) != 0)
        return no(StoreCode::BadOutput, "the compiler's instructions are not in whole words");
    Binary binary{
        .entry = std::move(result.entry),
        .inputs = std::move(result.inputs),
        .outputs = std::move(result.outputs),
        .xclbin = std::move(*xclbin),
        .instructions = std::vector<std::uint32_t>(words->size() / sizeof(std::uint32_t))};
    // Both are little-endian, as the array is and this host.
    std::memcpy(binary.instructions.data(), words->data(), words->size());
    return binary;
}

}  // namespace

Compiler::Compiler(const std::filesystem::path& program, std::filesystem::path place,
                   ProcessLimits limits, int stop_fd, Log log)
    : program_(std::filesystem::absolute(program)),
      place_(std::move(place)),
      limits_(limits),
      stop_fd_(stop_fd),
      log_(std::move(log)) {
    WorkDirectory::remove_stale(place_);
}

std::expected<Toolchain, NoBinary> Compiler::measure() const {
    auto helper = hash_of(program_);
    if (!helper) return std::unexpected(std::move(helper.error()));
    const auto directory = WorkDirectory::make(place_);
    if (!directory)
        return no(StoreCode::InputOutput,
                  std::format("no directory to work in: {}", message(directory.error())));
    const auto output =
        start(directory->path(), "--versions", std::min(limits_.time, kTimeForVersions));
    if (!output) return std::unexpected(output.error());
    auto versions = contract::read_versions(*output);
    if (!versions) return no(StoreCode::BadOutput, "the compiler does not say its versions");
    return Toolchain{.versions = std::move(*versions), .helper = std::move(*helper)};
}

std::expected<Binary, NoBinary> Compiler::compile(const Spec& spec,
                                                  const Toolchain& toolchain) const {
    const auto directory = WorkDirectory::make(place_);
    if (!directory)
        return no(StoreCode::InputOutput,
                  std::format("no directory to work in: {}", message(directory.error())));
    const std::string question = contract::spec_json(spec);
    if (!write_file(directory->fd(), contract::kSpecFile, std::as_bytes(std::span(question))))
        return no(StoreCode::InputOutput, std::format("no {}", contract::kSpecFile));
    if (auto output = start(directory->path(), directory->path(), limits_.time); !output)
        return std::unexpected(std::move(output.error()));

    const auto file = take(directory->fd(), contract::kResultFile, contract::kMostResultBytes);
    if (!file) return std::unexpected(file.error());
    auto result = contract::read_result(text_of(*file));
    if (!result) {
        const auto& [stage, words] = result.error();
        log_(std::format("xdna: no kernel for '{}': {}", to_text(spec), excerpt(words)));
        if (stage.empty()) return no(StoreCode::BadOutput, "the compiler's result is none");
        return no(StoreCode::HelperFailed, std::format("the compiler failed at '{}'", stage));
    }
    if (result->versions != toolchain.versions)
        return no(StoreCode::BadOutput, "the compiler is not of the versions it said it was");
    auto binary = assemble(std::move(*result), directory->fd());
    if (!binary) return binary;
    if (const auto parsed = from_container(to_container(*binary)); !parsed)
        return no(StoreCode::BadOutput, "what the compiler made is no kernel");
    if (!has_slots(*binary, spec))
        return no(StoreCode::BadOutput, "what the compiler made is another kernel");
    return binary;
}

std::expected<std::string, NoBinary> Compiler::start(const std::filesystem::path& directory,
                                                     std::string argument,
                                                     std::chrono::milliseconds time) const {
    ProcessLimits limits = limits_;
    limits.time = time;
    auto ended = run({.program = program_,
                      .arguments = {std::move(argument)},
                      .directory = directory,
                      .limits = limits,
                      .stop_fd = stop_fd_});
    if (!ended)
        return no(StoreCode::SpawnFailed,
                  std::format("the compiler cannot be started: {}: {}", ended.error().what,
                              message(ended.error().error)));
    if (ended->how == Ended::How::Exited && ended->status == 0) return std::move(ended->output);
    const std::string said = excerpt(std::move(ended->output)) + excerpt(std::move(ended->errors));
    if (!said.empty()) log_("xdna: the compiler failed, and said:\n" + said);
    switch (ended->how) {
        case Ended::How::Exited:
            if (ended->status == contract::kExitToolchainMissing)
                return no(StoreCode::ToolchainMissing, "the compiler's toolchain is missing");
            return no(StoreCode::HelperFailed,
                      std::format("the compiler failed with exit status {}", ended->status));
        case Ended::How::Killed:
            return no(StoreCode::HelperFailed,
                      std::format("the compiler was killed by signal {}", ended->status));
        case Ended::How::OutOfTime:
            return no(StoreCode::Timeout,
                      std::format("the compiler took more than {} s", time.count() / 1000));
        case Ended::How::OutOfSpace:
            return no(StoreCode::HelperFailed, "the compiler wrote more than it may");
        case Ended::How::Stopped:
            break;
    }
    return no(StoreCode::HelperFailed, "the store is stopping");
}

}  // namespace xdna
