// SPDX-License-Identifier: MIT
//
// A provider's life from open to close, in which anything may fail once.
#pragma once

#include <utility>
#include <variant>

#include "vulkan/shimmed.hpp"

namespace vulkan::test {

// y = clamp(x + k), with an arena for k and the sum.
inline GraphBuilder scenario_graph() {
    GraphBuilder graph;
    graph.input("x", {4, 4}).output("y", {4, 4}).tensor("sum", {4, 4});
    graph.constant("k", {4, 4}, bytes_of(Floats(16, 0.5F)));
    graph.op(tosa::Op::Add, {"x", "k"}, {"sum"}).clamp("sum", "y", 0.0F, 10.0F);
    return graph;
}

class Scenario {
 public:
    Scenario() {
        options_.self_test = false;
        options_.device_lost = [this](bool wedged) { losses_.push_back(wedged); };
        if (kSanitized) return;
        options_.on_validation_message = [this](std::string_view message) {
            const std::scoped_lock lock(mutex_);
            messages_.emplace_back(message);
        };
    }
    ~Scenario() {
        for (const auto& message : messages_)
            FAIL_CHECK(message);
    }
    Scenario(const Scenario&) = delete;
    Scenario& operator=(const Scenario&) = delete;

    // False when the device was lost on the way, which everything has to notice then.
    [[nodiscard]] bool run() {
        bool survived = true;
        try {
            live();
        } catch (const Lost&) {
            survived = false;
            check_refused();
        }
        if (!survived) {
            event_.reset();
            program_.reset();
            queue_.reset();
            in_.reset();
            out_.reset();
            context_.reset();
        }
        provider_.reset();
        return survived;
    }

    [[nodiscard]] const std::vector<Error>& errors() const { return errors_; }
    [[nodiscard]] unsigned failures() const { return failures_; }
    // Of the device, as it told of them: whether it was wedged.
    [[nodiscard]] const std::vector<bool>& losses() const { return losses_; }

 private:
    struct Lost {};

    void note(const Error& error) {
        ++failures_;
        errors_.push_back(error);
        if (error.kind == ErrorKind::DeviceLost) throw Lost{};
    }

    // The second time it has to work.
    template <class Step>
    auto twice(Step step) {
        auto made = step();
        if (!made) {
            note(made.error());
            made = step();
        }
        REQUIRE(made);
        if constexpr (!std::is_void_v<typename decltype(made)::value_type>) return std::move(*made);
    }

    void live() {
        auto opened = open(options_);
        if (!opened) {
            ++failures_;
            CHECK(!opened.error().empty());
            opened = open(options_);
        }
        REQUIRE_MESSAGE(opened, opened.error_or(""));
        provider_ = std::move(*opened);
        context_ = twice([&] { return provider_->create_context(0); });
        queue_ = twice([&] { return provider_->create_queue(*context_, 0); });
        for (const auto domain : {MemoryDomain::Host, MemoryDomain::Device})
            live_with(domain);
        released(provider_->destroy_queue(std::move(queue_)));
        released(provider_->destroy_context(std::move(context_)));
    }

    void live_with(MemoryDomain domain) {
        in_ = twice([&] { return allocate(domain); });
        out_ = twice([&] { return allocate(domain); });
        program_ = twice([&] { return load(); });
        for (const float x : {1.0F, 2.0F}) {
            twice([&] { return write(x); });
            submit();
            while (!twice([&] { return poll(); }).terminal())
                std::this_thread::yield();
            CHECK(provider_->poll_event(*event_)->phase == EventPhase::Complete);
            released(provider_->destroy_event(std::move(event_)));
            const Floats result = twice([&] { return read(); });
            CHECK(result == Floats(16, x + 0.5F));
        }
        released(provider_->unload_program(std::move(program_)));
        released(provider_->free_buffer(std::move(in_)));
        released(provider_->free_buffer(std::move(out_)));
    }

    Result<std::unique_ptr<provider::Buffer>> allocate(MemoryDomain domain) {
        return provider_->allocate_buffer(
            *context_, {.bytes = 64, .alignment = 16, .domain = domain, .usage = kEveryUsage});
    }
    Result<std::unique_ptr<provider::Program>> load() {
        Source source(scenario_graph().file());
        return provider_->load_program(*context_,
                                       {.format = tosa::kFormat,
                                        .target = tosa::encode_target(tosa::kFloatTarget),
                                        .resident_bytes = ~0ULL},
                                       source);
    }
    Result<void> write(float x) {
        Source source(bytes_of(Floats(16, x)));
        return provider_->write_buffer(*in_, 0, source);
    }
    Result<Floats> read() {
        Sink sink(64);
        return provider_->read_buffer(*out_, 0, sink).transform([&] {
            return values_of<float>(sink.bytes);
        });
    }
    provider::SubmitResult try_submit() {
        const std::vector<Binding> bindings{{in_.get(), 0, 64, 0, Access::Read},
                                            {out_.get(), 0, 64, 1, Access::Write}};
        return provider_->submit(*queue_, *program_, bindings, 0);
    }
    void submit() {
        auto result = try_submit();
        if (auto* rejected = std::get_if<provider::SubmitRejected>(&result)) {
            note(rejected->error);
            result = try_submit();
        }
        if (auto* unknown = std::get_if<provider::SubmitUnknown>(&result)) {
            event_ = std::move(unknown->event);
            note(unknown->error);
        }
        REQUIRE(std::holds_alternative<provider::Accepted>(result));
        event_ = std::move(std::get<provider::Accepted>(result).event);
    }
    Result<EventState> poll() {
        auto state = provider_->poll_event(*event_);
        if (state && state->lost()) return std::unexpected(state->error);
        return state;
    }

    // Whatever there is by now, nothing can be done with it, and it can be thrown away.
    void check_refused() {
        CHECK(error_of(provider_->create_context(0)) == ErrorKind::DeviceLost);
        if (event_) {
            const auto state = provider_->poll_event(*event_);
            REQUIRE(state);
            CHECK(state->lost());
            CHECK(provider_->poll_event(*event_)->lost());
            kept(provider_->destroy_event(std::move(event_)), event_);
        }
        if (!queue_) return;
        CHECK(error_of(provider_->create_queue(*context_, 0)) == ErrorKind::DeviceLost);
        CHECK(error_of(allocate(MemoryDomain::Host)) == ErrorKind::DeviceLost);
        CHECK(error_of(load()) == ErrorKind::DeviceLost);
        if (program_) CHECK(rejection(try_submit()) == ErrorKind::DeviceLost);
        if (in_) {
            CHECK(error_of(write(0)) == ErrorKind::DeviceLost);
            kept(provider_->free_buffer(std::move(in_)), in_);
        }
        if (out_) CHECK(error_of(read()) == ErrorKind::DeviceLost);
        kept(provider_->destroy_queue(std::move(queue_)), queue_);
        kept(provider_->destroy_context(std::move(context_)), context_);
    }

    template <class T>
    static void released(provider::ReleaseResult<T> result) {
        REQUIRE(std::holds_alternative<provider::Released>(result));
    }
    template <class T>
    static void kept(provider::ReleaseResult<T> result, std::unique_ptr<T>& back) {
        auto* rejected = std::get_if<provider::ReleaseRejected<T>>(&result);
        REQUIRE(rejected);
        CHECK(rejected->error.kind == ErrorKind::DeviceLost);
        back = std::move(rejected->resource);
    }

    Options options_ = Shimmed::options();
    std::mutex mutex_;
    std::vector<std::string> messages_;  // by mutex_
    std::vector<Error> errors_;
    unsigned failures_ = 0;
    std::vector<bool> losses_;
    std::unique_ptr<provider::Provider> provider_;
    std::unique_ptr<provider::Context> context_;
    std::unique_ptr<provider::Queue> queue_;
    std::unique_ptr<provider::Buffer> in_, out_;
    std::unique_ptr<provider::Program> program_;
    std::unique_ptr<provider::Event> event_;
};

}  // namespace vulkan::test
