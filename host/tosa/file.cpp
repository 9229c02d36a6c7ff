// SPDX-License-Identifier: MIT
#include "tosa/file.hpp"

#include <flatbuffers/flatbuffers.h>

namespace tosa {
namespace {

Checked<void> check_version(const fbs::Version& version) {
    if (version._major() == 1 && version._minor() == 0 && version._patch() == 0 &&
        !version._draft())
        return {};
    return unsupported(Code::UnsupportedVersion, "TOSA version {}.{}.{}{}, where 1.0.0 is wanted",
                       version._major(), version._minor(), version._patch(),
                       version._draft() ? " draft" : "");
}

}  // namespace

Checked<File> open_file(std::span<const std::byte> bytes, const Limits& limits) {
    constexpr std::size_t kHeaderBytes = 8;  // root offset, identifier
    if (bytes.empty()) return malformed(Code::EmptyInput, "the file is empty");
    if (bytes.size() > limits.file_bytes) return exceeded("bytes of file", limits.file_bytes);
    if (bytes.size() < kHeaderBytes ||
        !flatbuffers::BufferHasIdentifier(bytes.data(), fbs::TosaGraphIdentifier()))
        return malformed(Code::MissingIdentifier, "not a TOSA file: its identifier is missing");

    const auto census = take_census(bytes, limits);
    if (!census) return std::unexpected(census.error());
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    flatbuffers::Verifier::Options options;
    options.max_depth = limits.depth;
    options.max_tables = limits.tables;
    flatbuffers::Verifier verifier(data, bytes.size(), options);
    if (!fbs::VerifyTosaGraphBuffer(verifier))
        return malformed(Code::InvalidFlatbuffer, "not a well-formed FlatBuffer");

    const fbs::TosaGraph* graph = fbs::GetTosaGraph(data);
    if (const auto version = check_version(*graph->version()); !version)
        return std::unexpected(version.error());
    return File{graph, *census};
}

}  // namespace tosa
