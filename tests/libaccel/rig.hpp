// SPDX-License-Identifier: MIT
//
// One open device of a fake kernel with one of each object, and a check at the end
// that nothing is left alive.
#pragma once

#include <array>
#include <ostream>
#include <utility>

#include <doctest/doctest.h>

#include "fake_kernel.hpp"

namespace fake {

inline std::ostream& operator<<(std::ostream& out, const Live& live) {
    return out << "files " << live.files << " contexts " << live.contexts << " buffers "
               << live.buffers << " programs " << live.programs << " queues " << live.queues
               << " events " << live.events << " pending " << live.pending << " syncobjs "
               << live.syncobjs << " sync_files " << live.sync_files;
}

// The value of a result that must have one.
template <class T>
T must(accel::Result<T> result) {
    REQUIRE_MESSAGE(result.has_value(), result.error().message());
    return std::move(*result);
}

// 0 or the errno of a result.
template <class T>
int code(const accel::Result<T>& result) {
    return result ? 0 : result.error().code;
}

// Declared after the kernel and before its objects, it looks when they are gone.
class NothingLeft {
 public:
    explicit NothingLeft(Kernel& kernel) : kernel_(kernel) {}
    NothingLeft(const NothingLeft&) = delete;
    NothingLeft& operator=(const NothingLeft&) = delete;
    ~NothingLeft() { CHECK(kernel_.live() == Live{}); }

 private:
    Kernel& kernel_;
};

inline constexpr accel::BufferDesc kBuffer{
    .size = 64,
    .domain = accel::Domain::Shared,
    .usage = accel::Usage::TransferSource | accel::Usage::TransferDestination |
             accel::Usage::ProgramInput | accel::Usage::ProgramOutput};

inline constexpr std::array<std::byte, 8> kArtifactBytes{};
inline constexpr accel::Artifact kArtifact{
    .format = 0x544F5341, .target = {}, .bytes = kArtifactBytes, .resident_bytes = 4096};

struct Rig {
    Kernel kernel;
    NothingLeft nothing_left{kernel};
    accel::Device device = must(accel::Device::open(kernel));
    accel::Context context = must(device.create_context());
    accel::Buffer input = must(context.create_buffer(kBuffer));
    accel::Buffer output = must(context.create_buffer(kBuffer));
    accel::Program program = must(context.load_program(kArtifact));
    accel::Queue queue = must(context.create_queue());

    [[nodiscard]] std::array<accel::Binding, 2> bindings() const {
        return {accel::Binding{&input, 0, accel::Access::Read, 0, input.size()},
                accel::Binding{&output, 1, accel::Access::Write, 0, output.size()}};
    }
    [[nodiscard]] accel::Result<accel::Submission> submit(
        const accel::SubmitOptions& options = {.timeout = std::chrono::seconds(1)}) const {
        return queue.submit(program, bindings(), options);
    }
};

}  // namespace fake
