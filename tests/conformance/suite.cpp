// SPDX-License-Identifier: MIT
#include "conformance/suite.hpp"

#include "conformance/cases.hpp"

namespace conformance {

namespace {

constexpr Case kCases[] = {
    {"metadata.stable-valid", stable_metadata},
    {"intent.reserved-flags", reserved_flags},
    {"memory.host", host_memory, provider::kCapHostVisibleMemory},
    {"memory.device", device_memory, provider::kCapDeviceLocalMemory},
    {"memory.shared", shared_memory, provider::kCapSharedMemory},
    {"buffer.segmented-transfer-bounds", transfer_bounds},
    {"buffer.transfer-permissions", transfer_permissions},
    {"program.segmented-artifact-bounds", artifact_bounds},
    {"submission.binding-validation", binding_validation},
    {"submission.copy-path-diagnostics", copy_path},
    {"submission.context-isolation", context_isolation},
    {"event.pending-release-terminal-stability", terminal_stability},
    {"timeout.finite-admission", finite_admission},
    {"event.cancellation-races", cancellation_races, provider::kCapEventCancellation},
    {"accounting.resource-lifecycle", resource_accounting, 0, true},
};

// Empty if the case is to be run.
std::string reason_to_skip(const Case& what, Bench& bench) {
    if ((bench.provider().device_info().capabilities & what.capability) != what.capability)
        return "the capability is not advertised";
    if (what.accounting && !bench.subject().live_objects()) return "live objects are not counted";
    return "";
}

template <class Step>
void note_failure(Verdict& verdict, Step step) {
    try {
        step();
    } catch (const Failure& failure) {
        verdict.outcome = Outcome::Failed;
        verdict.why += (verdict.why.empty() ? "" : "; then ") + std::string(failure.what());
    }
}

}  // namespace

std::span<const Case> cases() {
    return kCases;
}

Verdict judge(const Case& what, const Target& target) {
    Bench bench(target);
    if (auto why = reason_to_skip(what, bench); !why.empty())
        return {Outcome::Skipped, std::move(why)};
    Verdict verdict;
    note_failure(verdict, [&] {
        bench.require_nothing_live("before");
        what.run(bench);
    });
    note_failure(verdict, [&] {
        bench.release_all();
        bench.require_nothing_live("after");
    });
    return verdict;
}

}  // namespace conformance
