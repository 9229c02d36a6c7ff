// SPDX-License-Identifier: MIT
//
// A kernel with virtio-accel devices, behind libaccel's door. It keeps real handle
// tables (lowest free number first, as the kernel does, so that a stale handle soon
// names something else), follows the errno rules of <drm/virtio_accel.h>, and hands
// out memfds as device files. No time passes in it: a wait that cannot end now has
// reached its deadline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "accel/accel.hpp"

namespace fake {

class File;

enum class Call : std::uint8_t {
    Open,
    Close,
    Version,
    DevQuery,
    CtxCreate,
    CtxDestroy,
    BufCreate,
    BufClose,
    BufWrite,
    BufRead,
    ProgLoad,
    ProgUnload,
    QueueCreate,
    QueueDestroy,
    Submit,
    EventWait,
    EventCancel,
    EventDestroy,
    Unknown,
};

struct Program {
    std::uint32_t format = 0;
    std::array<std::uint32_t, 12> target{};
    std::vector<std::byte> bytes;
    std::uint64_t resident_bytes = 0;
};

struct Bound {
    std::uint32_t slot = 0;
    accel::Access access = accel::Access::Read;
    std::span<std::byte> bytes;
};

// How the device behaves, for a test to change.
struct Behaviour {
    accel::DeviceInfo info;
    std::uint64_t longest_transfer = UINT64_MAX;  // as if a signal ended longer ones
    accel::Status admission = accel::Status::Ok;
    bool hold = false;  // submissions stay pending until end_pending()

    std::function<int(const Program&)> load = [](const Program&) { return 0; };  // 0 or errno
    std::function<accel::EventState(const Program&, std::span<const Bound>)> run =
        [](const Program&, std::span<const Bound>) {
            return accel::EventState{.phase = accel::EventState::Phase::Complete};
        };
};

struct Wait {
    accel::Deadline deadline;
    bool timed_out = false;
};

// What is alive, over all files. `held` counts events whether or not they have a handle.
struct Live {
    std::size_t files = 0, contexts = 0, buffers = 0, programs = 0, queues = 0, events = 0,
                held = 0;
    friend bool operator==(const Live&, const Live&) = default;
};

class Kernel final : public accel::Kernel {
 public:
    Kernel();  // with /dev/accel/accel0, a virtio-accel device with everything
    ~Kernel() override;

    int open(const char* path, int flags) noexcept override;
    int ioctl(int fd, unsigned long request, void* argument) noexcept override;
    int close(int fd) noexcept override;

    // The n-th such call from now fails (1: the next).
    void fail(Call call, unsigned nth, int error);
    // The next calls of this kind are interrupted by a signal.
    void interrupt(Call call, unsigned times);
    // Ends what is pending, and what was detached is released.
    void end_pending(accel::EventState state);

    [[nodiscard]] unsigned count(Call call) const;  // calls made, failed ones included
    [[nodiscard]] Live live() const;

    std::map<std::string, std::string> nodes;  // path to driver name
    Behaviour device;
    Wait last_wait;

 private:
    [[nodiscard]] int fault(Call call);

    struct Fault {
        Call call;
        unsigned nth;
        int error;
    };
    std::vector<Fault> faults_;
    std::map<Call, unsigned> counts_;
    std::map<int, std::unique_ptr<File>> files_;
};

}  // namespace fake
