// SPDX-License-Identifier: MIT
#include "vulkan/self_test.hpp"

#include "vulkan/oracle.hpp"

using namespace vulkan;
using namespace vulkan::test;

TEST_SUITE("vulkan/self-test" * doctest::skip(skipped())) {
    TEST_CASE("a device that gets any of them wrong is refused, and the question named") {
        Rig rig;
        auto& provider = static_cast<VulkanProvider&>(*rig);
        CHECK(self_test(provider, known_answers()));
        const std::size_t count = known_answers().size();
        for (std::size_t i = 0; i < count; ++i) {
            auto answers = known_answers();
            answers[i].output.back() ^= std::byte{1};
            const auto result = self_test(provider, answers);
            REQUIRE(!result);
            CHECK(result.error() == "the device computes wrong: " + std::string(answers[i].name));
        }
        CHECK(provider.live_contexts() == 1);  // the rig's
    }
}
