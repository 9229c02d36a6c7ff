// SPDX-License-Identifier: MIT
#include "bench/vulkan/session.hpp"

#include <algorithm>
#include <format>
#include <stdexcept>

#include "bench/vulkan/samples.hpp"

namespace vulkan::bench {
namespace {

using provider::ErrorKind;

template <class T>
T must(provider::Result<T> result, const char* what) {
    if (!result)
        throw std::runtime_error(
            std::format("{} failed: {}", what, provider::name(result.error().kind)));
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// What a provider says of programs that it has no kernels or no room for.
bool not_taken(ErrorKind kind) {
    return kind == ErrorKind::Unsupported || kind == ErrorKind::Incompatible ||
           kind == ErrorKind::ResourceLimit || kind == ErrorKind::OutOfMemory;
}

}  // namespace

Session::Session(const Open& open) {
    auto opened = open([this](std::string_view why) { refusal_ = why; });
    if (!opened) throw std::runtime_error(opened.error());
    provider_ = std::move(*opened);
    context_ = must(provider_->create_context(0), "creating a context");
    queue_ = must(provider_->create_queue(*context_, 0), "creating a queue");
}

Session::~Session() {
    (void)provider_->destroy_queue(std::move(queue_));
    (void)provider_->destroy_context(std::move(context_));
}

std::expected<std::unique_ptr<provider::Program>, std::string> Session::load(const Case& what) {
    refusal_.clear();
    provider::SpanSource source(what.program);
    auto loaded = provider_->load_program(*context_,
                                          {.format = tosa::kFormat,
                                           .target = tosa::encode_target(what.target),
                                           .resident_bytes = ~std::uint64_t{0}},
                                          source);
    if (loaded) return std::move(*loaded);
    const ErrorKind kind = loaded.error().kind;
    if (!not_taken(kind)) must(std::move(loaded), "loading a program");
    return std::unexpected(
        std::format("{}{}{}", provider::name(kind), refusal_.empty() ? "" : ": ", refusal_));
}

bool Session::offers(MemoryDomain domain) const {
    const std::uint64_t needed = domain == MemoryDomain::Host     ? provider::kCapHostVisibleMemory
                                 : domain == MemoryDomain::Shared ? provider::kCapSharedMemory
                                                                  : provider::kCapDeviceLocalMemory;
    return (provider_->device_info().capabilities & needed) != 0;
}

std::unique_ptr<provider::Buffer> Session::allocate(std::uint64_t bytes, MemoryDomain domain) {
    constexpr std::uint32_t kUsage = provider::kUsageTransferSource |
                                     provider::kUsageTransferDestination |
                                     provider::kUsageProgramInput | provider::kUsageProgramOutput;
    return must(
        provider_->allocate_buffer(
            *context_, {.bytes = bytes, .alignment = 16, .domain = domain, .usage = kUsage}),
        "allocating a buffer");
}

void Session::write(provider::Buffer& to, const Bytes& contents) {
    provider::SpanSource source(contents);
    must(provider_->write_buffer(to, 0, source), "writing a buffer");
}

void Session::read(provider::Buffer& from, Bytes& contents) {
    provider::SpanSink sink(contents);
    must(provider_->read_buffer(from, 0, sink), "reading a buffer");
}

Job::Job(Session& session, std::unique_ptr<provider::Program> program, const Case& what,
         MemoryDomain domain)
    : session_(session), program_(std::move(program)), inputs_(what.inputs.size()) {
    for (const auto* tensors : {&what.inputs, &what.outputs})
        for (const Tensor& tensor : *tensors) {
            const bool input = tensors == &what.inputs;
            auto buffer = session.allocate(tensor.data.size(), domain);
            if (input) session.write(*buffer, tensor.data);
            bindings_.push_back(
                {.buffer = buffer.get(),
                 .bytes = tensor.data.size(),
                 .slot = static_cast<std::uint32_t>(bindings_.size()),
                 .access = input ? provider::Access::Read : provider::Access::Write});
            buffers_.push_back(std::move(buffer));
        }
}

Job::~Job() {
    (void)session_.provider().unload_program(std::move(program_));
    for (auto& buffer : buffers_)
        (void)session_.provider().free_buffer(std::move(buffer));
}

std::unique_ptr<provider::Event> Job::submit() {
    auto result = session_.provider().submit(session_.queue(), *program_, bindings_, 0);
    if (auto* accepted = std::get_if<provider::Accepted>(&result))
        return std::move(accepted->event);
    throw std::runtime_error("a submission was not accepted");
}

void Job::finish(std::unique_ptr<provider::Event> event) {
    provider::EventState state;
    wait_until([&] {
        state = must(session_.provider().poll_event(*event), "polling");
        return state.terminal();
    });
    if (state.phase != provider::EventPhase::Complete)
        throw std::runtime_error(
            std::format("a submission failed: {}", provider::name(state.error.kind)));
    release(session_.provider().destroy_event(std::move(event)), "an event");
}

std::vector<Bytes> Job::outputs() {
    std::vector<Bytes> contents;
    for (std::size_t i = inputs_; i < buffers_.size(); ++i) {
        contents.emplace_back(bindings_[i].bytes);
        session_.read(*buffers_[i], contents.back());
    }
    return contents;
}

}  // namespace vulkan::bench
