// SPDX-License-Identifier: MIT
//
// Guest memory for the transport's targets, and a device that uses every byte that it is
// handed, some of it late.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include <sys/mman.h>

#include "base/unique_fd.hpp"
#include "fuzz/input.hpp"
#include "vhost/handler.hpp"

namespace fuzz {

// A file of guest memory and our own view of it, as the guest has one.
class GuestFile {
 public:
    explicit GuestFile(std::size_t size) : file_(::memfd_create("guest", MFD_CLOEXEC)) {
        require(::ftruncate(file_.value(), static_cast<off_t>(size)) == 0, "a file's size");
        if (size == 0) return;
        void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.value(), 0);
        require(base != MAP_FAILED, "a file's mapping");
        bytes_ = {static_cast<std::byte*>(base), size};
    }
    GuestFile(const GuestFile&) = delete;
    GuestFile& operator=(const GuestFile&) = delete;
    ~GuestFile() {
        if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
    }

    [[nodiscard]] const base::UniqueFd& file() const { return file_; }
    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

    // What the guest does whenever it likes.
    void poke(std::size_t offset, std::uint16_t value) const {
        if (bytes_.size() < sizeof value) return;
        std::memcpy(bytes_.data() + offset % (bytes_.size() - 1), &value, sizeof value);
    }

 private:
    base::UniqueFd file_;
    std::span<std::byte> bytes_;
};

class Device final : public vhost::Handler {
 public:
    // `choose` decides what becomes of each chain; `meanwhile` is what the guest does while
    // it is being served.
    Device(std::function<std::uint8_t()> choose, std::function<void()> meanwhile)
        : choose_(std::move(choose)), meanwhile_(std::move(meanwhile)) {}

    void serve(vhost::Ticket ticket, const wire::Chain& chain,
               vhost::Answers& answers) noexcept override {
        require(!chain.readable.empty() && !chain.writable.empty(), "both directions are there");
        for (const auto piece : chain.readable)
            require(!piece.empty(), "no readable piece is empty");
        for (const auto piece : chain.writable)
            require(!piece.empty(), "no writable piece is empty");
        ++served_;
        const std::uint8_t choice = choose_();
        work_.push_back({ticket, chain, choice});
        if (choice % 4 != 0) answer(answers);
    }
    void advance(vhost::Answers& answers) noexcept override {
        if (!work_.empty()) answer(answers);
    }
    void drain(vhost::Answers& answers) noexcept override {
        while (!work_.empty())
            answer(answers);
    }
    void reset() noexcept override { require(work_.empty(), "nothing is served over a reset"); }

    [[nodiscard]] std::size_t served() const { return served_; }
    [[nodiscard]] std::size_t in_flight() const { return work_.size(); }
    // It has claimed more bytes than it was given room for.
    [[nodiscard]] bool overclaimed() const { return overclaimed_; }

 private:
    struct Work {
        vhost::Ticket ticket;
        wire::Chain chain;
        std::uint8_t choice;
    };

    // The newest chain, or the oldest.
    void answer(vhost::Answers& answers) {
        const bool newest = work_.back().choice % 8 != 1;
        const Work work = newest ? work_.back() : work_.front();
        if (newest)
            work_.pop_back();
        else
            work_.pop_front();
        std::uint64_t bytes = 0;
        std::uint8_t sum = 0;
        for (const auto piece : work.chain.readable)
            for (const std::byte byte : piece)
                sum = static_cast<std::uint8_t>(sum + std::to_integer<std::uint8_t>(byte));
        meanwhile_();
        for (const auto piece : work.chain.writable) {
            std::ranges::fill(piece, static_cast<std::byte>(sum));
            bytes += piece.size();
        }
        // Claiming more than there is room for is a fault, and has to be noticed.
        if (work.choice == 0xFF) {
            ++bytes;
            overclaimed_ = true;
        }
        answers.complete(work.ticket, static_cast<std::uint32_t>(bytes));
    }

    std::function<std::uint8_t()> choose_;
    std::function<void()> meanwhile_;
    std::deque<Work> work_;
    std::size_t served_ = 0;
    bool overclaimed_ = false;
};

class Silent final : public vhost::Observer {
 public:
    void chain_unusable(vhost::ChainDefect defect) override {
        require(!name(defect).empty(), "a name");
    }
    void ring_stopped(vhost::RingFault fault) override { require(!name(fault).empty(), "a name"); }
    void message_refused(std::string_view request, std::string_view why) override {
        require(!request.empty() && !why.empty(), "a reason");
    }
};

}  // namespace fuzz
