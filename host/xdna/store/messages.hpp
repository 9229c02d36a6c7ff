// SPDX-License-Identifier: MIT
//
// What a client and the store process say to each other over a stream socket: a request, its
// reply, and so on. Both are on one host, so integers are the host's. Neither trusts the
// other, as a worker may have been taken over by its guest, and a store by a compiler.
#pragma once

#include <cstdint>
#include <type_traits>

namespace xdna::messages {

inline constexpr std::size_t kMostTextBytes = 256;
inline constexpr std::size_t kMostWhyBytes = 1024;

// Followed by the text of a spec.
struct Request {
    static constexpr std::uint32_t kMagic = 0x51545358;  // "XSTQ"
    std::uint32_t magic = kMagic;
    std::uint8_t version = 1;
    std::uint8_t effort = 0;
    std::uint16_t text_bytes = 0;
};
static_assert(sizeof(Request) == 8 && std::has_unique_object_representations_v<Request>);

// Followed by why there is no binary, or by the container of one: exactly one is not empty.
struct Reply {
    static constexpr std::uint32_t kMagic = 0x52545358;  // "XSTR"
    std::uint32_t magic = kMagic;
    std::uint8_t found = 0;
    std::uint8_t kind = 0;  // a provider::ErrorKind
    std::uint16_t why_bytes = 0;
    std::int32_t code = 0;  // of kErrorDomain, if it is External
    std::uint32_t container_bytes = 0;
};
static_assert(sizeof(Reply) == 16 && std::has_unique_object_representations_v<Reply>);

}  // namespace xdna::messages
