// SPDX-License-Identifier: MIT
//
// Framing and decoding: protocol.md 3.2 and 3.3.
#include <bit>

#include "model/model_parts.hpp"

namespace model {

namespace {

constexpr std::uint64_t kHeader = 16;

constexpr bool overflows(std::uint64_t a, std::uint64_t b) {
    return a + b < a;
}

void append(Bytes& to, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
        to.push_back(static_cast<std::byte>(value >> 8 * i));
}

}  // namespace

Answer Model::process(const Bytes& request, std::uint64_t room, Script& script) {
    script_ = &script;
    ++commands_;
    if (room < kHeader || request.size() < kHeader) {
        ++unusable_;
        return {};
    }
    const std::span whole(request);
    const Payload header{whole.first(kHeader), 0};
    const std::uint64_t request_id = header.u64(8);
    Answer answer;
    const auto respond = [&](const Result& result) {
        append(answer.response, static_cast<std::uint16_t>(result.status), 2);
        append(answer.response, 0, 2);
        append(answer.response, result.payload.size(), 4);
        append(answer.response, request_id, 8);
        answer.response.insert(answer.response.end(), result.payload.begin(), result.payload.end());
        return answer;
    };

    const Payload payload{whole.subspan(kHeader), static_cast<std::uint16_t>(header.load(0, 2))};
    if (request.size() > kConfig.max_request_bytes) return respond(Status::ResourceLimit);
    if (header.u32(4) != payload.size()) return respond(Status::InvalidArgument);
    if (request_id == 0) return respond(Status::InvalidArgument);
    if (header.load(2, 2) != 0) return respond(Status::Unsupported);
    Command command;
    const Result checked = check(payload, command);
    if (checked.status != Status::Ok) return respond(checked.status);
    if (checked.largest > kConfig.max_response_bytes - kHeader)
        return respond(Status::ResourceLimit);
    if (room < kHeader + checked.largest) {
        ++unusable_;
        return {};
    }
    if (health_ != Health::Running) return respond(Status::DeviceLost);
    return respond(perform(payload, command, answer));
}

Model::Result Model::check(const Payload& p, Command& command) const {
    const auto with_length = [&](std::size_t bytes, auto rest) {
        return p.size() != bytes ? Result(Status::InvalidArgument) : rest();
    };
    const auto must_be_zero = [&](std::size_t flags, std::size_t reserved) {
        if (!p.zero(flags, 4)) return Status::Unsupported;
        return p.zero(reserved, 4) ? Status::Ok : Status::InvalidArgument;
    };
    switch (p.opcode) {
        case 0x0001:
            return with_length(0, [] { return Result::up_to(76); });
        case 0x0100:
            return with_length(8, [&] {
                const Status status = must_be_zero(0, 4);
                return status == Status::Ok ? Result::up_to(8) : Result(status);
            });
        case 0x0101:
        case 0x0201:
        case 0x0301:
        case 0x0401:
        case 0x0501:
        case 0x0502:
        case 0x0503:
            return with_length(8, [&] {
                if (p.u64(0) == 0) return Result(Status::InvalidArgument);
                return Result::up_to(p.opcode == 0x0501 ? 8 : 0);
            });
        case 0x0200:
            return with_length(40, [&] { return check_allocate(p); });
        case 0x0202:
        case 0x0203: {
            if (p.size() < 24) return Status::InvalidArgument;
            const std::uint64_t bytes = p.u64(16);
            if (bytes == 0 || overflows(p.u64(8), bytes)) return Status::InvalidArgument;
            const bool write = p.opcode == 0x0202;
            if (write && overflows(24, bytes)) return Status::ResourceLimit;
            if (p.size() != 24 + (write ? bytes : 0)) return Status::InvalidArgument;
            if (p.u64(0) == 0) return Status::InvalidArgument;
            if (!write && overflows(kHeader, bytes)) return Status::ResourceLimit;
            return Result::up_to(write ? 0 : bytes);
        }
        case 0x0300: {
            if (p.size() < 80) return Status::InvalidArgument;
            if (!p.zero(12, 4)) return Status::Unsupported;
            const std::uint64_t artifact = p.u64(64);
            if (p.u64(0) == 0 || p.u32(8) == 0 || artifact == 0 || p.u64(72) == 0)
                return Status::InvalidArgument;
            if (overflows(80, artifact)) return Status::ResourceLimit;
            if (p.size() != 80 + artifact) return Status::InvalidArgument;
            if (artifact > info_.max_artifact_bytes) return Status::ResourceLimit;
            return Result::up_to(8);
        }
        case 0x0400:
            return with_length(16, [&] {
                const Status status = must_be_zero(8, 12);
                if (status != Status::Ok) return Result(status);
                return p.u64(0) == 0 ? Result(Status::InvalidArgument) : Result::up_to(8);
            });
        case 0x0500:
            return check_submit(p, command);
        default:
            return Status::Unsupported;
    }
}

Model::Result Model::check_allocate(const Payload& p) const {
    if (p.u64(0) == 0) return Status::InvalidArgument;
    if (!p.zero(25, 7) || !p.zero(36, 4)) return Status::InvalidArgument;
    const std::uint64_t domain = p.load(24, 1);
    if (domain < 1 || domain > 3) return Status::InvalidArgument;
    const std::uint32_t usage = p.u32(32);
    if (usage > 0x1f) return Status::Unsupported;
    if (usage == 0) return Status::InvalidArgument;
    const std::uint64_t bytes = p.u64(8);
    if (bytes == 0 || std::popcount(p.u64(16)) != 1) return Status::InvalidArgument;
    if (bytes > info_.max_buffer_bytes) return Status::ResourceLimit;
    constexpr std::array<std::uint64_t, 4> kCapability{0, 0x01, 0x02, 0x20};
    if ((info_.capabilities & kCapability[domain]) == 0) return Status::Unsupported;
    return Result::up_to(8);
}

Model::Result Model::check_submit(const Payload& p, Command& command) const {
    if (p.size() < 32) return Status::InvalidArgument;
    if (!p.zero(20, 4)) return Status::Unsupported;
    const std::uint64_t bindings = p.u32(16);
    if (bindings == 0) return Status::InvalidArgument;
    if (bindings > info_.max_bindings_per_submission) return Status::ResourceLimit;
    if (p.size() != 32 + 32 * bindings) return Status::InvalidArgument;
    for (std::size_t at = 32; at < p.size(); at += 32) {
        const Use use{.buffer = p.u64(at),
                      .offset = p.u64(at + 8),
                      .bytes = p.u64(at + 16),
                      .slot = p.u32(at + 24),
                      .access = static_cast<std::uint8_t>(p.load(at + 28, 1))};
        if (!p.zero(at + 29, 3) || use.bytes == 0 || overflows(use.offset, use.bytes) ||
            use.access < 1 || use.access > 3 || use.buffer == 0)
            return Status::InvalidArgument;
        command.uses.push_back(use);
    }
    std::ranges::sort(command.uses, {}, &Use::slot);
    if (std::ranges::adjacent_find(command.uses, {}, &Use::slot) != command.uses.end())
        return Status::InvalidArgument;
    command.queue = p.u64(0);
    command.program = p.u64(8);
    command.timeout = p.u64(24);
    if (command.queue == 0 || command.program == 0) return Status::InvalidArgument;
    return Result::up_to(8);
}

}  // namespace model
