// SPDX-License-Identifier: MIT
//
// conformance PROVIDER: runs the suite on it, with a line for each case, in the form that
// tests/tally.sh has. Exits with 1 if a case failed. The provider is confined as it is in a
// worker that serves, and so is killed if it needs more of the system.
#include <cstdio>
#include <print>
#include <string>
#include <string_view>

#include "conformance/suite.hpp"
#include "conformance/targets.hpp"
#include "sandbox/sandbox.hpp"
#include "vulkan/test_device.hpp"

namespace {

using conformance::Outcome;

bool report(Outcome outcome, const std::string& what, const std::string& why) {
    constexpr const char* kWords[] = {"ok", "FAILED", "skip"};
    std::println("{:<8} {}{}{}", kWords[static_cast<std::size_t>(outcome)], what,
                 why.empty() ? "" : ": ", why);
    std::fflush(stdout);  // a provider may hang or end the process
    return outcome != Outcome::Failed;
}

sandbox::Result confine(sandbox::Needs needs) {
    return sandbox::give_up_privileges({})
        .and_then([=] { return sandbox::confine_opening({}, needs); })
        .and_then([=] { return sandbox::confine_serving({}, needs); });
}

int run(const conformance::Target& target, sandbox::Needs needs) {
    if (const auto confined = confine(needs); !confined) {
        std::println(stderr, "{}", confined.error());
        return 2;
    }
    bool good = true;
    for (const conformance::Case& one : conformance::cases()) {
        const auto [outcome, why] = judge(one, target);
        good &= report(outcome, target.name + ": " + std::string(one.id), why);
    }
    return good ? 0 : 1;
}

// A provider that not every machine can have.
int run_if_there(const char* name, const std::expected<conformance::Target, std::string>& target,
                 sandbox::Needs needs, bool required) {
    if (target) return run(*target, needs);
    const Outcome outcome = required ? Outcome::Failed : Outcome::Skipped;
    return report(outcome, name, target.error()) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view provider = argc == 2 ? argv[1] : "";
    if (provider == "mock") return run(conformance::mock_target(), sandbox::Needs::Memory);
    if (provider == "cpu") return run(conformance::cpu_target(), sandbox::Needs::Memory);
    if (provider == "vulkan")
        return run_if_there("vulkan", conformance::vulkan_target(), sandbox::Needs::Driver,
                            vulkan::test::required());
    if (provider == "xdna")
        return run_if_there("xdna", conformance::xdna_target(), sandbox::Needs::Npu, false);
    std::println(stderr, "usage: conformance mock|cpu|vulkan|xdna");
    return 2;
}
