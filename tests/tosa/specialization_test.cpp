// SPDX-License-Identifier: MIT
#include "tosa/specialization.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "tosa/failing_memory.hpp"
#include "tosa/graph_builder.hpp"
#include "tosa/specialization_cache.hpp"

using namespace tosa;
using namespace tosa::test;

namespace {

using Builder = SpecializationKeyBuilder;
using WordList = std::vector<std::uint64_t>;

constexpr std::size_t kPlenty = 1000;

WordList words(Builder builder) {
    const SpecializationKey key = std::move(builder).finish();
    return {key.words().begin(), key.words().end()};
}

SpecializationKey key_of(WordList list) {
    return SpecializationKey(SpecializationKey::Words(list.begin(), list.end()));
}

// Key n, for a cache.
SpecializationKey key(std::uint64_t n) {
    return key_of({n});
}

// What an insertion that succeeds hands back.
template <class Cache, class T>
std::optional<T> insert(Cache& cache, SpecializationKey key, T value) {
    auto inserted = cache->insert(std::move(key), std::move(value));
    REQUIRE(inserted.has_value());
    return *std::move(inserted);
}

std::expected<void, KeyError> push(Builder& builder, ValueId value, const Dims& dims) {
    return builder.push_shape(value, dims);
}

}  // namespace

TEST_CASE("a key holds the records of shapes and constants word for word") {
    Builder builder(kPlenty);
    REQUIRE(push(builder, 3, {2, 7}));
    REQUIRE(builder.push_constant(5, bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
    REQUIRE(push(builder, 0xFFFF'FFFE, {}));
    CHECK(words(std::move(builder)) == WordList{0x5348415045000001, 3, 2, 2, 7,                 //
                                                0x4354430000000002, 5, 10, 0x0807060504030201,  //
                                                0x0A09,                                         //
                                                0x5348415045000001, 0xFFFFFFFE, 0});
}

TEST_CASE("values come in ascending order, each once") {
    Builder builder(kPlenty);
    REQUIRE(push(builder, 5, {1}));
    CHECK(push(builder, 5, {1}).error() == KeyError::ValuesOutOfOrder);
    CHECK(push(builder, 4, {1}).error() == KeyError::ValuesOutOfOrder);
    CHECK(builder.push_constant(5, {}).error() == KeyError::ValuesOutOfOrder);
    REQUIRE(push(builder, 0xFFFF'FFFF, {1}));
    CHECK(push(builder, 0, {1}).error() == KeyError::ValuesOutOfOrder);
}

TEST_CASE("a key has as many words as it may have, and a push too many leaves it as it was") {
    Builder builder(9);
    REQUIRE(push(builder, 1, {8}));
    CHECK(push(builder, 2, {1, 2, 3}).error() == KeyError::TooManyWords);
    CHECK(builder.push_constant(2, std::vector(17, std::byte{1})).error() ==
          KeyError::TooManyWords);
    // The failed ones took neither words nor the value.
    REQUIRE(builder.push_constant(2, std::vector(16, std::byte{1})));
    CHECK(push(builder, 3, {}).error() == KeyError::TooManyWords);
    const WordList all = words(std::move(builder));
    CHECK(all.size() == 9);
    CHECK(all[4] == Builder::kConstantTag);
}

TEST_CASE("a key may have no words at all") {
    Builder builder(0);
    CHECK(push(builder, 1, {}).error() == KeyError::TooManyWords);
    CHECK(words(std::move(builder)).empty());
}

TEST_CASE("a push that gets no memory leaves the builder usable") {
    FailingMemory memory(1);
    Builder builder(kPlenty, &memory);
    REQUIRE(push(builder, 1, {4}));
    CHECK(push(builder, 2, Dims(20, 1)).error() == KeyError::AllocationFailed);
    memory.grant(1);
    REQUIRE(push(builder, 2, {5}));
    CHECK(words(std::move(builder)) ==
          WordList{Builder::kShapeTag, 1, 1, 4, Builder::kShapeTag, 2, 1, 5});
}

TEST_CASE("a bound that no memory holds is no error before it is reached") {
    Builder builder(std::numeric_limits<std::size_t>::max());
    CHECK(push(builder, 1, {4}));
}

TEST_CASE("many pushes take few allocations") {
    FailingMemory memory(12);
    Builder builder(5000, &memory);
    for (ValueId value = 0; value < 1000; ++value)
        REQUIRE(push(builder, value, {1, 2}));
    CHECK(words(std::move(builder)).size() == 5000);
}

TEST_CASE("the fingerprint sees each word, its place and their number") {
    const std::vector<WordList> lists = {
        {},     {0},    {0, 0}, {1},          {1, 0},       {0, 1},
        {1, 2}, {2, 1}, {3},    {1ULL << 63}, {1ULL << 62}, {0, 1ULL << 63},
    };
    std::set<std::uint64_t> low, high;
    for (const WordList& list : lists) {
        low.insert(fingerprint(list).low);
        high.insert(fingerprint(list).high);
        CHECK(fingerprint(list) == fingerprint(WordList(list)));
    }
    CHECK(low.size() == lists.size());
    CHECK(high.size() == lists.size());
}

TEST_CASE("keys are equal by their words") {
    CHECK(key_of({1, 2}) == key_of({1, 2}));
    CHECK_FALSE(key_of({1, 2}) == key_of({1, 3}));
    CHECK_FALSE(key_of({1, 2}) == key_of({1, 2, 0}));
    // Words that give one fingerprint are not at hand; that both must be equal shows where
    // a key outlives its words.
    SpecializationKey first = key_of({1, 2});
    const SpecializationKey moved = std::move(first);
    CHECK(first.fingerprint() == moved.fingerprint());  // NOLINT(bugprone-use-after-move)
    CHECK_FALSE(first == moved);                        // NOLINT(bugprone-use-after-move)
}

TEST_CASE("a cache holds at least one entry") {
    CHECK_FALSE(SpecializationCache<int>::create(0).has_value());
    CHECK(SpecializationCache<int>::create(1).has_value());
}

TEST_CASE("a cache gives out what was put in, and hands back what that replaces") {
    auto cache = SpecializationCache<std::string>::create(2);
    CHECK(cache->get(key(1)) == nullptr);
    CHECK(insert(cache, key(1), std::string("one")) == std::optional<std::string>());
    CHECK(*cache->get(key(1)) == "one");
    CHECK(insert(cache, key(1), std::string("uno")) == std::optional<std::string>("one"));
    CHECK(*cache->get(key(1)) == "uno");
    CHECK(cache->size() == 1);
}

TEST_CASE("a full cache gives up what was used longest ago") {
    auto cache = SpecializationCache<int>::create(3);
    for (const int n : {1, 2, 3})
        REQUIRE(insert(cache, key(static_cast<std::uint64_t>(n)), n) == std::optional<int>());
    SUBCASE("in the order of insertion") {
        CHECK(insert(cache, key(4), 4) == std::optional(1));
        CHECK(insert(cache, key(5), 5) == std::optional(2));
    }
    SUBCASE("where get() counts as use") {
        CHECK(*cache->get(key(1)) == 1);
        CHECK(insert(cache, key(4), 4) == std::optional(2));
    }
    SUBCASE("where a replacement counts as use") {
        CHECK(insert(cache, key(1), 10) == std::optional(1));
        CHECK(insert(cache, key(4), 4) == std::optional(2));
    }
    SUBCASE("where a miss counts as none") {
        CHECK(cache->get(key(9)) == nullptr);
        CHECK(insert(cache, key(4), 4) == std::optional(1));
    }
    CHECK(cache->size() == 3);
}

TEST_CASE("the order of use survives a clock that wraps") {
    auto cache = SpecializationCache<int, std::uint8_t>::create(3);
    for (const int n : {1, 2, 3})
        REQUIRE(insert(cache, key(static_cast<std::uint64_t>(n)), n) == std::nullopt);
    // The second is the oldest throughout, the wrap falling at every place of the pattern.
    for (int i = 0; i < 1000; ++i) {
        REQUIRE(cache->get(key(3)) != nullptr);
        if (i % 3 != 0) REQUIRE(cache->get(key(1)) != nullptr);
    }
    CHECK(cache->get(key(1)) != nullptr);
    CHECK(insert(cache, key(4), 4) == std::optional(2));
    CHECK(insert(cache, key(5), 5) == std::optional(3));
    CHECK(insert(cache, key(6), 6) == std::optional(1));
}

TEST_CASE("no capacity is larger than the clock can count") {
    CHECK_FALSE(SpecializationCache<int, std::uint8_t>::create(255).has_value());
    auto cache = SpecializationCache<int, std::uint8_t>::create(254);
    for (std::uint64_t n = 0; n < 1000; ++n) {
        const auto evicted = insert(cache, key(n), static_cast<int>(n));
        REQUIRE(evicted == (n < 254 ? std::nullopt : std::optional(static_cast<int>(n) - 254)));
    }
}

TEST_CASE("an insertion that gets no memory hands key and value back") {
    FailingMemory memory(1);
    auto cache = SpecializationCache<std::unique_ptr<int>>::create(100, &memory);
    const auto put = [&](int n) {
        return cache->insert(key(static_cast<std::uint64_t>(n)), std::make_unique<int>(n));
    };
    int next = 0;
    while (put(next).has_value())
        ++next;
    REQUIRE(next > 0);
    auto refused = put(next);
    REQUIRE_FALSE(refused.has_value());
    auto& back = refused.error();
    CHECK(back.key == key(static_cast<std::uint64_t>(next)));
    CHECK(*back.value == next);
    CHECK(cache->size() == static_cast<std::size_t>(next));

    memory.grant(1);
    CHECK(cache->insert(std::move(back.key), std::move(back.value)).has_value());
    for (int n = 0; n <= next; ++n)
        CHECK(**cache->get(key(static_cast<std::uint64_t>(n))) == n);
}

TEST_CASE("a cache takes keys whose words come from different memory") {
    FailingMemory memory(1);
    Builder builder(kPlenty, &memory);
    REQUIRE(push(builder, 1, {4}));
    auto cache = SpecializationCache<int>::create(1);
    REQUIRE(insert(cache, key(7), 7) == std::nullopt);
    CHECK(insert(cache, std::move(builder).finish(), 8) == std::optional(7));
    CHECK(*cache->get(key_of({Builder::kShapeTag, 1, 1, 4})) == 8);
}
