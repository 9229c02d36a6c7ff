// SPDX-License-Identifier: MIT
#include "vhost/rig.hpp"

#include <algorithm>
#include <cstring>

#include <doctest/doctest.h>
#include <poll.h>

namespace vhost_test {

using vhost::Bytes;
using vhost::Request;

namespace {

constexpr std::uint64_t kAllProtocolFeatures = vhost::kMq | vhost::kReplyAck | vhost::kBackendReq |
                                               vhost::kConfig | vhost::kResetDevice |
                                               vhost::kConfigureMemSlots;

vhost::Profile profile(const Options& options) {
    Bytes config(16);
    for (std::size_t i = 0; i < config.size(); ++i)
        config[i] = static_cast<std::byte>(0xc0 + i);
    return {.features = vhost::kVersion1 | vhost::kAccessPlatform,
            .config = config,
            .max_chain_descriptors = options.max_chain_descriptors};
}

}  // namespace

std::uint64_t as_u64(const Bytes& bytes) {
    REQUIRE(bytes.size() == sizeof(std::uint64_t));
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
}

void Echo::serve(vhost::Ticket ticket, const wire::Chain& chain, vhost::Answers& answers) noexcept {
    Bytes request;
    for (const auto piece : chain.readable)
        request.insert(request.end(), piece.begin(), piece.end());
    std::size_t done = 0;
    for (const auto piece : chain.writable) {
        const std::size_t n = std::min(piece.size(), request.size() - done);
        std::ranges::copy(std::span(request).subspan(done, n), piece.begin());
        done += n;
    }
    requests.push_back(request);
    readable_pieces.push_back(chain.readable.size());
    if (before_reply) before_reply();
    const auto used = static_cast<std::uint32_t>(done) + excess;
    if (hold)
        held.emplace_back(ticket, used);
    else
        answers.complete(ticket, used);
}

void Echo::drain(vhost::Answers& answers) noexcept {
    while (!held.empty()) {
        answers.complete(held.back().first, held.back().second);
        held.pop_back();
    }
}

Rig::Rig(Options options)
    : ring(ram, options.ring_size),
      connection(std::make_unique<vhost::Connection>(front_end.take_peer(), profile(options), echo,
                                                     notes)),
      data_((ring.end() + 4095) / 4096 * 4096) {}

Rig::~Rig() = default;

std::expected<vhost::Progress, std::string> Rig::settle() {
    // A step that finds nothing to do does not change anything, and one message or one
    // turn of the ring is done in each: enough of them reach the end.
    for (int i = 0; i < 64; ++i) {
        auto progress = connection->step(-1, 0);
        if (!progress || *progress != vhost::Progress::Open) return progress;
    }
    return vhost::Progress::Open;
}

void Rig::tell(Request request, const Bytes& payload, std::initializer_list<int> fds) {
    front_end.send(request, payload, fds);
    const auto progress = settle();
    REQUIRE_MESSAGE(progress.has_value(), progress.error());
    REQUIRE(*progress == vhost::Progress::Open);
    REQUIRE_FALSE(front_end.receive().has_value());
}

std::uint64_t Rig::ask(Request request, const Bytes& payload, std::initializer_list<int> fds) {
    front_end.send(request, payload, fds, true);
    const auto progress = settle();
    REQUIRE_MESSAGE(progress.has_value(), progress.error());
    const auto reply = front_end.receive();
    REQUIRE(reply.has_value());
    REQUIRE(reply->header.request == static_cast<std::uint32_t>(request));
    REQUIRE(reply->header.flags == (vhost::kVersion | vhost::kReplyFlag));
    return as_u64(reply->payload);
}

Bytes Rig::get(Request request, const Bytes& payload) {
    front_end.send(request, payload);
    const auto progress = settle();
    REQUIRE_MESSAGE(progress.has_value(), progress.error());
    const auto reply = front_end.receive();
    REQUIRE(reply.has_value());
    REQUIRE(reply->header.request == static_cast<std::uint32_t>(request));
    REQUIRE(reply->header.flags == (vhost::kVersion | vhost::kReplyFlag));
    return reply->payload;
}

void Rig::negotiate() {
    const std::uint64_t features = as_u64(get(Request::GetFeatures));
    REQUIRE(as_u64(get(Request::GetProtocolFeatures)) == kAllProtocolFeatures);
    tell(Request::SetProtocolFeatures, u64(kAllProtocolFeatures));
    REQUIRE(as_u64(get(Request::GetQueueNum)) == 1);
    REQUIRE(as_u64(get(Request::GetMaxMemSlots)) == 512);
    tell(Request::SetOwner);
    // Before any memory or feature, as QEMU does.
    REQUIRE(ask(Request::SetVringCall, u64(0), {call_fd.value()}) == kAck);
    REQUIRE(ask(Request::SetVringErr, u64(0), {err_fd.value()}) == kAck);
    tell(Request::SetFeatures, u64(features));
}

void Rig::share_memory() {
    REQUIRE(ask(Request::AddMemReg, vhost::to_bytes(vhost::MemRegion{0, ram.region()}),
                {ram.fd()}) == kAck);
}

void Rig::start_ring(std::uint32_t base) {
    tell(Request::SetVringNum, state(0, ring.size()));
    tell(Request::SetVringBase, state(0, base));
    tell(Request::SetVringAddr, vhost::to_bytes(ring.addresses()));
    REQUIRE(ask(Request::SetVringKick, u64(0), {kick_fd.value()}) == kAck);
    REQUIRE(ask(Request::SetVringCall, u64(0), {call_fd.value()}) == kAck);
    REQUIRE(ask(Request::SetVringEnable, state(0, 1)) == kAck);
}

std::uint32_t Rig::stop_ring() {
    REQUIRE(ask(Request::SetVringEnable, state(0, 0)) == kAck);
    const Bytes reply = get(Request::GetVringBase, state(0, 0));
    REQUIRE(reply.size() == sizeof(vhost::VringState));
    vhost::VringState stopped{};
    std::memcpy(&stopped, reply.data(), sizeof(stopped));
    CHECK(stopped.index == 0);
    return stopped.num;
}

void Rig::start() {
    negotiate();
    share_memory();
    start_ring();
}

vhost::Descriptor Rig::readable(std::string_view text) {
    const auto place = ram.bytes().subspan(data_, text.size());
    std::ranges::copy(std::as_bytes(std::span(text)), place.begin());
    const vhost::Descriptor descriptor{.address = ram.guest() + data_,
                                       .length = static_cast<std::uint32_t>(text.size())};
    data_ += text.size();
    return descriptor;
}

vhost::Descriptor Rig::writable(std::size_t bytes) {
    std::ranges::fill(ram.bytes().subspan(data_, bytes), std::byte{'.'});
    const vhost::Descriptor descriptor{.address = ram.guest() + data_,
                                       .length = static_cast<std::uint32_t>(bytes),
                                       .flags = vhost::kDescriptorWrite};
    data_ += bytes;
    return descriptor;
}

std::string Rig::text_at(const vhost::Descriptor& descriptor, std::size_t length) {
    const auto bytes = ram.bytes().subspan(descriptor.address - ram.guest(), length);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void Rig::submit(std::uint16_t head) {
    ring.publish(head);
    kick(kick_fd);
    const auto progress = settle();
    REQUIRE_MESSAGE(progress.has_value(), progress.error());
}

}  // namespace vhost_test
