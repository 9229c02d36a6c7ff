// SPDX-License-Identifier: MIT
//
// The fuzzer changes files that were made by others, and must not fall over one itself.
#include <algorithm>
#include <cstring>

#include <doctest/doctest.h>

#include "fuzz/tosa_mutator.hpp"
#include "tosa/single_operator.hpp"
#include "tosa_generated.h"

namespace tosa::test {
namespace {

// The table of the operator's attribute claims to be as large as a table can be.
void overstate_attribute(std::span<std::uint8_t> file) {
    const auto& region = *fbs::GetTosaGraph(file.data())->regions()->Get(0);
    for (const auto* op : *region.blocks()->Get(0)->operators()) {
        if (op->attribute() == nullptr) continue;
        const auto* table = static_cast<const flatbuffers::Table*>(op->attribute());
        const auto at = static_cast<std::size_t>(table->GetVTable() + 2 - file.data());
        flatbuffers::WriteScalar<flatbuffers::voffset_t>(&file[at], 0xFFFF);
    }
}

TEST_CASE("a change of a file stays inside it, whatever its tables claim") {
    const std::vector<std::byte> valid_file = valid(Op::MaxPool2d).graph().file();
    std::vector<std::uint8_t> file(valid_file.size());
    std::memcpy(file.data(), valid_file.data(), file.size());
    overstate_attribute(file);
    flatbuffers::Verifier verifier(file.data(), file.size());
    REQUIRE(fbs::VerifyTosaGraphBuffer(verifier));

    constexpr std::uint8_t kBehind = 0xA5;
    unsigned changed = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::vector<std::uint8_t> memory(file.size() + 0x10000, kBehind);
        std::ranges::copy(file, memory.begin());
        std::minstd_rand random(seed);
        changed += fuzz::mutate_tosa(std::span(memory).first(file.size()), random) ? 1 : 0;
        REQUIRE(std::ranges::all_of(std::span(memory).subspan(file.size()),
                                    [](std::uint8_t byte) { return byte == kBehind; }));
    }
    CHECK(changed == 2000);
}

}  // namespace
}  // namespace tosa::test
