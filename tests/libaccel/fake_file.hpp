// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <drm/virtio_accel.h>

#include "fake_kernel.hpp"

namespace fake {

template <class T>
T* user_pointer(std::uint64_t address) {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
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
    File(Behaviour& device, Wait& last_wait, std::string driver);

    [[nodiscard]] int ioctl(Call call, void* argument);
    void end_pending(accel::EventState state);
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
        std::shared_ptr<Program> program;
        std::vector<std::shared_ptr<Buffer>> buffers;
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
    int bind(const drm_virtio_accel_submit& arg, std::uint32_t context, Submission& submission,
             std::vector<Bound>& bound);
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
    std::vector<std::shared_ptr<Submission>> submissions_;      // that hold their objects
};

}  // namespace fake
