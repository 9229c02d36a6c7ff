// SPDX-License-Identifier: MIT
//
// A kernel with virtio-accel devices, behind libaccel's door. It keeps real handle
// tables (lowest free number first, as the kernel does, so that a stale handle soon
// names something else), follows the errno rules of docs/uapi.md, and hands out memfds as
// device files and sync_files. No time passes in it: a wait that cannot end now has
// reached its deadline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "accel/accel.hpp"

namespace fake {

class File;
struct Fence;

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
    SyncobjCreate,
    SyncobjDestroy,
    SyncobjWait,
    SyncobjSignal,
    SyncobjTimelineSignal,
    SyncobjQuery,
    SyncobjTransfer,
    SyncobjEventfd,
    SyncobjExport,
    SyncobjImport,
    Read,
    Poll,
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

// The fences behind sync_files, by their descriptors.
using SyncFiles = std::map<int, std::shared_ptr<Fence>>;

// What is alive, over all files. `pending` counts submissions whether or not their events
// have a handle.
struct Live {
    std::size_t files = 0, contexts = 0, buffers = 0, programs = 0, queues = 0, events = 0,
                pending = 0, syncobjs = 0, sync_files = 0;
    friend bool operator==(const Live&, const Live&) = default;
};

class Kernel final : public accel::Kernel {
 public:
    Kernel();  // with /dev/accel/accel0, a virtio-accel device with everything
    ~Kernel() override;

    int open(const char* path, int flags) noexcept override;
    int ioctl(int fd, unsigned long request, void* argument) noexcept override;
    ssize_t read(int fd, void* memory, std::size_t bytes) noexcept override;
    int poll(int fd, const std::timespec* timeout) noexcept override;
    int close(int fd) noexcept override;

    // The n-th such call from now fails (1: the next).
    void fail(Call call, unsigned nth, int error);
    // The next calls of this kind are interrupted by a signal.
    void interrupt(Call call, unsigned times);
    // Ends what the device has, and then starts what waited for that.
    void end_pending(accel::EventState state);

    [[nodiscard]] unsigned count(Call call) const;  // calls made, failed ones included
    [[nodiscard]] Live live() const;

    std::map<std::string, std::string> nodes;  // path to driver name
    Behaviour device;
    Wait last_wait;
    std::optional<std::timespec> last_poll;  // what it would have waited for

 private:
    [[nodiscard]] int fault(Call call);
    void settle();

    struct Fault {
        Call call;
        unsigned nth;
        int error;
    };
    std::vector<Fault> faults_;
    std::map<Call, unsigned> counts_;
    std::map<int, std::unique_ptr<File>> files_;
    SyncFiles sync_files_;
    std::set<int> blocking_;  // files that were opened without O_NONBLOCK
};

}  // namespace fake
