// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <drm/virtio_accel.h>

#include "fake_kernel.hpp"

namespace fake {

// A fence, or, with `of`, the link of a timeline that signals after all before it.
struct Fence {
    bool set = false;
    int error = 0;
    std::shared_ptr<Fence> of;
    std::shared_ptr<Fence> before;

    [[nodiscard]] bool signalled() const {
        return (of ? of->signalled() : set) && (!before || before->signalled());
    }
    [[nodiscard]] int failure() const { return of ? of->failure() : error; }
};
using FencePtr = std::shared_ptr<Fence>;

// The syncobjs of one file, and the ioctls on them.
class Syncobjs {
 public:
    explicit Syncobjs(SyncFiles& sync_files) : sync_files_(sync_files) {}

    [[nodiscard]] int ioctl(Call call, void* argument);
    void fire_eventfds();

    [[nodiscard]] bool contains(std::uint32_t handle) const { return syncobjs_.contains(handle); }
    // Null if there is none yet.
    [[nodiscard]] FencePtr find(std::uint32_t handle, std::uint64_t point) const;
    void put(std::uint32_t handle, std::uint64_t point, FencePtr fence);
    [[nodiscard]] std::size_t size() const { return syncobjs_.size(); }

 private:
    struct Notice {
        std::uint64_t point;
        int eventfd;
    };
    struct Syncobj {
        std::map<std::uint64_t, FencePtr> points;  // 0: the fence of a syncobj without a timeline
        std::vector<Notice> notices;
    };

    int create(drm_syncobj_create& arg);
    int destroy(const drm_syncobj_destroy& arg);
    [[nodiscard]] int wait(const drm_syncobj_timeline_wait& arg) const;
    int signal(std::uint64_t handle_address, std::uint64_t point);
    [[nodiscard]] int query(const drm_syncobj_timeline_array& arg) const;
    int transfer(const drm_syncobj_transfer& arg);
    int notify(const drm_syncobj_eventfd& arg);
    int export_sync_file(drm_syncobj_handle& arg);
    int import_sync_file(const drm_syncobj_handle& arg);

    SyncFiles& sync_files_;
    std::map<std::uint32_t, Syncobj> syncobjs_;
};

}  // namespace fake
