// SPDX-License-Identifier: MIT
#include "vulkan/rig.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

Bytes pattern(std::size_t bytes, unsigned seed) {
    Bytes made(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        made[i] = static_cast<std::byte>((i * 131 + i / 251 + seed) & 0xFF);
    return made;
}

std::vector<MemoryDomain> domains(const Rig& rig) {
    std::vector<MemoryDomain> present;
    for (const auto domain : {MemoryDomain::Host, MemoryDomain::Device, MemoryDomain::Shared})
        if (rig.device().memory(domain)) present.push_back(domain);
    return present;
}

// Segments of a staged transfer are 4 MiB.
constexpr std::size_t kSeveralSegments = (9U << 20) + 3;

void check_round_trips(Rig& rig, MemoryDomain domain) {
    CAPTURE(static_cast<int>(domain));
    auto buffer = rig.buffer(1031, domain);
    CHECK(rig.read(*buffer, 0, 1031) == Bytes(1031));  // zero before anybody writes

    Bytes model(1031);
    unsigned seed = 0;
    for (const std::size_t offset : {0U, 1U, 2U, 3U, 5U, 1000U}) {
        for (const std::size_t bytes : {1U, 2U, 3U, 4U, 7U, 31U}) {
            const auto piece = pattern(bytes, ++seed);
            std::ranges::copy(piece, model.begin() + static_cast<std::ptrdiff_t>(offset));
            rig.write(*buffer, offset, piece);
            CHECK(rig.read(*buffer, offset, bytes) == piece);
        }
    }
    CHECK(rig.read(*buffer, 0, 1031) == model);  // neighbours untouched
    rig.free(std::move(buffer));
}

void check_large_round_trip(Rig& rig, MemoryDomain domain) {
    auto buffer = rig.buffer(kSeveralSegments + 1, domain);
    const auto content = pattern(kSeveralSegments, 7);
    rig.write(*buffer, 1, content);
    CHECK(rig.read(*buffer, 1, kSeveralSegments) == content);
    CHECK(rig.read(*buffer, 0, 1) == Bytes(1));
    rig.free(std::move(buffer));
}

}  // namespace

TEST_SUITE("vulkan/buffer" * doctest::skip(skipped())) {
    TEST_CASE("bytes survive at any offset and length, in every domain") {
        Rig rig;
        for (const auto domain : domains(rig))
            check_round_trips(rig, domain);
        check_large_round_trip(rig, MemoryDomain::Host);
    }

    TEST_CASE("bytes survive staged transfers, which are counted as explicit ones") {
        Rig rig({.map_device_memory = false});
        REQUIRE(!rig.device().memory(MemoryDomain::Device)->mapped);
        check_round_trips(rig, MemoryDomain::Device);
        const auto before = rig->copy_counters().explicit_transfer_bytes;
        check_large_round_trip(rig, MemoryDomain::Device);
        CHECK(rig->copy_counters().explicit_transfer_bytes == before + 2 * kSeveralSegments + 1);
    }

    TEST_CASE("allocations tell what they are") {
        Rig rig({.map_device_memory = false});
        for (const auto domain : domains(rig)) {
            const provider::BufferDesc desc{
                .bytes = 33, .alignment = 64, .domain = domain, .usage = kEveryUsage};
            auto buffer = rig.make(rig->allocate_buffer(*rig.context, desc));
            const auto& info = buffer->info();
            CHECK(info.desc == desc);
            CHECK(info.allocation_bytes >= 36);
            CHECK(std::has_single_bit(info.alignment));
            CHECK(info.alignment >= 64);
            CHECK((info.properties & provider::kPropertyDirectBinding) != 0);
            CHECK(((info.properties & provider::kPropertyHostVisible) != 0) ==
                  (domain != MemoryDomain::Device));
            if (domain != MemoryDomain::Host)
                CHECK((info.properties & provider::kPropertyDeviceLocal) != 0);
            rig.free(std::move(buffer));
        }
    }

    TEST_CASE("descriptions that mean nothing, and buffers that are too large, are refused") {
        Rig rig;
        const provider::BufferDesc good{
            .bytes = 16, .alignment = 16, .domain = MemoryDomain::Host, .usage = kEveryUsage};
        auto bad = good;
        SUBCASE("no bytes") {
            bad.bytes = 0;
        }
        SUBCASE("odd alignment") {
            bad.alignment = 48;
        }
        SUBCASE("no alignment") {
            bad.alignment = 0;
        }
        SUBCASE("no usage") {
            bad.usage = 0;
        }
        SUBCASE("unknown usage") {
            bad.usage = 0x20;
        }
        CHECK(error_of(rig->allocate_buffer(*rig.context, bad)) == ErrorKind::InvalidArgument);

        auto huge = good;
        huge.bytes = rig->device_info().max_buffer_bytes + 1;
        CHECK(error_of(rig->allocate_buffer(*rig.context, huge)) == ErrorKind::ResourceLimit);
        auto page = good;
        page.alignment = 1ULL << 40;
        CHECK(error_of(rig->allocate_buffer(*rig.context, page)) == ErrorKind::Incompatible);
    }

    TEST_CASE("a context holds 190 buffers") {
        Rig rig;
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        while (buffers.size() < 190)
            buffers.push_back(rig.buffer(4));
        const provider::BufferDesc one_more{
            .bytes = 4, .domain = MemoryDomain::Host, .usage = kEveryUsage};
        CHECK(error_of(rig->allocate_buffer(*rig.context, one_more)) == ErrorKind::ResourceLimit);
        for (auto& buffer : buffers)
            rig.free(std::move(buffer));
    }

    TEST_CASE("transfers keep to the usage and the size of the buffer") {
        Rig rig;
        auto source = rig.buffer(8, MemoryDomain::Host, provider::kUsageTransferSource);
        auto target = rig.buffer(8, MemoryDomain::Host, provider::kUsageTransferDestination);
        Source in(Bytes(4));
        Sink out(4);
        CHECK(error_of(rig->write_buffer(*source, 0, in)) == ErrorKind::PermissionDenied);
        CHECK(error_of(rig->read_buffer(*target, 0, out)) == ErrorKind::PermissionDenied);
        CHECK(rig->write_buffer(*target, 4, in));
        CHECK(error_of(rig->write_buffer(*target, 5, in)) == ErrorKind::OutOfBounds);
        CHECK(error_of(rig->read_buffer(*source, 8, out)) == ErrorKind::OutOfBounds);
        CHECK(error_of(rig->read_buffer(*source, ~0ULL, out)) == ErrorKind::OutOfBounds);
        rig.free(std::move(source));
        rig.free(std::move(target));
    }
}
