// SPDX-License-Identifier: MIT
#include "vhost/virtqueue.hpp"

#include <bit>
#include <cerrno>
#include <format>
#include <utility>

#include <unistd.h>

#include "base/nonblocking.hpp"

namespace vhost {

namespace {

// Nobody promises that the peer's event descriptors do not block.
using base::set_nonblocking;

// A full event counter is as good as one more event, and a closed one is nobody's loss.
void signal(const UniqueFd& fd) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(fd.value(), &one, sizeof(one));
}

}  // namespace

Virtqueue::Virtqueue(std::uint16_t max_chain_descriptors, RingState* state)
    : max_chain_descriptors_(max_chain_descriptors),
      own_state_(state == nullptr ? std::make_unique<RingState>() : nullptr),
      state_(state == nullptr ? own_state_.get() : state) {}

bool Virtqueue::served() const {
    return started() && enabled_ && mapped_ && !state_->faulted.load(std::memory_order_relaxed);
}

bool Virtqueue::waiting() const {
    return served() && ring_->waiting();
}

Virtqueue::Result Virtqueue::set_size(std::uint32_t size) {
    if (started()) return std::unexpected("the ring is started");
    if (!std::has_single_bit(size) || size > kMaxRingSize) {
        return std::unexpected(std::format("ring size {}", size));
    }
    size_ = static_cast<std::uint16_t>(size);
    return {};
}

Virtqueue::Result Virtqueue::set_base(std::uint32_t next_available) {
    if (started()) return std::unexpected("the ring is started");
    if (!std::in_range<std::uint16_t>(next_available)) {
        return std::unexpected(std::format("ring base {}", next_available));
    }
    base_ = static_cast<std::uint16_t>(next_available);
    return {};
}

Virtqueue::Result Virtqueue::set_addresses(const RingAddresses& addresses) {
    if (started()) return std::unexpected("the ring is started");
    addresses_ = addresses;
    return {};
}

void Virtqueue::set_memory(Memory::Shared memory) {
    memory_ = std::move(memory);
    if (!started()) return;
    // The front end may take a region away and bring it back in another shape: until
    // then the ring rests.
    auto view = RingView::locate(memory_, size_, addresses_);
    mapped_ = view.has_value();
    if (view) ring_->move_to(*std::move(view));
    pending_ = true;
}

void Virtqueue::set_call(UniqueFd fd) {
    set_nonblocking(fd);
    call_ = std::move(fd);
}

void Virtqueue::set_err(UniqueFd fd) {
    set_nonblocking(fd);
    err_ = std::move(fd);
}

void Virtqueue::set_enabled(bool enabled) {
    enabled_ = enabled;
    pending_ = true;
}

std::expected<Start, std::string> Virtqueue::start(UniqueFd kick) {
    if (!kick) return std::unexpected("a ring without a kick descriptor would have to be polled");
    set_nonblocking(kick);
    if (started()) {
        kick_ = std::move(kick);
        return Start::Resumed;
    }
    if (size_ == 0) return std::unexpected("the ring has no size");
    auto view = RingView::locate(memory_, size_, addresses_);
    // QEMU says nothing of memory that has no file.
    if (memory_->regions() == 0)
        return std::unexpected(
            "guest memory is not shared: add share=on to the memory backend of the machine");
    if (!view) return std::unexpected("the ring is not in guest memory");

    const Start start = set_up_anew(*view) ? Start::Anew : Start::Resumed;
    if (start == Start::Anew) state_->consumed = 0;
    ring_.emplace(*std::move(view), base_, *state_);
    kick_ = std::move(kick);
    mapped_ = true;
    pending_ = true;
    return start;
}

// A stop for a device reset and one for a pause of the machine look alike; only the
// next start tells. After a reset the front end starts at 0 and the guest has cleared
// the ring. After a pause both indices go on, which may be at 0 once in 65536 chains:
// then the used ring is full of old elements.
bool Virtqueue::set_up_anew(const RingView& view) const {
    const std::uint64_t consumed = state_->consumed;
    if (consumed == 0 || base_ != 0 || view.used_index() != 0) return false;
    return consumed % 65536 != 0 || view.used_elements_clear();
}

std::uint16_t Virtqueue::stop() {
    if (started()) base_ = ring_->next_available();
    ring_.reset();
    kick_.reset();
    state_->faulted = false;
    elsewhere_ = false;
    return base_;
}

void Virtqueue::reset() {
    stop();
    enabled_ = false;
    base_ = 0;
    state_->consumed = 0;
}

void Virtqueue::on_kick(Observer& observer) {
    std::uint64_t count = 0;
    const ssize_t got = ::read(kick_.value(), &count, sizeof(count));
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return fault(RingFault::KickDescriptor, observer);
    ++statistics_.kicks;
    pending_ = true;
}

class Virtqueue::Completion final : public Answers {
 public:
    Completion(Virtqueue& queue, Observer& observer) : queue_(queue), observer_(observer) {}
    void complete(Ticket ticket, std::uint32_t used) override {
        queue_.complete(ticket, used, observer_);
    }

 private:
    Virtqueue& queue_;
    Observer& observer_;
};

void Virtqueue::serve(Handler& handler, Observer& observer) {
    ring_->refuse_kicks();
    for (std::uint32_t budget = size_; budget > 0;) {
        const Ticket ticket = idle_chain();
        DescriptorChain& chain = *chains_[ticket];
        const auto popped = ring_->pop(chain, max_chain_descriptors_);
        if (!popped) return fault(popped.error(), observer);
        if (*popped) {
            --budget;
            serve_chain(ticket, handler, observer);
            if (state_->faulted) return;
        } else if (ring_->accept_kicks()) {
            pending_ = false;
            return;
        } else {
            ring_->refuse_kicks();
        }
    }
}

void Virtqueue::serve_chain(Ticket ticket, Handler& handler, Observer& observer) {
    Completion completion(*this, observer);
    const DescriptorChain& chain = *chains_[ticket];
    idle_.pop_back();
    ++statistics_.chains;
    if (chain.defect())
        complete(ticket, 0, observer);
    else
        handler.serve(ticket, chain.pieces(), completion);
}

void Virtqueue::take_over(Handler& handler, Observer& observer) {
    elsewhere_ = false;
    if (!started()) return;
    for (const std::uint16_t head : ring_->take_over()) {
        const Ticket ticket = idle_chain();
        ring_->reload(*chains_[ticket], head, max_chain_descriptors_);
        serve_chain(ticket, handler, observer);
    }
    pending_ = true;
    // It may have died between a completion and the interrupt for it.
    if (call_) signal(call_);
}

void Virtqueue::advance(Handler& handler, Observer& observer) {
    Completion completion(*this, observer);
    handler.advance(completion);
}

void Virtqueue::drain(Handler& handler, Observer& observer) {
    Completion completion(*this, observer);
    handler.drain(completion);
}

// The last idle ticket. There are never more chains than the ring has entries: it takes
// no head twice.
Ticket Virtqueue::idle_chain() {
    if (idle_.empty()) {
        idle_.push_back(chains_.size());
        chains_.push_back(std::make_unique<DescriptorChain>());
    }
    return idle_.back();
}

void Virtqueue::complete(Ticket ticket, std::uint32_t used, Observer& observer) {
    DescriptorChain& chain = *chains_[ticket];
    chain.unmap();
    idle_.push_back(ticket);
    if (!ring_ || state_->faulted) return;
    if (const auto defect = chain.defect()) {
        ++statistics_.unusable;
        observer.chain_unusable(*defect);
    }
    if (const auto done = ring_->complete(chain, used); !done) return fault(done.error(), observer);
    if (!ring_->interrupt_wanted()) {
        ++statistics_.suppressed;
    } else if (call_) {
        ++statistics_.interrupts;
        signal(call_);
    }
}

void Virtqueue::fault(RingFault fault, Observer& observer) {
    state_->faulted = true;
    if (err_) signal(err_);
    observer.ring_stopped(fault);
}

}  // namespace vhost
