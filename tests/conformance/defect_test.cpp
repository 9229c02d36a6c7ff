// SPDX-License-Identifier: MIT
//
// Every case of the suite can fail: providers with one defect each, and the cases that
// find it out.
#include <algorithm>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "conformance/defects.hpp"
#include "conformance/suite.hpp"
#include "conformance/targets.hpp"

using namespace conformance;

TEST_SUITE_BEGIN("conformance");

namespace {

using Ids = std::vector<std::string_view>;

// A subject with a defective provider between it and the suite.
template <class Defect>
class Defective final : public Subject {
 public:
    explicit Defective(std::unique_ptr<Subject> sound)
        : sound_(std::move(sound)), defect_(sound_->provider()) {}

    [[nodiscard]] provider::Provider& provider() override { return defect_; }
    void hold() override { sound_->hold(); }
    void complete(provider::Event& event) override { sound_->complete(event); }
    [[nodiscard]] std::optional<std::uint64_t> live_objects() override {
        return sound_->live_objects();
    }

 private:
    std::unique_ptr<Subject> sound_;
    Defect defect_;
};

template <class Defect>
Target with() {
    Target target = mock_target();
    target.open = [sound = target.open] { return std::make_unique<Defective<Defect>>(sound()); };
    return target;
}

Ids ids(const Target& target, Outcome outcome) {
    Ids found;
    for (const Case& one : cases())
        if (judge(one, target).outcome == outcome) found.push_back(one.id);
    return found;
}

Ids every_id() {
    Ids all;
    for (const Case& one : cases())
        all.push_back(one.id);
    return all;
}

template <class Defect>
Ids failing() {
    return ids(with<Defect>(), Outcome::Failed);
}

const Ids kExecuting{"submission.binding-validation", "submission.copy-path-diagnostics",
                     "event.pending-release-terminal-stability", "timeout.finite-admission",
                     "event.cancellation-races"};

}  // namespace

TEST_CASE("a defect is found by the case that is for it") {
    CHECK(failing<Forwarding>() == Ids{});
    CHECK(failing<UnstableInfo>() == Ids{"metadata.stable-valid"});
    CHECK(failing<ReservedCapability>() == Ids{"metadata.stable-valid"});
    CHECK(failing<ContextFlagsIgnored>() == Ids{"intent.reserved-flags"});
    CHECK(failing<QueueFlagsIgnored>() == Ids{"intent.reserved-flags"});
    CHECK(failing<DifferentDescription>() == Ids{"memory.host"});
    CHECK(failing<DeviceMemoryElsewhere>() == Ids{"memory.device"});
    CHECK(failing<SharedMemoryUnbindable>() == Ids{"memory.shared"});
    CHECK(failing<BoundsSwallowed>() == Ids{"buffer.segmented-transfer-bounds"});
    CHECK(failing<PermissionSwallowed>() == Ids{"buffer.transfer-permissions"});
    CHECK(failing<WrongArtifactLimitError>() == Ids{"program.segmented-artifact-bounds"});
    CHECK(failing<TooLongArtifactRead>() == Ids{"program.segmented-artifact-bounds"});
    CHECK(failing<ExtraBindingsDropped>() == Ids{"submission.binding-validation"});
    CHECK(failing<AcceptedSaidRejected>() == kExecuting);
    CHECK(failing<HiddenStaging>() == Ids{"submission.copy-path-diagnostics"});
    CHECK(failing<WrongIsolationError>() == Ids{"submission.context-isolation"});
    CHECK(failing<PendingEventDestroyed>() == Ids{"event.pending-release-terminal-stability"});
    CHECK(failing<TimeoutSaidBusy>() == Ids{"timeout.finite-admission"});
    CHECK(failing<CancelUnsupported>() == Ids{"event.cancellation-races"});
    CHECK(failing<CancelIgnored>() == Ids{"event.cancellation-races"});
}

TEST_CASE("a terminal state that is not stable fails every case that polls twice") {
    Ids polling = kExecuting;
    CHECK(failing<TerminalStateRegresses>() == polling);
}

TEST_CASE("objects that are live before or after a case fail it") {
    CHECK(failing<NotFresh>() == every_id());
    const Ids leaking = failing<BuffersLeaked>();
    CHECK(leaking.size() == 11);
    CHECK_FALSE(std::ranges::contains(leaking, "metadata.stable-valid"));
    CHECK(std::ranges::contains(leaking, "memory.host"));
}

TEST_CASE("a release is tried again once after a rejection, and never when it is in doubt") {
    CHECK(failing<ReleaseRetried>() == Ids{});
    const Ids doubtful = failing<ReleaseInDoubt>();
    CHECK(doubtful.size() == 13);
    CHECK_FALSE(std::ranges::contains(doubtful, "metadata.stable-valid"));
}

TEST_CASE("a case is skipped for want of its capability or hook, and for nothing else") {
    struct Bare : Forwarding {
        explicit Bare(provider::Provider& inner) : Forwarding(inner), info(inner.device_info()) {
            info.capabilities = 1U << 16;
        }
        provider::DeviceInfo info;
        const provider::DeviceInfo& device_info() const override { return info; }
    };
    CHECK(ids(with<Bare>(), Outcome::Skipped) ==
          Ids{"memory.host", "memory.device", "memory.shared", "event.cancellation-races"});
    CHECK(failing<Bare>() == Ids{"metadata.stable-valid"});
}

TEST_SUITE_END();
