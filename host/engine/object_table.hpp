// SPDX-License-Identifier: MIT
//
// Object ids and the slots behind them, one table a kind (protocol.md 4.3 to 4.5).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <utility>
#include <vector>

#include "wire/status.hpp"

namespace engine {

enum class Kind : std::uint8_t { Context = 1, Buffer = 2, Program = 3, Queue = 4, Event = 5 };

// namespace(16) | generation(13) | kind(3) | slot index + 1 (32). The packing is the
// reference's, so that recorded traces match to the byte; drivers must not look inside.
struct Id {
    static constexpr std::uint16_t kLastGeneration = 0x1FFF;

    std::uint32_t index = 0;
    Kind kind = Kind::Context;
    std::uint16_t generation = 0;
    std::uint16_t name_space = 0;

    [[nodiscard]] static constexpr Kind kind_of(std::uint64_t packed) {
        return static_cast<Kind>(packed >> 32 & 7);
    }
    [[nodiscard]] constexpr std::uint64_t pack() const {
        return std::uint64_t{name_space} << 48 | std::uint64_t{generation} << 35 |
               static_cast<std::uint64_t>(kind) << 32 | (std::uint64_t{index} + 1);
    }
};

template <class Record>
class ObjectTable {
 public:
    ObjectTable(Kind kind, std::uint32_t capacity) : kind_(kind), capacity_(capacity) {}

    [[nodiscard]] std::uint32_t live() const { return live_; }

    // Forgets everything. Ids of the old namespace never resolve again.
    void clear(std::uint16_t name_space) {
        slots_.clear();
        free_.clear();
        live_ = 0;
        name_space_ = name_space;
    }

    // Room for one insert(), set aside until then. No slot is taken: a creation that
    // fails later leaves no trace in later ids.
    class Reservation {
     public:
        explicit Reservation(ObjectTable& table) : table_(&table) { ++table.reserved_; }
        Reservation(Reservation&& other) noexcept : table_(std::exchange(other.table_, nullptr)) {}
        Reservation& operator=(Reservation&&) = delete;
        ~Reservation() {
            if (table_ != nullptr) --table_->reserved_;
        }

     private:
        ObjectTable* table_;
    };

    // Nothing if the table is full; may throw bad_alloc.
    [[nodiscard]] std::optional<Reservation> reserve() {
        const std::size_t wanted = reserved_ + 1;
        const std::size_t appended = wanted - std::min(wanted, free_.size());
        if (appended > capacity_ - slots_.size()) return std::nullopt;
        const std::size_t needed = slots_.size() + appended;
        if (slots_.capacity() < needed || free_.capacity() < needed) {
            const std::size_t grown = std::max<std::size_t>(8, needed * 2);
            free_.reserve(grown);  // so that remove() cannot fail
            slots_.reserve(grown);
        }
        return Reservation(*this);
    }
    [[nodiscard]] std::uint32_t live_or_reserved() const { return live_ + reserved_; }

    // Cannot fail: that is what the reservation is for.
    std::uint64_t insert(Reservation, Record record) noexcept {
        std::uint32_t index = 0;
        if (free_.empty()) {
            index = static_cast<std::uint32_t>(slots_.size());
            slots_.emplace_back();
        } else {
            index = free_.back();
            free_.pop_back();
        }
        slots_[index].record.emplace(std::move(record));
        ++live_;
        return id(index).pack();
    }

    // The slot of a live object. Ids never handed out to this guest in this
    // namespace are StaleObject, impossible ones InvalidArgument (protocol.md 4.5).
    [[nodiscard]] std::expected<std::uint32_t, wire::Status> find(std::uint64_t packed) const {
        const auto low = static_cast<std::uint32_t>(packed);
        if (low == 0) return std::unexpected(wire::Status::InvalidArgument);
        const std::uint32_t index = low - 1;
        if (!contains(index) || id(index).pack() != packed)
            return std::unexpected(wire::Status::StaleObject);
        return index;
    }

    [[nodiscard]] std::uint64_t packed_id(std::uint32_t index) const { return id(index).pack(); }
    [[nodiscard]] bool contains(std::uint32_t index) const {
        return index < slots_.size() && slots_[index].record;
    }
    [[nodiscard]] Record& operator[](std::uint32_t index) { return *slots_[index].record; }

    // A slot whose generations are used up is retired for good.
    void remove(std::uint32_t index) noexcept {
        Slot& slot = slots_[index];
        slot.record.reset();
        --live_;
        if (slot.generation == Id::kLastGeneration) return;
        ++slot.generation;
        free_.push_back(index);
    }

    // Calls visit(index) for the live slots in ascending order until it returns false.
    template <class Visit>
    void for_each(Visit visit) {
        for (std::uint32_t index = 0; index < slots_.size(); ++index) {
            if (slots_[index].record && !visit(index)) return;
        }
    }

 private:
    struct Slot {
        std::optional<Record> record;
        std::uint16_t generation = 0;
    };

    [[nodiscard]] Id id(std::uint32_t index) const {
        return {index, kind_, slots_[index].generation, name_space_};
    }

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;  // most recently freed last
    Kind kind_;
    std::uint16_t name_space_ = 0;
    std::uint32_t live_ = 0;
    std::uint32_t reserved_ = 0;
    std::uint32_t capacity_;
};

}  // namespace engine
