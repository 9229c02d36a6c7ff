// SPDX-License-Identifier: MIT
//
// The provider on the double of XRT, with faults and a clock of the test's own between its
// lane and its runtime. What a case leaves alive of XRT fails it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lane/rig.hpp"
#include "provider/answers.hpp"
#include "provider/bytes.hpp"
#include "xdna/double/binaries.hpp"
#include "xdna/double/script.hpp"
#include "xdna/double/store.hpp"
#include "xdna/plugin.hpp"
#include "xdna/provider.hpp"
#include "xdna/runtime.hpp"

namespace xdna::test {

using dispatch::test::until;
using provider::Access;
using provider::Binding;
using provider::EventPhase;
using provider::EventState;
using provider::MemoryDomain;
using provider::test::error_of;
using provider::test::rejection;
using Bytes = std::vector<std::byte>;

inline constexpr std::uint32_t kEveryUsage = 0x1F;
inline constexpr std::uint64_t kNoCeiling = ~std::uint64_t{0};
inline constexpr Spec kCopy = Int8Identity{8};

// As it was built with this program.
inline std::string library() {
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    return program.parent_path() / "../../../host/xdna/xrt/libvirtio-accel-xrt.so";
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
    const auto view = std::as_bytes(std::span(values));
    return {view.begin(), view.end()};
}

// Eight bytes that no other number makes.
inline Bytes payload(std::uint64_t number) {
    return bytes_of<std::uint64_t>({0x9E3779B97F4A7C15 * (number + 1)});
}

// As the engine drops what was never released: after the provider.
template <class... Owner>
void drop(Owner&... owners) {
    (owners.reset(), ...);
}

template <class T>
std::unique_ptr<T> make(Result<std::unique_ptr<T>> made) {
    REQUIRE(made);
    return std::move(*made);
}

template <class T>
void released(provider::ReleaseResult<T> result) {
    CHECK(std::holds_alternative<provider::Released>(result));
}

// The object that a release gives back: the same one.
template <class T>
void busy(provider::ReleaseResult<T> result, std::unique_ptr<T>& resource, const T* was) {
    resource = provider::test::busy(std::move(result));
    CHECK(resource.get() == was);
}

class Rig {
 public:
    explicit Rig(const std::string& script = {}, Options options = {}, bool raw_binaries = true)
        : alive_before_(xrt_double::count("live")), script_(script) {
        auto xrt = load_xrt(library());
        REQUIRE_MESSAGE(xrt, xrt.error_or(""));
        auto npu = (*xrt)->open(0);
        REQUIRE_MESSAGE(npu, npu.error_or(""));
        faults =
            std::make_shared<dispatch::test::FaultyRuntime>(std::make_shared<Runtime>(quarantine));
        auto lane = dispatch::Lane::open(faults, {.watchdog = dispatch::test::kWatchdog,
                                                  .now = [now = now_] { return now->load(); }});
        REQUIRE(lane);
        if (!options.store) options.store = store;
        options.raw_binaries = raw_binaries;
        options.device_lost = [this](bool wedged) {
            ++losses;
            lost_wedged = wedged;
        };
        options.program_refused = [this](std::string_view why) { refusals.emplace_back(why); };
        provider_ = std::make_unique<XdnaProvider>(std::move(*npu), std::move(*lane), quarantine,
                                                   std::move(options));
        context = make(provider_->create_context(0));
        queue = make(provider_->create_queue(*context, 0));
    }
    ~Rig() {
        if (queue) released(provider_->destroy_queue(std::move(queue)));
        if (context) released(provider_->destroy_context(std::move(context)));
        if (provider_) {
            CHECK(provider_->copy_counters().staged_direct_bindings == 0);
            CHECK(provider_->copy_counters().staged_direct_bytes == 0);
            CHECK(provider_->live_contexts() == 0);
        }
        close();
        if (!leaves_behind) CHECK(xrt_double::count("live") == alive_before_);
        CHECK(xrt_double::count("blocked.start") == 0);
        CHECK(xrt_double::count("blocked.destructor") == 0);
    }
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    [[nodiscard]] XdnaProvider* operator->() const { return provider_.get(); }
    [[nodiscard]] XdnaProvider& operator*() const { return *provider_; }
    void close() { provider_.reset(); }
    [[nodiscard]] std::uint64_t alive() const { return xrt_double::count("live") - alive_before_; }
    void pass_watchdog() {
        *now_ = now_->load() + dispatch::test::kWatchdog + std::chrono::nanoseconds(1);
    }

    std::unique_ptr<provider::Buffer> buffer(std::uint64_t bytes, std::uint32_t usage = kEveryUsage,
                                             provider::Context* of = nullptr) {
        return make(
            provider_->allocate_buffer(of ? *of : *context, {.bytes = bytes, .usage = usage}));
    }
    std::unique_ptr<provider::Buffer> buffer(const Bytes& contents) {
        auto made = buffer(contents.size());
        write(*made, 0, contents);
        return made;
    }
    void write(provider::Buffer& to, std::uint64_t offset, const Bytes& bytes) {
        provider::SpanSource source(bytes);
        REQUIRE(provider_->write_buffer(to, offset, source));
    }
    Bytes read(provider::Buffer& from) {
        Bytes bytes(from.info().desc.bytes, std::byte{0xEE});
        provider::SpanSink sink(bytes);
        REQUIRE(provider_->read_buffer(from, 0, sink));
        return bytes;
    }
    // What the host sees of it without another sync.
    static Bytes seen(const provider::Buffer& from) {
        const auto bytes = static_cast<const BufferObject&>(from).storage->memory->bytes();
        return {bytes.begin(), bytes.end()};
    }
    void free(std::unique_ptr<provider::Buffer> made) {
        released(provider_->free_buffer(std::move(made)));
    }

    Result<std::unique_ptr<provider::Program>> try_load(const Bytes& artifact,
                                                        std::uint64_t resident_bytes = kNoCeiling,
                                                        std::uint32_t format = kBinaryFormat,
                                                        const provider::Target& target = {}) {
        provider::SpanSource source(artifact);
        return provider_->load_program(
            *context, {.format = format, .target = target, .resident_bytes = resident_bytes},
            source);
    }
    Result<std::unique_ptr<provider::Program>> try_load(const Spec& spec) {
        return try_load(to_container(xrt_double::binary(spec)));
    }
    std::unique_ptr<provider::Program> load(const Spec& spec = kCopy) {
        return make(try_load(spec));
    }
    void unload(std::unique_ptr<provider::Program> program) {
        released(provider_->unload_program(std::move(program)));
    }

    // Two whole buffers.
    static std::vector<Binding> bind(provider::Buffer& in, provider::Buffer& out) {
        return {{&in, 0, in.info().desc.bytes, 0, Access::Read},
                {&out, 0, out.info().desc.bytes, 1, Access::Write}};
    }
    provider::SubmitResult try_submit(provider::Program& program,
                                      const std::vector<Binding>& bindings,
                                      std::uint64_t timeout_ns = 0) {
        return provider_->submit(*queue, program, bindings, timeout_ns);
    }
    std::unique_ptr<provider::Event> submit(provider::Program& program,
                                            const std::vector<Binding>& bindings) {
        auto result = try_submit(program, bindings);
        REQUIRE(std::holds_alternative<provider::Accepted>(result));
        return std::move(std::get<provider::Accepted>(result).event);
    }
    bool pending(provider::Event& event) {
        const auto state = provider_->poll_event(event);
        return state && state->phase == EventPhase::Pending;
    }
    EventState wait(provider::Event& event) {
        auto state = provider_->poll_event(event);
        for (; state && !state->terminal(); state = provider_->poll_event(event))
            std::this_thread::yield();
        REQUIRE(state);
        return *state;
    }
    void finish(std::unique_ptr<provider::Event> event) {
        CHECK(wait(*event).phase == EventPhase::Complete);
        released(provider_->destroy_event(std::move(event)));
    }

    const std::shared_ptr<Quarantine> quarantine = std::make_shared<Quarantine>();
    const std::shared_ptr<xrt_double::Store> store = std::make_shared<xrt_double::Store>();
    std::shared_ptr<dispatch::test::FaultyRuntime> faults;
    std::unique_ptr<provider::Context> context;
    std::unique_ptr<provider::Queue> queue;
    int losses = 0;
    bool lost_wedged = false;
    bool leaves_behind = false;
    std::vector<std::string> refusals;

 private:
    const std::uint64_t alive_before_;
    xrt_double::Script script_;
    std::shared_ptr<std::atomic<dispatch::Clock::time_point>> now_ =
        std::make_shared<std::atomic<dispatch::Clock::time_point>>();
    std::unique_ptr<XdnaProvider> provider_;
};

// A program's two buffers.
struct Pair {
    explicit Pair(Rig& rig, const Bytes& contents = payload(0))
        : in(rig.buffer(contents)), out(rig.buffer(contents.size())) {}
    [[nodiscard]] std::vector<Binding> bindings() const { return Rig::bind(*in, *out); }
    void free(Rig& rig) {
        rig.free(std::move(in));
        rig.free(std::move(out));
    }

    std::unique_ptr<provider::Buffer> in;
    std::unique_ptr<provider::Buffer> out;
};

// The provider as it is for users.
struct Opening {
    Opening() {
        options.library = library();
        options.store = store;
        options.warning = [this](const std::string& what) { warnings.push_back(what); };
    }
    // The reason why not, or empty.
    std::string open() {
        const auto opened = xdna::open(options);
        return opened ? "" : opened.error();
    }
    std::shared_ptr<xrt_double::Store> store = std::make_shared<xrt_double::Store>();
    Options options;
    std::vector<std::string> warnings;
};

}  // namespace xdna::test
