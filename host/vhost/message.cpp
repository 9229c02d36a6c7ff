// SPDX-License-Identifier: MIT
#include "vhost/message.hpp"

#include <algorithm>
#include <cerrno>
#include <format>

#include <sys/socket.h>
#include <sys/uio.h>

#include "vhost/failure.hpp"

namespace vhost {

namespace {

constexpr Rule::Range kEmpty{0, 0};
constexpr Rule::Range exactly(std::size_t n) {
    return {n, n};
}
constexpr Rule::Range kU64 = exactly(sizeof(std::uint64_t));
constexpr Rule::Range kState = exactly(sizeof(VringState));
constexpr Rule::Range kRegion = exactly(sizeof(MemRegion));
constexpr Rule::Range kConfigAccess{sizeof(ConfigHeader), kMaxPayload};
constexpr Rule::Range kTable{sizeof(MemTableHeader),
                             sizeof(MemTableHeader) + kMaxTableRegions * sizeof(RegionDesc)};
constexpr Rule::Range kUpToOne{0, 1};

constexpr bool kReplies = true;

constexpr auto kRules = std::to_array<Rule>({
    {Request::GetFeatures, "GET_FEATURES", kEmpty, kEmpty, 0, kReplies},
    {Request::SetFeatures, "SET_FEATURES", kU64, kEmpty},
    {Request::SetOwner, "SET_OWNER", kEmpty, kEmpty},
    {Request::ResetOwner, "RESET_OWNER", kEmpty, kEmpty},
    {Request::SetMemTable, "SET_MEM_TABLE", kTable, {0, kMaxTableRegions}},
    {Request::SetVringNum, "SET_VRING_NUM", kState, kEmpty},
    {Request::SetVringAddr, "SET_VRING_ADDR", exactly(sizeof(VringAddr)), kEmpty},
    {Request::SetVringBase, "SET_VRING_BASE", kState, kEmpty},
    {Request::GetVringBase, "GET_VRING_BASE", kState, kEmpty, 0, kReplies},
    {Request::SetVringKick, "SET_VRING_KICK", kU64, kUpToOne},
    {Request::SetVringCall, "SET_VRING_CALL", kU64, kUpToOne},
    {Request::SetVringErr, "SET_VRING_ERR", kU64, kUpToOne},
    {Request::GetProtocolFeatures, "GET_PROTOCOL_FEATURES", kEmpty, kEmpty, 0, kReplies},
    {Request::SetProtocolFeatures, "SET_PROTOCOL_FEATURES", kU64, kEmpty},
    {Request::GetQueueNum, "GET_QUEUE_NUM", kEmpty, kEmpty, 0, kReplies},
    {Request::SetVringEnable, "SET_VRING_ENABLE", kState, kEmpty},
    {Request::SetBackendReqFd, "SET_BACKEND_REQ_FD", kEmpty, exactly(1), kBackendReq},
    {Request::GetConfig, "GET_CONFIG", kConfigAccess, kEmpty, kConfig, kReplies},
    {Request::SetConfig, "SET_CONFIG", kConfigAccess, kEmpty, kConfig},
    {Request::ResetDevice, "RESET_DEVICE", kEmpty, kEmpty, kResetDevice},
    {Request::GetMaxMemSlots, "GET_MAX_MEM_SLOTS", kEmpty, kEmpty, kConfigureMemSlots, kReplies},
    {Request::AddMemReg, "ADD_MEM_REG", kRegion, exactly(1), kConfigureMemSlots},
    // Older front ends send a descriptor that has no use here.
    {Request::RemMemReg, "REM_MEM_REG", kRegion, kUpToOne, kConfigureMemSlots},
});

// Every descriptor that the kernel installed gets an owner, wanted or not.
void adopt_fds(msghdr& header, std::vector<UniqueFd>& fds) {
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            fds.emplace_back(fd);
        }
    }
}

}  // namespace

const Rule* rule_for(std::uint32_t request) {
    const auto* rule = std::ranges::find(kRules, Request{request}, &Rule::request);
    return rule == kRules.end() ? nullptr : rule;
}

std::expected<Received, std::string> MessageReader::receive(int socket) {
    while (filled_ < expected_) {
        const auto got = receive_some(socket);
        if (!got) return std::unexpected(got.error());
        if (!*got) return Received::Partial;
        if (**got == 0) {
            if (filled_ == 0) return Received::Closed;
            return std::unexpected("the front end disconnected inside a message");
        }
        filled_ += **got;
        if (filled_ == sizeof(Header)) {
            if (auto ok = check_header(); !ok) return std::unexpected(ok.error());
        }
    }
    if (auto ok = check_fds(); !ok) return std::unexpected(ok.error());
    return Received::Complete;
}

Message MessageReader::take() {
    const auto payload = std::span(buffer_).first(filled_).subspan(sizeof(Header));
    Message message{.request = header_.request,
                    .need_reply = (header_.flags & kNeedReplyFlag) != 0,
                    .payload = {payload.begin(), payload.end()},
                    .fds = std::exchange(fds_, {})};
    filled_ = 0;
    expected_ = sizeof(Header);
    return message;
}

std::expected<std::optional<std::size_t>, std::string> MessageReader::receive_some(int socket) {
    iovec piece{buffer_.data() + filled_, expected_ - filled_};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kMaxFds * sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();

    ssize_t got = 0;
    do {
        got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        if (errno == EAGAIN) return std::nullopt;
        return failure("recvmsg", errno);
    }
    adopt_fds(header, fds_);
    if ((header.msg_flags & MSG_CTRUNC) != 0 || fds_.size() > kMaxFds) {
        return std::unexpected(std::format("more than {} descriptors in a message", kMaxFds));
    }
    return static_cast<std::size_t>(got);
}

std::expected<void, std::string> MessageReader::check_header() {
    std::memcpy(&header_, buffer_.data(), sizeof(header_));
    if ((header_.flags & ~kNeedReplyFlag) != kVersion) {
        return std::unexpected(std::format("message flags {:#x}", header_.flags));
    }
    const Rule* rule = rule_for(header_.request);
    // An unknown request is still read whole, so that it can be refused politely.
    const Rule::Range allowed = rule != nullptr ? rule->payload : Rule::Range{0, kMaxPayload};
    if (!allowed.contains(header_.size)) {
        return std::unexpected(std::format("{} with {} payload bytes",
                                           rule != nullptr ? rule->name : "unknown request",
                                           header_.size));
    }
    expected_ = sizeof(Header) + header_.size;
    return {};
}

std::expected<void, std::string> MessageReader::check_fds() const {
    const Rule* rule = rule_for(header_.request);
    if (rule == nullptr || rule->fds.contains(fds_.size())) return {};
    return std::unexpected(std::format("{} with {} descriptors", rule->name, fds_.size()));
}

std::expected<void, std::string> send_reply(int socket, std::uint32_t request,
                                            std::span<const std::byte> payload) {
    Bytes bytes = to_bytes(
        Header{request, kVersion | kReplyFlag, static_cast<std::uint32_t>(payload.size())});
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    ssize_t sent = 0;
    do {
        sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) return failure("send", errno);
    if (std::cmp_less(sent, bytes.size())) {
        return std::unexpected("the front end does not read its replies");
    }
    return {};
}

}  // namespace vhost
