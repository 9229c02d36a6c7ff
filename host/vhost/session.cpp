// SPDX-License-Identifier: MIT
#include "vhost/session.hpp"

#include <algorithm>
#include <format>
#include <utility>

namespace vhost {

namespace {

constexpr std::uint64_t kProtocolFeatures =
    kMq | kReplyAck | kBackendReq | kConfig | kResetDevice | kConfigureMemSlots;
constexpr std::uint64_t kQueues = 1;

std::expected<std::optional<Bytes>, std::string> done(std::expected<void, std::string> result) {
    return std::move(result).transform([] { return std::optional<Bytes>(); });
}

}  // namespace

Session::Session(Profile profile, Handler& handler, Observer& observer)
    : profile_(std::move(profile)),
      handler_(handler),
      observer_(observer),
      queue_(profile_.max_chain_descriptors, profile_.ring_state) {
    profile_.features |= kProtocolFeaturesBit;
}

std::expected<std::optional<Bytes>, std::string> Session::handle(Message message) {
    const bool acknowledge = acknowledges(message);
    Outcome outcome = apply(message);
    return answer(message.request, acknowledge, std::move(outcome));
}

bool Session::acknowledges(const Message& message) const {
    return message.need_reply && (protocol_features_ & kReplyAck) != 0;
}

Session::Outcome Session::apply(Message& message) {
    const Rule* rule = rule_for(message.request);
    return rule != nullptr ? dispatch(message, *rule) : Outcome(std::unexpected("unknown request"));
}

Session::Outcome Session::answer(std::uint32_t request, bool acknowledge, Outcome outcome) const {
    const Rule* rule = rule_for(request);
    const std::string name =
        rule != nullptr ? std::string(rule->name) : std::format("request {}", request);
    const bool replies = rule != nullptr && rule->replies;
    if (!outcome) {
        observer_.message_refused(name, outcome.error());
        if (!acknowledge || replies) return std::unexpected(name + " refused: " + outcome.error());
        return to_bytes(std::uint64_t{1});
    }
    if (acknowledge && !replies) return to_bytes(std::uint64_t{0});
    return outcome;
}

Session::Outcome Session::dispatch(Message& message, const Rule& rule) {
    if ((protocol_features_ & rule.needs) != rule.needs) {
        return std::unexpected("its protocol feature was not negotiated");
    }
    switch (rule.request) {
        case Request::GetFeatures:
            return to_bytes(profile_.features);
        case Request::SetFeatures:
            return done(set_features(message.as<std::uint64_t>()));
        case Request::GetProtocolFeatures:
            return to_bytes(kProtocolFeatures);
        case Request::SetProtocolFeatures:
            return done(set_protocol_features(message.as<std::uint64_t>()));
        case Request::SetOwner:
            // A session begins. A device that is plugged in anew uses the connection of the
            // one before, and knows nothing of its memory.
            return done(use_memory(Memory::none()));
        case Request::ResetOwner:
            return std::nullopt;
        case Request::GetQueueNum:
            return to_bytes(kQueues);
        case Request::SetBackendReqFd:
            backend_channel_ = std::move(message.fds.front());
            return std::nullopt;
        case Request::GetConfig:
            return read_config(message);
        case Request::SetConfig:
            return std::unexpected("the configuration is read-only");
        case Request::ResetDevice:
            reset_device();
            return std::nullopt;
        case Request::SetMemTable:
            return done(set_mem_table(message));
        case Request::GetMaxMemSlots:
            return to_bytes(std::uint64_t{kMaxRegions});
        case Request::AddMemReg:
            return done(
                use_memory(memory_->with(message.as<MemRegion>().region, message.fds.front())));
        case Request::RemMemReg:
            return done(use_memory(memory_->without(message.as<MemRegion>().region)));
        default:
            return dispatch_vring(message, rule);
    }
}

Session::Outcome Session::dispatch_vring(Message& message, const Rule& rule) {
    // All begin with the index in 32 bits, but for the three that carry a descriptor.
    const auto state = message.as<VringState>();
    if (rule.fds.max > 0) return set_vring_fd(message, rule.request);
    if (state.index >= kQueues) return std::unexpected(std::format("vring {}", state.index));
    switch (rule.request) {
        case Request::SetVringNum:
            return done(queue_.set_size(state.num));
        case Request::SetVringBase:
            return done(queue_.set_base(state.num));
        case Request::SetVringAddr:
            return done(set_vring_addr(message.as<VringAddr>()));
        case Request::SetVringEnable:
            return done(set_vring_enable(state.num));
        case Request::GetVringBase:
            queue_.drain(handler_, observer_);
            return to_bytes(VringState{state.index, queue_.stop()});
        default:
            std::unreachable();
    }
}

Session::Outcome Session::set_vring_fd(Message& message, Request request) {
    const auto value = message.as<std::uint64_t>();
    const bool has_fd = (value & kNoFdFlag) == 0;
    if ((value & kVringIndexMask) >= kQueues || (value & ~(kVringIndexMask | kNoFdFlag)) != 0) {
        return std::unexpected(std::format("vring {:#x}", value));
    }
    if (has_fd == message.fds.empty()) return std::unexpected("descriptor and flag disagree");
    UniqueFd fd = has_fd ? std::move(message.fds.front()) : UniqueFd();
    switch (request) {
        case Request::SetVringKick:
            return done(start_queue(std::move(fd)));
        case Request::SetVringCall:
            queue_.set_call(std::move(fd));
            return std::nullopt;
        case Request::SetVringErr:
            queue_.set_err(std::move(fd));
            return std::nullopt;
        default:
            std::unreachable();
    }
}

std::expected<void, std::string> Session::set_features(std::uint64_t features) {
    if ((features & ~profile_.features) != 0) {
        return std::unexpected(
            std::format("features {:#x} were not offered", features & ~profile_.features));
    }
    // A front end that does not know SET_VRING_ENABLE wants its rings enabled.
    if ((features & kProtocolFeaturesBit) == 0) queue_.set_enabled(true);
    return {};
}

std::expected<void, std::string> Session::set_protocol_features(std::uint64_t features) {
    if ((features & ~kProtocolFeatures) != 0) {
        return std::unexpected(
            std::format("protocol features {:#x} were not offered", features & ~kProtocolFeatures));
    }
    protocol_features_ = features;
    return {};
}

std::expected<void, std::string> Session::set_mem_table(const Message& message) {
    const auto count = message.as<MemTableHeader>().count;
    if (message.payload.size() != sizeof(MemTableHeader) + count * sizeof(RegionDesc) ||
        message.fds.size() != count) {
        return std::unexpected(std::format("{} regions in {} bytes with {} descriptors", count,
                                           message.payload.size(), message.fds.size()));
    }
    std::expected<Memory::Shared, std::string> memory = Memory::none();
    for (std::size_t i = 0; memory && i < count; ++i) {
        const auto region = message.as<RegionDesc>(sizeof(MemTableHeader) + i * sizeof(RegionDesc));
        memory = (*memory)->with(region, message.fds[i]);
    }
    return use_memory(std::move(memory));
}

std::expected<void, std::string> Session::use_memory(
    std::expected<Memory::Shared, std::string> memory) {
    if (!memory) return std::unexpected(std::move(memory).error());
    memory_ = *std::move(memory);
    queue_.set_memory(memory_);
    return {};
}

std::expected<void, std::string> Session::set_vring_addr(const VringAddr& address) {
    if (address.flags != 0) return std::unexpected("logging was not offered");
    return queue_.set_addresses(
        {.descriptors = address.descriptors, .available = address.available, .used = address.used});
}

std::expected<void, std::string> Session::set_vring_enable(std::uint32_t enable) {
    if (enable > 1) return std::unexpected(std::format("enable {}", enable));
    queue_.set_enabled(enable == 1);
    return {};
}

std::expected<void, std::string> Session::start_queue(UniqueFd kick) {
    const auto start = queue_.start(std::move(kick));
    if (!start) return std::unexpected(start.error());
    if (*start == Start::Anew) handler_.reset();
    return {};
}

void Session::reset_device() {
    queue_.drain(handler_, observer_);
    queue_.reset();
    handler_.reset();
}

// A read that is out of bounds is answered by an empty payload.
Bytes Session::read_config(const Message& message) const {
    const auto wanted = message.as<ConfigHeader>();
    if (message.payload.size() != sizeof(ConfigHeader) + wanted.size ||
        wanted.offset > profile_.config.size() ||
        wanted.size > profile_.config.size() - wanted.offset) {
        observer_.message_refused("GET_CONFIG", std::format("{} bytes at {} of {}", wanted.size,
                                                            wanted.offset, profile_.config.size()));
        return {};
    }
    Bytes reply = to_bytes(wanted);
    const auto bytes = std::span(profile_.config).subspan(wanted.offset, wanted.size);
    reply.insert(reply.end(), bytes.begin(), bytes.end());
    return reply;
}

}  // namespace vhost
