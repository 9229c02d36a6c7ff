// SPDX-License-Identifier: MIT
#include "golden/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "linux/virtio_accel.h"

// As layout.c has it, for C++.
#define VALUE(path, expression, expected) static_assert((expression) == (expected), path);
#define STRUCT(path, structure, bytes)                 \
    static_assert(sizeof(structure) == (bytes), path); \
    static_assert(alignof(structure) == 1, path);
#define FIELD(path, structure, member, place) \
    static_assert(offsetof(structure, member) == (place), path);
#include "golden/data/layout.inc"
#undef VALUE
#undef STRUCT
#undef FIELD

namespace golden {

std::map<std::string, std::uint64_t> layout() {
    return {
#define VALUE(path, expression, expected) {path, expected},
#define STRUCT(path, structure, bytes) {path "/size", bytes}, {path "/align", 1},
#define FIELD(path, structure, member, place) {path, place},
#include "golden/data/layout.inc"
    };
}

}  // namespace golden

TEST_SUITE_BEGIN("golden/layout");

namespace {

constexpr std::size_t kHeader = sizeof(virtio_accel_request_header);

// What follows from the layout (protocol.md 1.9).
static_assert(kHeader + sizeof(virtio_accel_transfer) == 40);
static_assert(sizeof(virtio_accel_response_header) == 16);
static_assert(kHeader + sizeof(virtio_accel_load_program) == 96);
static_assert(kHeader + sizeof(virtio_accel_submit) == 48);
static_assert(kHeader + sizeof(virtio_accel_submit) + sizeof(virtio_accel_binding) == 80);
static_assert(kHeader + sizeof(virtio_accel_allocate_buffer) == 56);
static_assert(kHeader + sizeof(virtio_accel_object) == 24);
static_assert(kHeader + sizeof(virtio_accel_create_queue) == 32);
static_assert(kHeader + sizeof(virtio_accel_submit) +
                  VIRTIO_ACCEL_MAX_BINDINGS * sizeof(virtio_accel_binding) ==
              131120);
static_assert(VIRTIO_ACCEL_MIN_REQUEST_BYTES == kHeader + sizeof(virtio_accel_load_program) + 1);
static_assert(VIRTIO_ACCEL_MIN_RESPONSE_BYTES ==
              sizeof(virtio_accel_response_header) + sizeof(virtio_accel_device_info));

}  // namespace

TEST_CASE("every structure begins with a field, and no two fields share a place") {
    std::map<std::string, std::set<std::uint64_t>> offsets;
    const auto table = golden::layout();
    for (const auto& [path, value] : table) {
        const auto fields = path.find("/fields/");
        if (fields == std::string::npos) continue;
        CHECK(offsets[path.substr(0, fields)].insert(value).second);
        CHECK(value < table.at(path.substr(0, fields) + "/size"));
    }
    CHECK(offsets.size() == 14);
    for (const auto& [structure, starts] : offsets)
        CHECK(*starts.begin() == 0);
}

TEST_SUITE_END();
