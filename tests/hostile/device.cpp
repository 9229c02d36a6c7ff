// SPDX-License-Identifier: MIT
#include "hostile/device.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

#include <sys/socket.h>
#include <sys/timerfd.h>

#include <unistd.h>

#include "provider/mock/mock.hpp"
#include "vhost/protocol.hpp"
#include "wire/config.hpp"

namespace hostile {

namespace {

engine::Engine make_engine() {
    mock::Options options;
    options.pending_polls = 0;
    options.hold_barriers = true;
    return engine::Engine::create(wire::Config{}, std::make_unique<mock::Provider>(options), {})
        .value();
}

}  // namespace

Device::Device(std::deque<Lie> lies)
    : lies_(std::move(lies)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {}

std::uint64_t Device::features() const {
    // One that no driver knows is always there: offering it is no lie, accepting it is wrong.
    std::uint64_t bits = vhost::kVersion1 | vhost::kAccessPlatform | vhost::bit(5);
    // The front end asks once, so these are no lies of one life.
    for (const Lie& lie : lies_)
        if (lie.kind == Kind::Features) bits |= lie.value;
    return bits;
}

vhost::Bytes Device::config() {
    auto space = wire::encode(wire::Config{});
    if (lie_.kind == Kind::Config) {
        const auto reading = static_cast<std::uint32_t>(config_reads_ / space.size() + 1);
        const bool last_byte = ++config_reads_ % space.size() == 0;
        if (lie_.is_told_in(reading)) {
            told_ = true;
            std::memcpy(&space[lie_.offset], &lie_.value, lie_.bytes);
            if (last_byte && wire::check(wire::decode_config(space))) next_life();
        }
    }
    return {space.begin(), space.end()};
}

void Device::next_life() {
    if (!told_) std::cerr << lie_.text << " was not told\n";
    ++life_;
    heard_ = 0;
    config_reads_ = 0;
    lie_ = {};
    told_ = true;
    if (lies_.empty()) return;
    lie_ = std::move(lies_.front());
    lies_.pop_front();
    told_ = lie_.kind == Kind::None || lie_.kind == Kind::Features;
}

void Device::start(vhost::RingView view) {
    engine_ = make_engine();
    last_ids_.clear();
    endless_event_ = 0;
    ring_.emplace(std::move(view));
    if (lie_.kind == Kind::Former) publish(last_id_, last_length_);
    if (lie_.is_of_life()) told_ = true;
}

std::uint16_t Device::stop() {
    if (!ring_) return 0;
    if (lie_.kind == Kind::AtReset) give_held();
    held_.clear();
    const std::uint16_t next = ring_->next_available();
    ring_.reset();
    next_life();
    return next;
}

void Device::serve() {
    while (auto chain = ring_->pop())
        serve(std::move(chain));
}

void Device::serve(Chain chain) {
    const std::uint16_t opcode = header_of(*chain).opcode;
    if (const auto denial = deny_end(*chain, opcode)) return give(*chain, *denial);
    const bool lies = lies_in(opcode);
    if (lies && lie_.kind == Kind::Refuse) {
        return give(*chain, make_answer(*chain, static_cast<wire::Status>(lie_.value)));
    }
    Answer answer = answer_honestly(*chain, opcode);
    const std::uint64_t id = answer.id();
    if (lies)
        lie_about(std::move(chain), std::move(answer), opcode);
    else
        give(*chain, answer);
    last_ids_[opcode] = id;
}

bool Device::lies_in(std::uint16_t opcode) {
    if (!lie_.is_about(opcode) || !lie_.is_told_in(++heard_)) return false;
    told_ = true;
    return true;
}

Answer Device::answer_honestly(const vhost::DescriptorChain& chain, std::uint16_t opcode) {
    Answer answer{.frame = std::vector<std::byte>(chain.writable_bytes())};
    if (chain.defect()) return answer;
    std::span<std::byte> piece = answer.frame;
    answer.used = engine_->process({chain.pieces().readable, std::span(&piece, 1)});
    answer.written = answer.used;
    if (opcode == VIRTIO_ACCEL_OP_GET_DEVICE_INFO) {
        constexpr std::size_t kDeviceId =
            sizeof(virtio_accel_response_header) + offsetof(virtio_accel_device_info, device_id);
        std::memcpy(&answer.frame[kDeviceId], &life_, sizeof(life_));
    }
    return answer;
}

std::optional<Answer> Device::deny_end(const vhost::DescriptorChain& chain,
                                       std::uint16_t opcode) const {
    if (endless_event_ == 0 || operand_of(chain) != endless_event_) return std::nullopt;
    switch (opcode) {
        case VIRTIO_ACCEL_OP_POLL_EVENT:
            return make_event_answer(chain, static_cast<std::uint16_t>(lie_.value));
        case VIRTIO_ACCEL_OP_CANCEL_EVENT:
        case VIRTIO_ACCEL_OP_DESTROY_EVENT:
            return make_answer(chain, wire::Status::Busy);
        default:
            return std::nullopt;
    }
}

void Device::lie_about(Chain chain, Answer answer, std::uint16_t opcode) {
    switch (lie_.kind) {
        case Kind::Silent:
        case Kind::Late:
        case Kind::AtReset:
        case Kind::Reverse:
            return hold(std::move(chain), std::move(answer));
        case Kind::Duplicate:
            answer.set_id(last_ids_[opcode]);
            break;
        case Kind::Foreign:
            answer.set_id(last_ids_[VIRTIO_ACCEL_OP_CREATE_CONTEXT]);
            break;
        case Kind::Never:
            endless_event_ = opcode == VIRTIO_ACCEL_OP_SUBMIT ? answer.id() : operand_of(*chain);
            break;
        case Kind::UsedFlags:
            ring_->set_flags(static_cast<std::uint16_t>(lie_.value));
            break;
        case Kind::UsedId:
            answer.write_to(*chain);
            return publish(static_cast<std::uint32_t>(lie_.value), answer.used);
        case Kind::UsedIndex:
            ring_->jump(static_cast<std::uint16_t>(lie_.value));
            return interrupt();
        case Kind::Twice:
            answer.write_to(*chain);
            ring_->publish(chain->head(), answer.used);
            break;
        case Kind::Changes:
            for (std::uint64_t i = 0; i < lie_.value; ++i)
                announce_change();
            break;
        default:
            falsify(answer, lie_);
            break;
    }
    give(*chain, answer);
}

void Device::hold(Chain chain, Answer answer) {
    held_.push_back({std::move(chain), std::move(answer)});
    if (lie_.kind == Kind::Late) {
        const auto ms = static_cast<long>(lie_.value);
        const itimerspec due{.it_interval = {}, .it_value = {ms / 1000, ms % 1000 * 1'000'000}};
        ::timerfd_settime(timer_.value(), 0, &due, nullptr);
    }
    if (lie_.kind == Kind::Reverse && held_.size() == lie_.value) {
        std::ranges::reverse(held_);
        give_held();
        lie_ = {};
    }
}

void Device::give_late() {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(timer_.value(), &count, sizeof(count));
    if (ring_) give_held();
}

void Device::give_held() {
    for (const Held& held : std::exchange(held_, {}))
        give(*held.chain, held.answer);
}

void Device::give(const vhost::DescriptorChain& chain, const Answer& answer) {
    answer.write_to(chain);
    publish(chain.head(), answer.used);
}

void Device::publish(std::uint32_t id, std::uint32_t length) {
    last_id_ = id;
    last_length_ = length;
    ring_->publish(id, length);
    interrupt();
}

void Device::interrupt() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(call_.value(), &one, sizeof(one));
}

// Waits for the front end: a change that it hears of while the ring is stopped ends QEMU.
void Device::announce_change() const {
    constexpr std::uint32_t kConfigChange = 2;  // VHOST_USER_BACKEND_CONFIG_CHANGE_MSG
    const vhost::Header message{kConfigChange, vhost::kVersion | vhost::kNeedReplyFlag, 0};
    std::array<std::byte, sizeof(vhost::Header) + sizeof(std::uint64_t)> reply{};
    const int channel = backend_channel_.value();
    if (::send(channel, &message, sizeof(message), MSG_NOSIGNAL) < 0) {
        std::cerr << "changes cannot be announced: " << std::strerror(errno) << '\n';
        return;
    }
    [[maybe_unused]] const ssize_t got = ::recv(channel, reply.data(), reply.size(), MSG_WAITALL);
}

}  // namespace hostile
