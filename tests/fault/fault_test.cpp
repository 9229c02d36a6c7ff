// SPDX-License-Identifier: MIT
#include "provider/fault/fault.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include <doctest/doctest.h>

#include "provider/answers.hpp"
#include "provider/mock/artifact.hpp"
#include "provider/mock/mock.hpp"

using provider::ErrorKind;
using provider::EventPhase;
using provider::Released;
using provider::ReleaseRejected;
using provider::ReleaseUnknown;
using provider::test::busy;
using provider::test::error_of;
using provider::test::rejection;

TEST_SUITE_BEGIN("fault/provider");

namespace {

class Bytes final : public provider::ByteSource, public provider::ByteSink {
 public:
    explicit Bytes(std::span<std::byte> bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] provider::Result<void> read(std::uint64_t offset,
                                              std::span<std::byte> to) override {
        std::memcpy(to.data(), bytes_.data() + offset, to.size());
        return {};
    }
    [[nodiscard]] provider::Result<void> write(std::uint64_t offset,
                                               std::span<const std::byte> from) override {
        std::memcpy(bytes_.data() + offset, from.data(), from.size());
        return {};
    }

 private:
    std::span<std::byte> bytes_;
};

fault::Script script(std::string_view text) {
    auto parsed = fault::Script::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), parsed.error_or(""));
    return *std::move(parsed);
}

// The fault provider around a mock whose events end by cancellation only.
struct Rig {
    explicit Rig(std::string_view text) : Rig(std::make_unique<mock::Provider>(), text) {}

    auto context() { return faulty.create_context(0); }
    auto buffer(provider::Context& of) {
        return faulty.allocate_buffer(of, {.bytes = 16,
                                           .alignment = 16,
                                           .domain = provider::MemoryDomain::Shared,
                                           .usage = 0x1F});
    }
    auto program(provider::Context& of) {
        auto artifact = mock::encode({.operation = mock::Operation::Fill, .first_slot = 0});
        Bytes source(artifact);
        return faulty.load_program(of,
                                   {.format = mock::kFormat,
                                    .target = mock::kTarget,
                                    .resident_bytes = mock::kResidentBytes},
                                   source);
    }

    mock::Provider* mock;
    fault::Provider faulty;

 private:
    Rig(std::unique_ptr<mock::Provider> inner, std::string_view text)
        : mock(inner.get()), faulty(std::move(inner), script(text)) {}
};

// One object of each kind and a submission over them.
struct Session : Rig {
    explicit Session(std::string_view text) : Rig(text) {}

    std::unique_ptr<provider::Context> context = *Rig::context();
    std::unique_ptr<provider::Buffer> buffer = *Rig::buffer(*context);
    std::unique_ptr<provider::Program> program = *Rig::program(*context);
    std::unique_ptr<provider::Queue> queue = *faulty.create_queue(*context, 0);

    provider::SubmitResult submit() {
        const provider::Binding binding{
            .buffer = buffer.get(), .bytes = 16, .access = provider::Access::Write};
        return faulty.submit(*queue, *program, std::span(&binding, 1), 0);
    }
    std::unique_ptr<provider::Event> event() {
        auto result = submit();
        REQUIRE(std::holds_alternative<provider::Accepted>(result));
        return std::move(std::get<provider::Accepted>(result).event);
    }
    EventPhase phase(provider::Event& event) { return faulty.poll_event(event)->phase; }

    void release_all() {
        CHECK(std::holds_alternative<Released>(faulty.destroy_queue(std::move(queue))));
        CHECK(std::holds_alternative<Released>(faulty.unload_program(std::move(program))));
        CHECK(std::holds_alternative<Released>(faulty.free_buffer(std::move(buffer))));
        CHECK(std::holds_alternative<Released>(faulty.destroy_context(std::move(context))));
        CHECK(mock->live_objects() == 0);
        CHECK(faulty.violations() == 0);
    }
};

template <class T>
ErrorKind unknown(const provider::ReleaseResult<T>& result) {
    REQUIRE(std::holds_alternative<ReleaseUnknown>(result));
    return std::get<ReleaseUnknown>(result).error.kind;
}

}  // namespace

TEST_CASE("without a script everything is as inside, and the books stay clean") {
    Session session("");
    auto event = session.event();
    CHECK(session.phase(*event) == EventPhase::Pending);
    CHECK(mock::Provider::complete(*event));
    CHECK(session.phase(*event) == EventPhase::Complete);
    CHECK(std::holds_alternative<Released>(session.faulty.destroy_event(std::move(event))));
    CHECK(session.faulty.copy_counters().direct_bindings == 1);
    CHECK(session.faulty.device_info() == session.mock->device_info());
    session.release_all();
}

TEST_CASE("a step fires at its call and at no other") {
    Rig rig("create_context:2:error-before:OutOfMemory");
    auto first = rig.context();
    CHECK(first.has_value());
    CHECK(error_of(rig.context()) == ErrorKind::OutOfMemory);
    CHECK(rig.context().has_value());
    CHECK(rig.context().has_value());
}

TEST_CASE("a create that fails has retained nothing, before the inner call or after it") {
    for (const std::string_view action : {"error-before", "error-after"}) {
        CAPTURE(action);
        const std::string tail = ":2:" + std::string(action) + ":OutOfMemory";
        Session session("create_context" + tail + ",allocate_buffer" + tail + ",load_program" +
                        tail + ",create_queue" + tail);
        CHECK(session.mock->live_objects() == 4);
        CHECK(error_of(session.Rig::buffer(*session.context)) == ErrorKind::OutOfMemory);
        CHECK(error_of(session.Rig::program(*session.context)) == ErrorKind::OutOfMemory);
        CHECK(error_of(session.faulty.create_queue(*session.context, 0)) == ErrorKind::OutOfMemory);
        CHECK(error_of(session.Rig::context()) == ErrorKind::OutOfMemory);
        CHECK(session.mock->live_objects() == 4);
        session.release_all();
    }
}

TEST_CASE("an error before a transfer leaves the bytes alone, one after it does not") {
    Session session(
        "write_buffer:1:error-before:Busy,write_buffer:2:error-after:Busy,"
        "read_buffer:1:error-before:Busy,read_buffer:2:error-after:DeviceLost");
    std::array<std::byte, 4> bytes{std::byte{7}};
    Bytes port(bytes);
    CHECK(error_of(session.faulty.write_buffer(*session.buffer, 0, port)) == ErrorKind::Busy);
    CHECK(session.mock->copy_counters().explicit_transfer_bytes == 0);
    CHECK(error_of(session.faulty.write_buffer(*session.buffer, 0, port)) == ErrorKind::Busy);
    CHECK(session.mock->copy_counters().explicit_transfer_bytes == 4);
    bytes = {};
    CHECK(error_of(session.faulty.read_buffer(*session.buffer, 0, port)) == ErrorKind::Busy);
    CHECK(bytes[0] == std::byte{0});
    CHECK(error_of(session.faulty.read_buffer(*session.buffer, 0, port)) == ErrorKind::DeviceLost);
    CHECK(bytes[0] == std::byte{7});
    session.release_all();
}

TEST_CASE("a rejected submission is not made, an indeterminate one is and has its event") {
    Session session("submit:1:rejected:Busy,submit:2:indeterminate:DeadlineExpired");
    const auto rejected = session.submit();
    CHECK(rejection(rejected) == ErrorKind::Busy);
    CHECK(session.mock->copy_counters().direct_bindings == 0);

    auto unknown = session.submit();
    REQUIRE(std::holds_alternative<provider::SubmitUnknown>(unknown));
    auto& [error, event] = std::get<provider::SubmitUnknown>(unknown);
    CHECK(error.kind == ErrorKind::DeadlineExpired);
    CHECK(session.mock->copy_counters().direct_bindings == 1);
    CHECK(session.phase(*event) == EventPhase::Pending);
    CHECK(session.faulty.cancel_event(*event).has_value());
    CHECK(std::holds_alternative<Released>(session.faulty.destroy_event(std::move(event))));
    session.release_all();
}

TEST_CASE("what submit rejects inside is rejected, whatever the script makes of an accepted one") {
    Session session("submit:1:indeterminate:Busy");
    const auto result = session.faulty.submit(*session.queue, *session.program, {}, 0);
    CHECK(rejection(result) == ErrorKind::ResourceLimit);
    session.release_all();
}

TEST_CASE("a rejected release gives the same live object back") {
    Session session(
        "free_buffer:1:rejected:Busy,"
        "unload_program:1:rejected:Busy,destroy_queue:1:rejected:Busy");
    const void* const before = session.queue.get();
    session.queue = busy(session.faulty.destroy_queue(std::move(session.queue)));
    session.program = busy(session.faulty.unload_program(std::move(session.program)));
    session.buffer = busy(session.faulty.free_buffer(std::move(session.buffer)));
    CHECK(session.queue.get() == before);
    CHECK(session.mock->live_objects() == 4);
    session.release_all();
}

TEST_CASE("an indeterminate release is not made, and the object is live no more") {
    Session session("free_buffer:1:indeterminate:DeadlineExpired");
    provider::Buffer& buffer = *session.buffer;
    CHECK(unknown(session.faulty.free_buffer(std::move(session.buffer))) ==
          ErrorKind::DeadlineExpired);
    CHECK(session.mock->live_objects() == 4);
    CHECK(session.faulty.violations() == 0);

    std::array<std::byte, 4> bytes{};
    Bytes port(bytes);
    CHECK(error_of(session.faulty.write_buffer(buffer, 0, port)) == ErrorKind::InvalidArgument);
    CHECK(session.faulty.violations() == 1);
    CHECK(unknown(session.faulty.free_buffer(std::unique_ptr<provider::Buffer>(&buffer))) ==
          ErrorKind::DeviceLost);
    CHECK(session.faulty.violations() == 2);
}

TEST_CASE("releasing what something stands on is a violation and indeterminate") {
    Session session("");
    auto event = session.event();

    SUBCASE("a queue") {
        CHECK(unknown(session.faulty.destroy_queue(std::move(session.queue))) ==
              ErrorKind::DeviceLost);
    }
    SUBCASE("a program") {
        CHECK(unknown(session.faulty.unload_program(std::move(session.program))) ==
              ErrorKind::DeviceLost);
    }
    SUBCASE("a buffer") {
        CHECK(unknown(session.faulty.free_buffer(std::move(session.buffer))) ==
              ErrorKind::DeviceLost);
    }
    SUBCASE("a context") {
        CHECK(unknown(session.faulty.destroy_context(std::move(session.context))) ==
              ErrorKind::DeviceLost);
    }
    CHECK(session.faulty.violations() == 1);
    CHECK(session.mock->live_objects() == 5);
}

TEST_CASE("what is not live is neither used nor released inside") {
    Session session("");
    Session other("");

    CHECK(error_of(session.Rig::buffer(*other.context)) == ErrorKind::InvalidArgument);
    auto queue = std::move(other.queue);
    const provider::Binding binding{.buffer = session.buffer.get(), .bytes = 16};
    CHECK(std::holds_alternative<provider::SubmitRejected>(
        session.faulty.submit(*queue, *session.program, std::span(&binding, 1), 0)));
    provider::Queue* const raw = queue.get();
    CHECK(unknown(session.faulty.destroy_queue(std::move(queue))) == ErrorKind::DeviceLost);
    CHECK(session.faulty.violations() == 3);
    CHECK(other.mock->live_objects() == 4);
    other.queue.reset(raw);
    other.release_all();
}

TEST_CASE("a completion sticks: polls repeat it, cancel is Busy, destroy cancels inside") {
    Session session("poll_event:2:completion:failed:DeadlineExpired");
    auto event = session.event();
    CHECK(session.phase(*event) == EventPhase::Pending);
    for (int i = 0; i < 3; ++i) {
        const auto state = session.faulty.poll_event(*event);
        REQUIRE(state.has_value());
        CHECK(state->phase == EventPhase::Failed);
        CHECK(state->error.kind == ErrorKind::DeadlineExpired);
    }
    CHECK(error_of(session.faulty.cancel_event(*event)) == ErrorKind::Busy);
    CHECK(session.mock->poll_event(*event)->phase == EventPhase::Pending);
    CHECK(std::holds_alternative<Released>(session.faulty.destroy_event(std::move(event))));
    session.release_all();
}

TEST_CASE("an error of a poll or a cancel says nothing about the event") {
    Session session(
        "poll_event:1:error-before:DeviceLost,poll_event:2:error-after:Busy,"
        "cancel_event:1:error-before:External,cancel_event:2:error-after:External");
    auto event = session.event();
    CHECK(error_of(session.faulty.poll_event(*event)) == ErrorKind::DeviceLost);
    CHECK(error_of(session.faulty.poll_event(*event)) == ErrorKind::Busy);
    CHECK(error_of(session.faulty.cancel_event(*event)) == ErrorKind::External);
    CHECK(session.phase(*event) == EventPhase::Pending);
    CHECK(error_of(session.faulty.cancel_event(*event)) == ErrorKind::External);
    CHECK(session.phase(*event) == EventPhase::Cancelled);
    CHECK(std::holds_alternative<Released>(session.faulty.destroy_event(std::move(event))));
    session.release_all();
}

TEST_CASE("contexts may be used by several threads at once, and each step still fires once") {
    Rig rig("allocate_buffer:100:error-before:OutOfMemory,free_buffer:50:rejected:Busy");
    std::atomic<int> failed = 0;
    std::atomic<int> rejected = 0;
    const auto use_context = [&] {
        auto context = *rig.context();
        for (int i = 0; i < 100; ++i) {
            auto buffer = rig.buffer(*context);
            if (!buffer) {
                ++failed;
                continue;
            }
            auto result = rig.faulty.free_buffer(std::move(*buffer));
            if (auto* refusal = std::get_if<ReleaseRejected<provider::Buffer>>(&result)) {
                ++rejected;
                result = rig.faulty.free_buffer(std::move(refusal->resource));
            }
        }
        static_cast<void>(rig.faulty.destroy_context(std::move(context)));
    };
    {
        const std::jthread one(use_context);
        const std::jthread another(use_context);
    }
    CHECK(failed == 1);
    CHECK(rejected == 1);
    CHECK(rig.mock->live_objects() == 0);
    CHECK(rig.faulty.violations() == 0);
}

TEST_CASE("a pending event is rejected inside and stays on the books") {
    Session session("");
    auto event = busy(session.faulty.destroy_event(session.event()));
    CHECK(session.faulty.cancel_event(*event).has_value());
    CHECK(std::holds_alternative<Released>(session.faulty.destroy_event(std::move(event))));
    session.release_all();
}

TEST_SUITE_END();
