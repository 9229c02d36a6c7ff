// SPDX-License-Identifier: MIT
//
// A whole life of the provider: opened, memory, a program, a run, and all of it released.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "provider/bytes.hpp"
#include "xdna/double/binaries.hpp"
#include "xdna/xdna.hpp"

namespace xdna::sweep {

using Bytes = std::vector<std::byte>;

// What became of it.
struct Story {
    std::optional<std::string> not_opened;  // why
    std::vector<Error> errors;
    bool complete = false;  // the run, by its event
    bool pending = false;   // the same, at the end
    Bytes result;           // if it was read
    bool lost_wedged = false;
    int losses = 0;
};

class Life {
 public:
    Life(const Spec& spec, std::vector<Bytes> inputs, Options options)
        : spec_(spec), inputs_(std::move(inputs)), options_(std::move(options)) {
        const auto program = std::filesystem::read_symlink("/proc/self/exe");
        options_.library = program.parent_path() / "../../../host/xdna/xrt/libvirtio-accel-xrt.so";
        options_.raw_binaries = true;
        options_.device_lost = [this](bool wedged) {
            ++story_.losses;
            story_.lost_wedged = wedged;
        };
    }

    [[nodiscard]] Story live() {
        auto opened = open(options_);
        if (!opened) {
            story_.not_opened = opened.error();
            return story_;
        }
        provider_ = std::move(*opened);
        if (prepare() && submit()) finish();
        release();
        return story_;
    }

 private:
    // Takes what was made, or notes why it was not.
    template <class T>
    bool take(Result<T> made, T& to) {
        if (!made) return note(made.error());
        to = std::move(*made);
        return true;
    }
    bool done(const Result<void>& result) { return result ? true : note(result.error()); }
    bool note(const Error& error) {
        story_.errors.push_back(error);
        return false;
    }

    bool prepare() {
        if (!take(provider_->create_context(0), context_)) return false;
        const auto shapes = slots(spec_);
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (!take(provider_->allocate_buffer(*context_,
                                                 {.bytes = shapes[i].bytes, .usage = 0x1F}),
                      buffers_.emplace_back()))
                return false;
            if (i >= inputs_.size()) continue;
            provider::SpanSource source(inputs_[i]);
            if (!done(provider_->write_buffer(*buffers_[i], 0, source))) return false;
        }
        const Bytes file = to_container(xrt_double::binary(spec_));
        provider::SpanSource source(file);
        return take(
                   provider_->load_program(
                       *context_,
                       {.format = kBinaryFormat, .target = {}, .resident_bytes = ~std::uint64_t{0}},
                       source),
                   program_) &&
               take(provider_->create_queue(*context_, 0), queue_);
    }

    bool submit() {
        std::vector<provider::Binding> bindings;
        for (std::uint32_t slot = 0; slot < buffers_.size(); ++slot)
            bindings.push_back(
                {buffers_[slot].get(), 0, buffers_[slot]->info().desc.bytes, slot,
                 slot < inputs_.size() ? provider::Access::Read : provider::Access::Write});
        auto result = provider_->submit(*queue_, *program_, bindings, 0);
        if (const auto* rejected = std::get_if<provider::SubmitRejected>(&result))
            return note(rejected->error);
        if (auto* unknown = std::get_if<provider::SubmitUnknown>(&result)) {
            event_ = std::move(unknown->event);
            return note(unknown->error);
        }
        event_ = std::move(std::get<provider::Accepted>(result).event);
        return true;
    }

    void finish() {
        auto state = provider_->poll_event(*event_);
        while (state && !state->terminal()) {
            std::this_thread::yield();
            state = provider_->poll_event(*event_);
        }
        story_.pending = !state;
        if (!state) {
            note(state.error());
            return;
        }
        story_.complete = state->phase == provider::EventPhase::Complete;
        if (!story_.complete) note(state->error);
        Bytes bytes(buffers_.back()->info().desc.bytes);
        provider::SpanSink sink(bytes);
        if (done(provider_->read_buffer(*buffers_.back(), 0, sink))) story_.result = bytes;
    }

    // In order, and what is refused is left to destructors: after the provider's own.
    void release() {
        give_back(&provider::Provider::destroy_event, event_);
        give_back(&provider::Provider::destroy_queue, queue_);
        give_back(&provider::Provider::unload_program, program_);
        for (auto& buffer : buffers_)
            give_back(&provider::Provider::free_buffer, buffer);
        give_back(&provider::Provider::destroy_context, context_);
        provider_.reset();
    }
    template <class Call, class T>
    void give_back(Call call, std::unique_ptr<T>& object) {
        if (!object) return;
        auto result = (*provider_.*call)(std::move(object));
        auto* rejected = std::get_if<provider::ReleaseRejected<T>>(&result);
        if (!rejected) return;
        note(rejected->error);
        object = std::move(rejected->resource);
    }

    Spec spec_;
    std::vector<Bytes> inputs_;
    Options options_;
    Story story_;
    std::unique_ptr<provider::Context> context_;
    std::vector<std::unique_ptr<provider::Buffer>> buffers_;
    std::unique_ptr<provider::Program> program_;
    std::unique_ptr<provider::Queue> queue_;
    std::unique_ptr<provider::Event> event_;
    std::unique_ptr<provider::Provider> provider_;  // goes first
};

}  // namespace xdna::sweep
