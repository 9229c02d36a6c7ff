// SPDX-License-Identifier: MIT
#include "xdna/store/key.hpp"

#include <array>
#include <cstdint>
#include <format>

#include <sha2.h>

#include "xdna/binary.hpp"

namespace xdna {

namespace {

// Lines, so that sha256sum can be asked for it (docs/providers/xdna-compiler.md).
std::string lines(const Spec& spec) {
    return std::format("container={}\ninstructions={}\ngeneration={}\nspec={}\n", kContainerVersion,
                       kInstructionAbi, kGeneration, to_text(spec));
}

std::string hash(const std::string& text) {
    return sha256(std::as_bytes(std::span(text)));
}

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
    SHA2_CTX context;
    ::SHA256Init(&context);
    ::SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    ::SHA256Final(digest.data(), &context);
    std::string text;
    for (const std::uint8_t byte : digest)
        text += std::format("{:02x}", byte);
    return text;
}

std::string catalogue_key(const Spec& spec) {
    return hash(lines(spec));
}

std::string cache_key(const Spec& spec, const Toolchain& toolchain) {
    return hash(lines(spec) +
                std::format("versions={}\nhelper={}\n", toolchain.versions, toolchain.helper));
}

std::string file_name(const std::string& key) {
    return key + ".xrtn";
}

}  // namespace xdna
