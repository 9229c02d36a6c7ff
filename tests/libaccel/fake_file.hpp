// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <drm/virtio_accel.h>

#include "fake_fence.hpp"
#include "fake_kernel.hpp"

namespace fake {

template <class T>
T* user_pointer(std::uint64_t address) {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

template <class T>
T& as(void* argument) {
    return *static_cast<T*>(argument);
}

template <class T>
std::uint32_t lowest_free(const std::map<std::uint32_t, T>& table) {
    std::uint32_t handle = 1;
    while (table.contains(handle))
        ++handle;
    return handle;
}

inline int check_range(std::uint64_t offset, std::uint64_t size, std::uint64_t whole) {
    if (offset > ~std::uint64_t{0} - size) return EINVAL;
    return offset + size <= whole ? 0 : ERANGE;
}

// The objects behind one open device file, and the ioctls on it. Every handler
// returns 0 or an errno.
class File {
 public:
    File(Behaviour& device, Wait& last_wait, SyncFiles& sync_files, std::string driver);
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();

    [[nodiscard]] int ioctl(Call call, void* argument);
    [[nodiscard]] bool readable() const { return !done_.empty(); }
    std::size_t read(std::span<std::byte> memory);
    void end_pending(accel::EventState state);
    // Gives to the device what waits for nothing any more. Whether there was any.
    bool start_ready();
    void fire_eventfds() { syncobjs_.fire_eventfds(); }
    void add_to(Live& live) const;

 private:
    struct Context {};
    struct Buffer {
        std::uint32_t context;
        std::uint32_t usage;
        std::vector<std::byte> bytes;
    };
    struct Loaded {
        std::uint32_t context;
        std::shared_ptr<Program> program;
    };
    struct Queue {
        std::uint32_t context;
    };
    struct Submission {
        std::uint32_t context = 0;
        std::shared_ptr<Program> program;
        std::vector<std::shared_ptr<Buffer>> buffers;
        std::vector<Bound> bound;
        std::vector<FencePtr> wait_for;
        FencePtr fence;  // null if it signals nothing
        std::optional<std::uint64_t> cookie;
        std::uint32_t event = 0;  // 0: detached
        bool started = false;
        accel::EventState state;
    };
    struct Event {
        std::uint32_t context;
        std::shared_ptr<Submission> submission;
    };
    using Object = std::variant<Context, Loaded, Queue, Event>;

    template <class T>
    T* find(std::uint32_t handle) {
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : std::get_if<T>(&found->second);
    }
    template <class T>
    [[nodiscard]] std::size_t count() const;
    std::uint32_t add(Object object);
    std::shared_ptr<Buffer> find_buffer(std::uint32_t handle);
    [[nodiscard]] bool held(const Buffer& buffer) const;

    int version(drm_version& arg) const;
    int dev_query(drm_virtio_accel_dev_query& arg) const;
    int ctx_create(drm_virtio_accel_ctx_create& arg);
    int ctx_destroy(const drm_virtio_accel_ctx_destroy& arg);
    int buf_create(drm_virtio_accel_buf_create& arg);
    int buf_close(const drm_gem_close& arg);
    int buf_transfer(drm_virtio_accel_buf_transfer& arg, bool write);
    int prog_load(drm_virtio_accel_prog_load& arg);
    int queue_create(drm_virtio_accel_queue_create& arg);
    int bind(const drm_virtio_accel_submit& arg, Submission& submission);
    int find_wait_for(const drm_virtio_accel_submit& arg, Submission& submission) const;
    int check_signal(const drm_virtio_accel_submit& arg) const;
    void put_signal(const drm_virtio_accel_submit& arg, const FencePtr& fence);
    [[nodiscard]] std::size_t notifications() const;
    void finish(Submission& submission, accel::EventState state);
    int submit(drm_virtio_accel_submit& arg);
    int event_wait(const drm_virtio_accel_event_wait& arg);
    int event_cancel(const drm_virtio_accel_event_cancel& arg);
    int event_destroy(const drm_virtio_accel_event_destroy& arg);
    template <class T>
    int destroy(std::uint32_t handle, std::uint32_t pad);

    Behaviour& device_;
    Wait& last_wait_;
    std::string driver_;
    std::map<std::uint32_t, Object> objects_;
    std::map<std::uint32_t, std::shared_ptr<Buffer>> buffers_;  // GEM has a table of its own
    std::vector<std::shared_ptr<Submission>> submissions_;      // that are pending
    std::deque<drm_virtio_accel_event_done> done_;
    Syncobjs syncobjs_;
};

}  // namespace fake
