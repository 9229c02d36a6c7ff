// SPDX-License-Identifier: MIT
#include "provider/fault/script.hpp"

#include <format>

#include <doctest/doctest.h>

using fault::Action;
using fault::Operation;
using fault::Script;
using provider::ErrorKind;
using provider::EventPhase;

TEST_SUITE_BEGIN("fault/script");

namespace {

fault::Step only_step(std::string_view text, Operation operation, std::uint32_t call) {
    const auto script = Script::parse(text);
    REQUIRE_MESSAGE(script.has_value(), script.error_or(""));
    const auto step = script->find(operation, call);
    REQUIRE(step.has_value());
    return *step;
}

}  // namespace

TEST_CASE("a step names its operation, its call, its action and its error") {
    const auto submit = only_step("submit:1:indeterminate:DeadlineExpired", Operation::Submit, 1);
    CHECK(submit.action == Action::Indeterminate);
    CHECK(submit.error == ErrorKind::DeadlineExpired);
    const auto allocate = only_step("allocate_buffer:4294967295:error-after:OutOfMemory",
                                    Operation::AllocateBuffer, 4294967295);
    CHECK(allocate.action == Action::ErrorAfter);
    CHECK(allocate.error == ErrorKind::OutOfMemory);
    const auto failed =
        only_step("poll_event:2:completion:failed:DeviceLost", Operation::PollEvent, 2);
    CHECK(failed.phase == EventPhase::Failed);
    CHECK(failed.error == ErrorKind::DeviceLost);
    CHECK(only_step("poll_event:2:completion:cancelled", Operation::PollEvent, 2).phase ==
          EventPhase::Cancelled);
}

TEST_CASE("the steps of a script are found by operation and call, and nothing else is") {
    const auto script = Script::parse("submit:2:rejected:Busy,poll_event:2:error-before:External");
    REQUIRE(script.has_value());
    CHECK(script->find(Operation::Submit, 2)->error == ErrorKind::Busy);
    CHECK(script->find(Operation::PollEvent, 2)->error == ErrorKind::External);
    CHECK_FALSE(script->find(Operation::Submit, 1).has_value());
    CHECK_FALSE(script->find(Operation::CancelEvent, 2).has_value());
    CHECK_FALSE(Script::parse("")->find(Operation::Submit, 1).has_value());
}

TEST_CASE("submit and the releases take what has a fate, all other calls take errors") {
    const std::string_view errors[] = {"create_context", "allocate_buffer", "write_buffer",
                                       "read_buffer",    "load_program",    "create_queue",
                                       "poll_event",     "cancel_event"};
    const std::string_view fates[] = {"submit",         "destroy_context", "free_buffer",
                                      "unload_program", "destroy_queue",   "destroy_event"};
    const auto parses = [](std::string_view operation, std::string_view action) {
        return Script::parse(std::format("{}:1:{}:Busy", operation, action)).has_value();
    };
    for (const std::string_view operation : errors) {
        CAPTURE(operation);
        CHECK(parses(operation, "error-before"));
        CHECK(parses(operation, "error-after"));
        CHECK_FALSE(parses(operation, "rejected"));
        CHECK_FALSE(parses(operation, "indeterminate"));
    }
    for (const std::string_view operation : fates) {
        CAPTURE(operation);
        CHECK(parses(operation, "rejected"));
        CHECK(parses(operation, "indeterminate"));
        CHECK_FALSE(parses(operation, "error-before"));
        CHECK_FALSE(parses(operation, "error-after"));
    }
}

TEST_CASE("what is wrong with a script is said with the step") {
    struct {
        std::string_view text;
        std::string_view says;
    } const cases[] = {
        {"submit", "step 'submit': '' is not the number of a call"},
        {",", "step '': no operation ''"},
        {"reset:1:rejected:Busy", "no operation 'reset'"},
        {"submit:0:rejected:Busy", "'0' is not the number of a call"},
        {"submit:4294967296:rejected:Busy", "'4294967296' is not the number of a call"},
        {"submit:-1:rejected:Busy", "'-1' is not the number of a call"},
        {"submit:1x:rejected:Busy", "'1x' is not the number of a call"},
        {"submit:1:refused:Busy", "no action 'refused'"},
        {"submit:1:rejected", "no error ''"},
        {"submit:1:rejected:busy", "no error 'busy'"},
        {"submit:1:rejected:Busy:again", "'again' is too much"},
        {"submit:1:completion:complete", "submit does not take 'completion'"},
        {"poll_event:1:completion:pending", "'pending' is no final state"},
        {"poll_event:1:completion:failed", "no error ''"},
        {"poll_event:1:completion:complete:Busy", "'Busy' is too much"},
        {"submit:1:rejected:Busy,free_buffer:1:error-after:Busy",
         "step 'free_buffer:1:error-after:Busy': free_buffer does not take 'error-after'"},
        {"submit:1:rejected:Busy,submit:1:rejected:Busy", "a step for this call already"},
    };
    for (const auto& [text, says] : cases) {
        CAPTURE(text);
        const auto script = Script::parse(text);
        REQUIRE_FALSE(script.has_value());
        CHECK_MESSAGE(script.error().contains(says), script.error());
    }
}

TEST_CASE("a script has at most 64 steps") {
    std::string text;
    for (std::size_t i = 1; i <= Script::kMaxSteps; ++i)
        text += std::format("submit:{}:rejected:Busy,", i);
    CHECK(Script::parse(text).has_value());
    const auto longer = Script::parse(text + "cancel_event:1:error-before:Busy");
    REQUIRE_FALSE(longer.has_value());
    CHECK(longer.error().contains("more than 64 steps"));
}

TEST_SUITE_END();
