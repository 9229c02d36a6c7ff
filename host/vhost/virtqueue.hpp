// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "vhost/descriptor_chain.hpp"
#include "vhost/handler.hpp"
#include "vhost/memory.hpp"
#include "vhost/ring.hpp"

namespace vhost {

using base::UniqueFd;

struct QueueStatistics {
    std::uint64_t chains = 0;
    std::uint64_t unusable = 0;  // of these, completed with used length 0 for a defect
    std::uint64_t kicks = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t suppressed = 0;  // interrupts that the guest did not want
};

enum class Start : std::uint8_t {
    Resumed,  // goes on where it stopped
    Anew,     // the guest has reset the device since chains were served
};

// A virtqueue as the front end sets it up, starts and stops it. Chains are served
// while it is started, enabled, mapped and not faulted. One thread at a time.
class Virtqueue {
 public:
    using Result = std::expected<void, std::string>;

    // The state outlives the queue. Without one, nobody else is to know where it stands.
    explicit Virtqueue(std::uint16_t max_chain_descriptors, RingState* state = nullptr);

    // Only while stopped.
    [[nodiscard]] Result set_size(std::uint32_t size);
    [[nodiscard]] Result set_base(std::uint32_t next_available);
    [[nodiscard]] Result set_addresses(const RingAddresses& addresses);

    // At any time. The ring is looked up again in the new memory.
    void set_memory(Memory::Shared memory);
    void set_call(UniqueFd fd);
    void set_err(UniqueFd fd);
    void set_enabled(bool enabled);

    // Starts a stopped queue; a started one just gets another kick descriptor.
    [[nodiscard]] std::expected<Start, std::string> start(UniqueFd kick);
    // After drain(). Afterwards neither guest memory nor an event descriptor is touched.
    // Returns the next available index.
    std::uint16_t stop();
    // Back to how it was before its first start.
    void reset();

    // Another process serves the ring, and keeps the state, until take_over() or stop():
    // here the queue is only set up.
    void leave_to_other() { elsewhere_ = true; }
    // That process is dead: the handler gets the chains that it has not completed, and all
    // that come.
    void take_over(Handler& handler, Observer& observer);

    [[nodiscard]] bool started() const { return ring_.has_value(); }
    [[nodiscard]] bool runnable() const { return served() && !elsewhere_; }
    // Chains have been published that were not taken, wherever that is to be done.
    [[nodiscard]] bool waiting() const;
    // There may be chains that nobody will kick for.
    [[nodiscard]] bool pending() const { return runnable() && pending_; }
    // To be polled while the queue is runnable.
    [[nodiscard]] int kick_fd() const { return kick_.value(); }
    void on_kick(Observer& observer);

    // Serves what is there, at most one ring's worth.
    void serve(Handler& handler, Observer& observer);
    // Lets the handler answer what has become ready, and all that is left.
    void advance(Handler& handler, Observer& observer);
    void drain(Handler& handler, Observer& observer);

    [[nodiscard]] const QueueStatistics& statistics() const { return statistics_; }

 private:
    class Completion;

    [[nodiscard]] bool served() const;
    [[nodiscard]] bool set_up_anew(const RingView& view) const;
    // Hands over a chain that was taken.
    void serve_chain(Ticket ticket, Handler& handler, Observer& observer);
    [[nodiscard]] Ticket idle_chain();
    void complete(Ticket ticket, std::uint32_t used, Observer& observer);
    void fault(RingFault fault, Observer& observer);

    Memory::Shared memory_ = Memory::none();
    std::uint16_t max_chain_descriptors_;
    std::uint16_t size_ = 0;
    std::uint16_t base_ = 0;
    RingAddresses addresses_;
    UniqueFd kick_;
    UniqueFd call_;
    UniqueFd err_;

    std::optional<Ring> ring_;  // while started
    bool enabled_ = false;
    bool mapped_ = false;
    bool pending_ = false;
    bool elsewhere_ = false;
    std::unique_ptr<RingState> own_state_;  // or null
    RingState* state_;
    std::vector<std::unique_ptr<DescriptorChain>> chains_;  // by ticket
    std::vector<Ticket> idle_;
    QueueStatistics statistics_;
};

}  // namespace vhost
