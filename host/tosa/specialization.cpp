// SPDX-License-Identifier: MIT
#include "tosa/specialization.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <stdexcept>

namespace tosa {
namespace {

constexpr std::size_t kHeadWords = 3;  // tag, value, length

static_assert(std::endian::native == std::endian::little, "payloads are packed as they lie");

bool reserve(SpecializationKey::Words& words, std::size_t needed, std::size_t most) {
    if (needed <= words.capacity()) return true;
    try {
        // Twice as much, so that a key of many records is not copied for each of them.
        words.reserve(std::max(needed, std::min(most, 2 * words.capacity())));
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    } catch (const std::length_error&) {  // more than a vector could ever hold
        return false;
    }
}

}  // namespace

Fingerprint fingerprint(std::span<const std::uint64_t> words) {
    // The first lane is FNV-1a with words for bytes. Its high bits do not reach its low
    // ones, so the second lane rotates.
    Fingerprint lanes{.low = 0xCBF2'9CE4'8422'2325, .high = 0x9E37'79B9'7F4A'7C15};
    for (const std::uint64_t word : words) {
        lanes.low = (lanes.low ^ word) * 0x0000'0100'0000'01B3;
        lanes.high = std::rotl(lanes.high ^ word, 27) * 0x94D0'49BB'1331'11EB;
    }
    lanes.low ^= words.size();
    lanes.high ^= words.size();
    return lanes;
}

std::expected<void, KeyError> SpecializationKeyBuilder::begin(std::uint64_t tag, ValueId value,
                                                              std::size_t length,
                                                              std::size_t payload_words) {
    if (value < next_value_) return std::unexpected(KeyError::ValuesOutOfOrder);
    const std::size_t room = max_words_ - words_.size();
    if (room < kHeadWords || room - kHeadWords < payload_words)
        return std::unexpected(KeyError::TooManyWords);
    if (!reserve(words_, words_.size() + kHeadWords + payload_words, max_words_))
        return std::unexpected(KeyError::AllocationFailed);
    next_value_ = std::uint64_t{value} + 1;
    words_.insert(words_.end(), {tag, value, length});
    return {};
}

std::expected<void, KeyError> SpecializationKeyBuilder::push_shape(
    ValueId value, std::span<const std::int32_t> dims) {
    return begin(kShapeTag, value, dims.size(), dims.size()).transform([&] {
        for (const std::int32_t dim : dims)
            words_.push_back(static_cast<std::uint32_t>(dim));
    });
}

std::expected<void, KeyError> SpecializationKeyBuilder::push_constant(
    ValueId value, std::span<const std::byte> contents) {
    constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
    const std::size_t payload = contents.size() / kWordBytes + (contents.size() % kWordBytes != 0);
    return begin(kConstantTag, value, contents.size(), payload).transform([&] {
        for (; !contents.empty();
             contents = contents.subspan(std::min(kWordBytes, contents.size()))) {
            std::uint64_t word = 0;
            std::memcpy(&word, contents.data(), std::min(kWordBytes, contents.size()));
            words_.push_back(word);
        }
    });
}

}  // namespace tosa
