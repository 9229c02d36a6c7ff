// SPDX-License-Identifier: MIT
#include "hostile/front_end.hpp"

#include <array>
#include <cerrno>
#include <format>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "linux/virtio_accel.h"
#include "vhost/failure.hpp"
#include "vhost/protocol.hpp"

namespace hostile {

namespace {

using vhost::Message;
using vhost::Request;
using vhost::to_bytes;

constexpr std::uint64_t kProtocolFeatures =
    vhost::kMq | vhost::kReplyAck | vhost::kBackendReq | vhost::kConfig | vhost::kConfigureMemSlots;

// Only the first 24 bits are the device's own.
constexpr std::uint64_t kDeviceFeatures = vhost::bit(24) - 1;

UniqueFd take_fd(Message& message) {
    if (message.fds.empty()) return {};
    UniqueFd fd = std::move(message.fds.front());
    ::fcntl(fd.value(), F_SETFL, ::fcntl(fd.value(), F_GETFL) | O_NONBLOCK);
    return fd;
}

}  // namespace

std::expected<void, std::string> FrontEnd::run() {
    for (;;) {
        const auto open = step();
        if (!open) return std::unexpected(open.error());
        if (!*open) return {};
    }
}

std::expected<bool, std::string> FrontEnd::step() {
    std::array ready{pollfd{socket_.value(), POLLIN, 0},
                     pollfd{device_.started() ? kick_.value() : -1, POLLIN, 0},
                     pollfd{device_.timer_fd(), POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), device_.wants_interrupts() ? 0 : -1) < 0) {
        return vhost::failure("poll", errno);
    }
    if (ready[1].revents != 0) {
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = ::read(kick_.value(), &count, sizeof(count));
        device_.serve();
    }
    if (ready[2].revents != 0) device_.give_late();
    if (device_.wants_interrupts()) device_.interrupt();
    if (ready[0].revents == 0) return true;

    const auto received = reader_.receive(socket_.value());
    if (!received) return std::unexpected(received.error());
    if (*received == vhost::Received::Closed) return false;
    if (*received == vhost::Received::Partial) return true;
    return serve_message(reader_.take()).transform([] { return true; });
}

std::expected<void, std::string> FrontEnd::serve_message(Message message) {
    auto reply = reply_to(message);
    if (!reply) {
        return std::unexpected(std::format("request {}: {}", message.request, reply.error()));
    }
    if (reply->empty() && message.need_reply) *reply = to_bytes(std::uint64_t{0});
    if (reply->empty()) return {};
    return vhost::send_reply(socket_.value(), message.request, *reply);
}

// An empty reply is a success that has nothing to say.
std::expected<vhost::Bytes, std::string> FrontEnd::reply_to(Message& message) {
    const auto memory = [this](std::expected<vhost::Memory::Shared, std::string> changed) {
        return std::move(changed).transform([this](vhost::Memory::Shared now) {
            memory_ = std::move(now);
            return vhost::Bytes();
        });
    };
    const vhost::Bytes nothing;
    switch (Request{message.request}) {
        case Request::GetFeatures:
            return to_bytes(device_.features() | vhost::kProtocolFeaturesBit);
        case Request::SetFeatures: {
            const auto accepted = message.as<std::uint64_t>() & kDeviceFeatures;
            if (accepted == 0) return nothing;
            return std::unexpected(std::format("the driver accepts features {:#x}", accepted));
        }
        case Request::GetProtocolFeatures:
            return to_bytes(kProtocolFeatures);
        case Request::GetQueueNum:
            return to_bytes(std::uint64_t{1});
        case Request::GetMaxMemSlots:
            return to_bytes(std::uint64_t{vhost::kMaxRegions});
        case Request::SetBackendReqFd:
            device_.set_backend_channel(std::move(message.fds.front()));
            return nothing;
        case Request::AddMemReg:
            return memory(
                memory_->with(message.as<vhost::MemRegion>().region, message.fds.front()));
        case Request::RemMemReg:
            return memory(memory_->without(message.as<vhost::MemRegion>().region));
        case Request::GetConfig:
            return read_config(message);
        case Request::SetVringNum:
            ring_size_ = static_cast<std::uint16_t>(message.as<vhost::VringState>().num);
            return nothing;
        case Request::SetVringAddr: {
            const auto address = message.as<vhost::VringAddr>();
            ring_addresses_ = {address.descriptors, address.available, address.used};
            return nothing;
        }
        case Request::SetVringCall:
            device_.set_call(take_fd(message));
            return nothing;
        case Request::SetVringKick:
            return start(take_fd(message)).transform([&] { return nothing; });
        case Request::GetVringBase:
            return to_bytes(vhost::VringState{0, device_.stop()});
        case Request::SetProtocolFeatures:
        case Request::SetOwner:
        case Request::SetVringBase:
        case Request::SetVringErr:
        case Request::SetVringEnable:
            return nothing;
        default:
            return std::unexpected("unknown");
    }
}

// A device reset clears the ring, and nothing else ever stops this one: so it begins at 0.
std::expected<void, std::string> FrontEnd::start(UniqueFd kick) {
    kick_ = std::move(kick);
    if (device_.started()) return {};
    auto view = vhost::RingView::locate(memory_, ring_size_, ring_addresses_);
    if (!view) return std::unexpected("the ring is not in guest memory");
    device_.start(*std::move(view));
    return {};
}

vhost::Bytes FrontEnd::read_config(const Message& message) {
    const auto wanted = message.as<vhost::ConfigHeader>();
    auto space = device_.config();
    space.resize(wanted.offset + wanted.size);
    vhost::Bytes reply = to_bytes(wanted);
    reply.insert(reply.end(), space.begin() + wanted.offset, space.end());
    return reply;
}

}  // namespace hostile
