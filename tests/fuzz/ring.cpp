// SPDX-License-Identifier: MIT
//
// A split ring in memory that the guest writes at any time. The input is a header, the
// first bytes of guest memory, and what then happens, one byte a step.
#include <bit>
#include <optional>

#include <sys/eventfd.h>

#include "fuzz/guest.hpp"
#include "vhost/virtqueue.hpp"

namespace {

// Two regions, next to each other in the guest's addresses only.
constexpr std::size_t kRegion = 0x4000;
constexpr std::uint64_t kUser = 0x10000;
constexpr std::uint64_t kUserGap = 0x100000;

vhost::Memory::Shared memory(const fuzz::GuestFile& guest, std::size_t regions) {
    auto memory = vhost::Memory::none();
    for (std::size_t i = 0; i < regions; ++i) {
        auto more = memory->with({.guest = i * kRegion,
                                  .size = kRegion,
                                  .user = kUser + i * kUserGap,
                                  .offset = i * kRegion},
                                 guest.file());
        fuzz::require(more.has_value(), "a region can be mapped");
        memory = *std::move(more);
    }
    return memory;
}

base::UniqueFd event() {
    return base::UniqueFd(::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC));
}

class Scene {
 public:
    Scene(fuzz::Input& input, const fuzz::GuestFile& guest)
        : input_(input),
          guest_(guest),
          device_([this] { return input_.take<std::uint8_t>(); },
                  [this] {
                      if (input_.take<std::uint8_t>() % 4 == 0) poke();
                  }),
          size_(static_cast<std::uint16_t>(1U << input.take<std::uint8_t>() % 7)),
          queue_(std::max<std::uint16_t>(2, input.take<std::uint8_t>())) {
        fuzz::require(queue_.set_size(size_).has_value(), "a power of two");
        static_cast<void>(queue_.set_addresses(addresses()));
        queue_.set_memory(memory(guest_, 2));
        queue_.set_enabled(true);
        queue_.set_call(event());
        queue_.set_err(event());
        std::ranges::fill(guest_.bytes(), std::byte{0});
        std::ranges::copy(input_.take_bytes(input_.take<std::uint16_t>() % kRegion),
                          guest_.bytes().begin());
    }
    ~Scene() { queue_.drain(device_, observer_); }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    void play() {
        for (int turns = 0; turns < 64 && !input_.empty(); ++turns) {
            step();
            if (queue_.pending()) queue_.serve(device_, observer_);
            const vhost::QueueStatistics& statistics = queue_.statistics();
            fuzz::require(statistics.chains == device_.served() + statistics.unusable,
                          "every chain is served or unusable");
            fuzz::require(device_.in_flight() <= size_, "no head is in flight twice");
            if (!device_.overclaimed()) continue;
            fuzz::require(!queue_.runnable(), "a completion that does not fit stops the ring");
            return;
        }
    }

 private:
    // Where a driver would put the parts of the ring, or anywhere.
    vhost::RingAddresses addresses() {
        const std::uint64_t available = kUser + std::uint64_t{16} * size_;
        const std::uint64_t used = (available + 6 + std::uint64_t{2} * size_ + 3) / 4 * 4;
        if (input_.take<std::uint8_t>() % 8 != 7) return {kUser, available, used};
        const auto somewhere = [&] {
            const std::uint64_t region = input_.take<std::uint8_t>() % 3;
            return kUser + region * kUserGap + input_.take<std::uint16_t>() % (kRegion + 64);
        };
        return {somewhere(), somewhere(), somewhere()};
    }

    void poke() {
        const auto offset = input_.take<std::uint16_t>();
        guest_.poke(offset, input_.take<std::uint16_t>());
    }

    // The driver's index, if the ring is where drivers put it.
    void publish() {
        const std::size_t at = std::size_t{16} * size_ + 2;
        std::uint16_t index = 0;
        std::memcpy(&index, guest_.bytes().data() + at, sizeof index);
        guest_.poke(at, static_cast<std::uint16_t>(index + 1 + input_.take<std::uint8_t>() % 3));
    }

    void restart() {
        queue_.drain(device_, observer_);
        fuzz::require(device_.in_flight() == 0, "drained");
        const std::uint16_t base = queue_.stop();
        if (input_.take<std::uint8_t>() % 2 == 0) {
            static_cast<void>(queue_.set_base(input_.take<std::uint16_t>()));
        } else {
            fuzz::require(queue_.set_base(base).has_value(), "the base that a stop returned");
        }
        start();
    }

    void start() {
        const auto started = queue_.start(event());
        if (started && *started == vhost::Start::Anew) device_.reset();
    }

    void step() {
        switch (input_.take<std::uint8_t>() % 8) {
            case 0:
                return start();
            case 1:
                return poke();
            case 2:
                publish();
                [[fallthrough]];
            case 3:
                if (queue_.runnable()) queue_.on_kick(observer_);
                return;
            case 4:
                return queue_.advance(device_, observer_);
            case 5:
                return restart();
            case 6:
                return queue_.set_memory(memory(guest_, input_.take<std::uint8_t>() % 3));
            default:
                queue_.drain(device_, observer_);
                queue_.reset();
                device_.reset();
                queue_.set_enabled(input_.take<std::uint8_t>() % 4 != 0);
        }
    }

    fuzz::Input& input_;
    const fuzz::GuestFile& guest_;
    fuzz::Device device_;
    fuzz::Silent observer_;
    std::uint16_t size_;
    vhost::Virtqueue queue_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::GuestFile guest(2 * kRegion);
    fuzz::Input input(data, size);
    Scene(input, guest).play();
    return 0;
}
