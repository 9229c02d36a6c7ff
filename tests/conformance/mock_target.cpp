// SPDX-License-Identifier: MIT
#include "conformance/targets.hpp"
#include "provider/mock/artifact.hpp"
#include "provider/mock/mock.hpp"

namespace conformance {

namespace {

class Mock final : public Subject {
 public:
    [[nodiscard]] provider::Provider& provider() override { return mock_; }
    void hold() override {}  // all that the mock ever does
    void complete(provider::Event& event) override { mock::Provider::complete(event); }
    [[nodiscard]] std::optional<std::uint64_t> live_objects() override {
        return mock_.live_objects();
    }

 private:
    mock::Provider mock_;
};

}  // namespace

Target mock_target() {
    constexpr std::uint32_t kSlot = 7;
    constexpr std::byte kOperand{0x5A};
    const auto artifact =
        mock::encode({.operation = mock::Operation::Xor, .first_slot = kSlot, .operand = kOperand});
    Fixture fixture{.slot = kSlot, .access = provider::Access::ReadWrite, .initial{}, .expected{}};
    for (const int byte : {0x00, 0x11, 0x7F, 0x80, 0xA5, 0xFF, 0x3C, 0xC3}) {
        fixture.initial.push_back(static_cast<std::byte>(byte));
        fixture.expected.push_back(static_cast<std::byte>(byte) ^ kOperand);
    }
    return {.name = "mock",
            .open = [] { return std::make_unique<Mock>(); },
            .program = {.format = mock::kFormat,
                        .target = mock::kTarget,
                        .resident_bytes = mock::kResidentBytes},
            .artifact = {artifact.begin(), artifact.end()},
            .fixtures = {fixture}};
}

}  // namespace conformance
