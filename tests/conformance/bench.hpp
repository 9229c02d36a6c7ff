// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/target.hpp"

namespace conformance {

// Why a case fails. The first ends it.
class Failure : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& what) {
    if (!holds) throw Failure(what);
}

inline constexpr std::uint32_t kTransfers =
    provider::kUsageTransferSource | provider::kUsageTransferDestination;
inline constexpr std::uint32_t kEveryUsage = kTransfers | provider::kUsageProgramInput |
                                             provider::kUsageProgramOutput |
                                             provider::kUsageMutableState;

// The target's program, loaded, and its fixtures, filled and bound.
struct Work {
    provider::Queue* queue = nullptr;
    provider::Program* program = nullptr;
    std::vector<provider::Binding> bindings;
};

// The workplace of one case: a fresh provider, and everything that the case has made of
// it, which is released at the end. References stay valid until then.
class Bench {
 public:
    explicit Bench(const Target& target) : target_(target), subject_(target.open()) {}

    [[nodiscard]] const Target& target() const { return target_; }
    [[nodiscard]] Subject& subject() { return *subject_; }
    [[nodiscard]] provider::Provider& provider() { return subject_->provider(); }
    // The first fixture that is written.
    [[nodiscard]] std::size_t primary() const;
    [[nodiscard]] provider::BufferDesc desc(std::uint32_t usage) const;  // as the primary's

    provider::Context& context();
    provider::Buffer& buffer(provider::Context& context, const provider::BufferDesc& desc);
    provider::Program& load(provider::Context& context);
    provider::Queue& queue(provider::Context& context);
    std::vector<provider::Binding> bind_fixtures(provider::Context& context);
    Work work();

    // Held pending, if it is accepted.
    provider::Event& submit(const Work& work);
    [[nodiscard]] provider::SubmitResult try_submit(const Work& work, std::uint64_t timeout_ns = 0);
    void require_rejected(const Work& work, provider::ErrorKind kind, const std::string& what);

    [[nodiscard]] provider::EventState poll(provider::Event& event);
    void require_twice(provider::Event& event, provider::EventPhase phase);
    void require_expected(const Work& work);
    void require_nothing_live(const std::string& when);

    // What the provider has given belongs to the bench.
    template <class T>
    T& own(std::unique_ptr<T> object) {
        require(object != nullptr, "an object is null");
        return *owned(object.get()).emplace_back(std::move(object));
    }
    [[nodiscard]] std::unique_ptr<provider::Event> take(provider::Event& event);
    void destroy(provider::Event& event);

    // Children first. A release that is rejected is tried once more; one that is
    // indeterminate is not.
    void release_all();

 private:
    template <class T>
    using Owned = std::vector<std::unique_ptr<T>>;

    Owned<provider::Context>& owned(const provider::Context*) { return contexts_; }
    Owned<provider::Buffer>& owned(const provider::Buffer*) { return buffers_; }
    Owned<provider::Program>& owned(const provider::Program*) { return programs_; }
    Owned<provider::Queue>& owned(const provider::Queue*) { return queues_; }
    Owned<provider::Event>& owned(const provider::Event*) { return events_; }

    template <class T>
    void release(std::unique_ptr<T> object,
                 provider::ReleaseResult<T> (provider::Provider::*call)(std::unique_ptr<T>));
    template <class T>
    void release_each(Owned<T>& objects,
                      provider::ReleaseResult<T> (provider::Provider::*call)(std::unique_ptr<T>));

    const Target& target_;
    // What could not be released goes after its provider.
    Owned<provider::Context> contexts_;
    Owned<provider::Buffer> buffers_;
    Owned<provider::Program> programs_;
    Owned<provider::Queue> queues_;
    Owned<provider::Event> events_;
    std::unique_ptr<Subject> subject_;
};

// The value of a call that has to succeed.
template <class T>
T value(provider::Result<T> result, const std::string& call) {
    require(result.has_value(),
            result.has_value() ? "" : call + " fails: " + std::string(name(result.error().kind)));
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

template <class T>
void require_error(const provider::Result<T>& result, provider::ErrorKind kind,
                   const std::string& what) {
    require(!result.has_value(), what + " succeeds");
    require(result.error().kind == kind, what + " is " + std::string(name(result.error().kind)) +
                                             ", not " + std::string(name(kind)));
}

}  // namespace conformance
