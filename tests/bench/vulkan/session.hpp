// SPDX-License-Identifier: MIT
//
// Programs on a provider. What goes wrong, other than that the provider does not take a
// program, ends the bench with an exception.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/vulkan/case.hpp"
#include "provider/provider.hpp"
#include "provider/tosa_artifact.hpp"

namespace vulkan::bench {

using provider::MemoryDomain;

// A provider with a context and a queue.
class Session {
 public:
    using Open = std::function<std::expected<std::unique_ptr<provider::Provider>, std::string>(
        provider::ProgramRefused)>;

    explicit Session(const Open& open);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] provider::Provider& provider() const { return *provider_; }
    [[nodiscard]] provider::Queue& queue() const { return *queue_; }

    // The error is why the provider does not take it.
    [[nodiscard]] std::expected<std::unique_ptr<provider::Program>, std::string> load(
        const Case& what);

    [[nodiscard]] bool offers(MemoryDomain domain) const;
    [[nodiscard]] std::unique_ptr<provider::Buffer> allocate(std::uint64_t bytes,
                                                             MemoryDomain domain);
    void write(provider::Buffer& to, const Bytes& contents);
    void read(provider::Buffer& from, Bytes& contents);

 private:
    std::string refusal_;
    std::unique_ptr<provider::Provider> provider_;
    std::unique_ptr<provider::Context> context_;
    std::unique_ptr<provider::Queue> queue_;
};

// A program of a session with its buffers, all of which it owns.
class Job {
 public:
    Job(Session& session, std::unique_ptr<provider::Program> program, const Case& what,
        MemoryDomain domain);
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    [[nodiscard]] std::unique_ptr<provider::Event> submit();
    void finish(std::unique_ptr<provider::Event> event);
    void run() { finish(submit()); }

    [[nodiscard]] std::vector<Bytes> outputs();

 private:
    Session& session_;
    std::unique_ptr<provider::Program> program_;
    std::vector<std::unique_ptr<provider::Buffer>> buffers_;  // inputs first
    std::vector<provider::Binding> bindings_;
    std::size_t inputs_;
};

// Ends the bench if the release was refused.
template <class T>
void release(provider::ReleaseResult<T> result, const char* what) {
    if (!std::holds_alternative<provider::Released>(result))
        throw std::runtime_error(std::string("the provider keeps ") + what);
}

}  // namespace vulkan::bench
