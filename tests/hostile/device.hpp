// SPDX-License-Identifier: MIT
//
// A device of protocol 1.0 that tells one lie in each of its lives. For the rest it is
// the engine with the mock provider, and answers each command at once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/unique_fd.hpp"
#include "engine/engine.hpp"
#include "hostile/answer.hpp"
#include "hostile/lie.hpp"
#include "hostile/ring.hpp"
#include "vhost/message.hpp"

namespace hostile {

using base::UniqueFd;

class Device {
 public:
    // The first life is honest, then comes one for each lie, then honest ones. A life ends
    // when the driver stops the ring, or when it has read a configuration that it must
    // refuse. The device id that the driver is told is the number of the life. A lie for
    // which there was no opportunity is named on standard error.
    explicit Device(std::deque<Lie> lies);

    [[nodiscard]] std::uint64_t features() const;
    // The configuration space for one read of the guest, which is a byte.
    [[nodiscard]] vhost::Bytes config();

    void start(vhost::RingView view);
    // Returns the next available index.
    std::uint16_t stop();
    [[nodiscard]] bool started() const { return ring_.has_value(); }
    void set_call(UniqueFd fd) { call_ = std::move(fd); }
    void set_backend_channel(UniqueFd fd) { backend_channel_ = std::move(fd); }

    // Answers what is on the ring.
    void serve();
    // Readable when the late answers are due.
    [[nodiscard]] int timer_fd() const { return timer_.value(); }
    void give_late();

    // Whether there are to be as many interrupts as there can be.
    [[nodiscard]] bool wants_interrupts() const {
        return started() && lie_.kind == Kind::Interrupts;
    }
    void interrupt() const;

 private:
    using Chain = std::unique_ptr<vhost::DescriptorChain>;
    struct Held {
        Chain chain;
        Answer answer;
    };

    void next_life();
    void serve(Chain chain);
    [[nodiscard]] Answer answer_honestly(const vhost::DescriptorChain& chain, std::uint16_t opcode);
    [[nodiscard]] bool lies_in(std::uint16_t opcode);
    // What is said about the endless event, if the command is about that.
    [[nodiscard]] std::optional<Answer> deny_end(const vhost::DescriptorChain& chain,
                                                 std::uint16_t opcode) const;
    void lie_about(Chain chain, Answer answer, std::uint16_t opcode);
    void hold(Chain chain, Answer answer);
    void give_held();
    void give(const vhost::DescriptorChain& chain, const Answer& answer);
    void publish(std::uint32_t id, std::uint32_t length);
    void announce_change() const;

    std::deque<Lie> lies_;
    Lie lie_;
    std::uint32_t life_ = 0;
    std::uint32_t heard_ = 0;       // commands of this life that the lie is about
    bool told_ = true;              // there is none, or it was told
    std::size_t config_reads_ = 0;  // of this life

    std::optional<engine::Engine> engine_;
    std::map<std::uint16_t, std::uint64_t> last_ids_;  // by the opcode that created them
    std::uint64_t endless_event_ = 0;

    std::optional<Ring> ring_;  // while started
    std::vector<Held> held_;
    std::uint32_t last_id_ = 0;  // used element, also of the life before
    std::uint32_t last_length_ = 0;
    UniqueFd timer_;
    UniqueFd call_;
    UniqueFd backend_channel_;  // for requests to the front end
};

}  // namespace hostile
