// SPDX-License-Identifier: MIT
//
// What one front end has negotiated and set up: the answer to each of its messages.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "vhost/handler.hpp"
#include "vhost/memory.hpp"
#include "vhost/message.hpp"
#include "vhost/virtqueue.hpp"

namespace vhost {

// One thread at a time. The handler and the observer outlive the session.
class Session {
 public:
    Session(Profile profile, Handler& handler, Observer& observer);

    // The payload of the reply, if there is one to send. An error ends the connection:
    // the message was refused and the front end had not asked to be told.
    [[nodiscard]] std::expected<std::optional<Bytes>, std::string> handle(Message message);

    // The steps of handle(), for who has something to do in between: whether the front end
    // will be told; the message itself, which loses its descriptors; the reply.
    // An outcome without a value has nothing to say but success; an error says why the
    // message is refused.
    using Outcome = std::expected<std::optional<Bytes>, std::string>;
    [[nodiscard]] bool acknowledges(const Message& message) const;
    [[nodiscard]] Outcome apply(Message& message);
    [[nodiscard]] Outcome answer(std::uint32_t request, bool acknowledge, Outcome outcome) const;

    [[nodiscard]] Virtqueue& queue() { return queue_; }
    [[nodiscard]] bool memory_lost() const { return memory_->lost(); }
    void probe_memory() const { memory_->probe(); }

 private:
    using Result = std::expected<void, std::string>;

    [[nodiscard]] Outcome dispatch(Message& message, const Rule& rule);
    [[nodiscard]] Outcome dispatch_vring(Message& message, const Rule& rule);

    [[nodiscard]] Result set_features(std::uint64_t features);
    [[nodiscard]] Result set_protocol_features(std::uint64_t features);
    [[nodiscard]] Result set_mem_table(const Message& message);
    [[nodiscard]] Result use_memory(std::expected<Memory::Shared, std::string> memory);
    [[nodiscard]] Outcome set_vring_fd(Message& message, Request request);
    [[nodiscard]] Result set_vring_addr(const VringAddr& address);
    [[nodiscard]] Result set_vring_enable(std::uint32_t enable);
    [[nodiscard]] Result start_queue(UniqueFd kick);
    [[nodiscard]] Bytes read_config(const Message& message) const;
    void reset_device();

    Profile profile_;
    Handler& handler_;
    Observer& observer_;
    std::uint64_t protocol_features_ = 0;
    Memory::Shared memory_ = Memory::none();
    UniqueFd backend_channel_;  // for requests of our own, of which there are none yet
    Virtqueue queue_;
};

}  // namespace vhost
