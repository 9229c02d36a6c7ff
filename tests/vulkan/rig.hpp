// SPDX-License-Identifier: MIT
//
// A device under the validation layer, with a context and a queue. What a case leaves
// alive, and every message of the layer, fails it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "provider/answers.hpp"
#include "tosa/graph_builder.hpp"
#include "tosa/target.hpp"
#include "vulkan/provider.hpp"
#include "vulkan/test_device.hpp"
#include "vulkan/vulkan.hpp"

namespace vulkan::test {

using provider::Access;
using provider::Binding;
using provider::EventPhase;
using provider::EventState;
using provider::test::error_of;
using provider::test::rejection;
using tosa::test::GraphBuilder;
using Bytes = std::vector<std::byte>;
using Floats = std::vector<float>;

inline constexpr std::uint32_t kEveryUsage = 0x1F;

class Source final : public provider::ByteSource {
 public:
    explicit Source(Bytes bytes) : bytes_(std::move(bytes)) {}
    std::uint64_t size() const override { return bytes_.size(); }
    Result<void> read(std::uint64_t offset, std::span<std::byte> to) override {
        if (offset > bytes_.size() || to.size() > bytes_.size() - offset)
            return std::unexpected(ErrorKind::OutOfBounds);
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
        return {};
    }

 private:
    Bytes bytes_;
};

class Sink final : public provider::ByteSink {
 public:
    explicit Sink(std::size_t size) : bytes(size, std::byte{0xEE}) {}
    std::uint64_t size() const override { return bytes.size(); }
    Result<void> write(std::uint64_t offset, std::span<const std::byte> from) override {
        if (offset > bytes.size() || from.size() > bytes.size() - offset)
            return std::unexpected(ErrorKind::OutOfBounds);
        std::ranges::copy(from, bytes.begin() + static_cast<std::ptrdiff_t>(offset));
        return {};
    }
    Bytes bytes;
};

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
    const auto view = std::as_bytes(std::span(values));
    return {view.begin(), view.end()};
}

template <class T>
std::vector<T> values_of(const Bytes& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

class Rig {
 public:
    explicit Rig(Options options = {}) {
        options.self_test = false;  // hundreds of cases open the device
        options.name = device_name();
        if (options.loader.empty()) options.loader = loader_name();
        options.on_validation_message = [this](std::string_view message) {
            const std::scoped_lock lock(mutex_);
            messages_.emplace_back(message);
        };
        auto opened = open(options);
        REQUIRE_MESSAGE(opened, opened.error_or(""));
        provider_ = std::move(*opened);
        context = make(provider_->create_context(0));
        queue = make(provider_->create_queue(*context, 0));
    }
    ~Rig() {
        if (queue) released(provider_->destroy_queue(std::move(queue)));
        if (context) released(provider_->destroy_context(std::move(context)));
        if (provider_) {
            CHECK(provider_->copy_counters().staged_direct_bindings == 0);
            CHECK(provider_->copy_counters().staged_direct_bytes == 0);
        }
        provider_.reset();
        for (const auto& message : messages_)
            FAIL_CHECK(message);
    }
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    [[nodiscard]] provider::Provider& operator*() const { return *provider_; }
    [[nodiscard]] provider::Provider* operator->() const { return provider_.get(); }
    [[nodiscard]] Device& device() const {
        return static_cast<VulkanProvider&>(*provider_).device();
    }

    template <class T>
    static std::unique_ptr<T> make(Result<std::unique_ptr<T>> made) {
        REQUIRE(made);
        return std::move(*made);
    }
    template <class T>
    static void released(provider::ReleaseResult<T> result) {
        CHECK(std::holds_alternative<provider::Released>(result));
    }

    std::unique_ptr<provider::Buffer> buffer(std::uint64_t bytes,
                                             MemoryDomain domain = MemoryDomain::Host,
                                             std::uint32_t usage = kEveryUsage) {
        return make(provider_->allocate_buffer(
            *context, {.bytes = bytes, .alignment = 16, .domain = domain, .usage = usage}));
    }
    std::unique_ptr<provider::Buffer> buffer(const Bytes& bytes,
                                             MemoryDomain domain = MemoryDomain::Host) {
        auto made = buffer(bytes.size(), domain);
        write(*made, 0, bytes);
        return made;
    }
    void write(provider::Buffer& to, std::uint64_t offset, const Bytes& bytes) {
        Source source(bytes);
        REQUIRE(provider_->write_buffer(to, offset, source));
    }
    Bytes read(provider::Buffer& from, std::uint64_t offset, std::size_t bytes) {
        Sink sink(bytes);
        REQUIRE(provider_->read_buffer(from, offset, sink));
        return sink.bytes;
    }
    void free(std::unique_ptr<provider::Buffer> made) {
        released(provider_->free_buffer(std::move(made)));
    }

    Result<std::unique_ptr<provider::Program>> try_load(const Bytes& file,
                                                        std::uint64_t resident_bytes = ~0ULL) {
        Source source(file);
        return provider_->load_program(*context,
                                       {.format = tosa::kFormat,
                                        .target = tosa::encode_target(kTarget),
                                        .resident_bytes = resident_bytes},
                                       source);
    }
    std::unique_ptr<provider::Program> load(const GraphBuilder& graph) {
        return make(try_load(graph.file()));
    }
    void unload(std::unique_ptr<provider::Program> program) {
        released(provider_->unload_program(std::move(program)));
    }

    provider::SubmitResult try_submit(provider::Program& program,
                                      const std::vector<Binding>& bindings,
                                      std::uint64_t timeout_ns = 0) {
        return provider_->submit(*queue, program, bindings, timeout_ns);
    }
    std::unique_ptr<provider::Event> submit(provider::Program& program,
                                            const std::vector<Binding>& bindings,
                                            std::uint64_t timeout_ns = 0) {
        auto result = try_submit(program, bindings, timeout_ns);
        REQUIRE(std::holds_alternative<provider::Accepted>(result));
        return std::move(std::get<provider::Accepted>(result).event);
    }
    EventState poll(provider::Event& event) {
        const auto state = provider_->poll_event(event);
        REQUIRE(state);
        return *state;
    }
    EventState wait(provider::Event& event) {
        EventState state;
        while (!(state = poll(event)).terminal())
            std::this_thread::yield();
        return state;
    }
    void finish(std::unique_ptr<provider::Event> event) {
        CHECK(wait(*event).phase == EventPhase::Complete);
        released(provider_->destroy_event(std::move(event)));
    }

    // Loads, binds whole buffers, runs once, and returns what the outputs hold.
    std::vector<Bytes> run(const Bytes& file, const std::vector<Bytes>& inputs,
                           const std::vector<std::size_t>& output_bytes,
                           MemoryDomain domain = MemoryDomain::Host) {
        auto program = make(try_load(file));
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<Binding> bindings;
        const auto bind = [&](std::unique_ptr<provider::Buffer> made, Access access) {
            bindings.push_back({made.get(), 0, made->info().desc.bytes,
                                static_cast<std::uint32_t>(bindings.size()), access});
            buffers.push_back(std::move(made));
        };
        for (const Bytes& input : inputs)
            bind(buffer(input, domain), Access::Read);
        for (const std::size_t bytes : output_bytes)
            bind(buffer(bytes, domain), Access::Write);
        finish(submit(*program, bindings));

        std::vector<Bytes> outputs;
        for (std::size_t i = inputs.size(); i < buffers.size(); ++i)
            outputs.push_back(read(*buffers[i], 0, output_bytes[i - inputs.size()]));
        for (auto& made : buffers)
            free(std::move(made));
        unload(std::move(program));
        return outputs;
    }
    Floats run(const GraphBuilder& graph, const std::vector<Floats>& inputs,
               std::size_t output_elements, MemoryDomain domain = MemoryDomain::Host) {
        std::vector<Bytes> bytes;
        for (const Floats& input : inputs)
            bytes.push_back(bytes_of(input));
        return values_of<float>(run(graph.file(), bytes, {output_elements * 4}, domain)[0]);
    }

    std::unique_ptr<provider::Context> context;
    std::unique_ptr<provider::Queue> queue;

 private:
    std::mutex mutex_;
    std::vector<std::string> messages_;
    std::unique_ptr<provider::Provider> provider_;
};

}  // namespace vulkan::test
