// SPDX-License-Identifier: MIT
#include "fake_fence.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>

#include <unistd.h>

#include "fake_file.hpp"

namespace fake {

int Syncobjs::ioctl(Call call, void* argument) {
    switch (call) {
        case Call::SyncobjCreate:
            return create(as<drm_syncobj_create>(argument));
        case Call::SyncobjDestroy:
            return destroy(as<drm_syncobj_destroy>(argument));
        case Call::SyncobjWait:
            return wait(as<drm_syncobj_timeline_wait>(argument));
        case Call::SyncobjSignal:
            return signal(as<drm_syncobj_array>(argument).handles, 0);
        case Call::SyncobjTimelineSignal: {
            const auto& arg = as<drm_syncobj_timeline_array>(argument);
            return signal(arg.handles, *user_pointer<std::uint64_t>(arg.points));
        }
        case Call::SyncobjQuery:
            return query(as<drm_syncobj_timeline_array>(argument));
        case Call::SyncobjTransfer:
            return transfer(as<drm_syncobj_transfer>(argument));
        case Call::SyncobjEventfd:
            return notify(as<drm_syncobj_eventfd>(argument));
        case Call::SyncobjExport:
            return export_sync_file(as<drm_syncobj_handle>(argument));
        case Call::SyncobjImport:
            return import_sync_file(as<drm_syncobj_handle>(argument));
        default:
            return ENOTTY;
    }
}

FencePtr Syncobjs::find(std::uint32_t handle, std::uint64_t point) const {
    const auto found = syncobjs_.find(handle);
    if (found == syncobjs_.end() || found->second.points.empty()) return nullptr;
    const auto& points = found->second.points;
    if (point == 0) return points.rbegin()->second;
    const auto at = points.lower_bound(point);
    return at == points.end() ? nullptr : at->second;
}

void Syncobjs::put(std::uint32_t handle, std::uint64_t point, FencePtr fence) {
    auto& points = syncobjs_.at(handle).points;
    if (point == 0) {
        points = {{0, std::move(fence)}};
        return;
    }
    auto link = std::make_shared<Fence>();
    link->of = std::move(fence);
    if (!points.empty()) link->before = points.rbegin()->second;
    points[point] = std::move(link);
}

void Syncobjs::fire_eventfds() {
    for (auto& [handle, syncobj] : syncobjs_)
        std::erase_if(syncobj.notices, [&](const Notice& notice) {
            const auto fence = find(handle, notice.point);
            if (!fence || !fence->signalled()) return false;
            const std::uint64_t one = 1;
            return ::write(notice.eventfd, &one, sizeof one) == sizeof one;
        });
}

int Syncobjs::create(drm_syncobj_create& arg) {
    if (arg.flags != 0) return EINVAL;
    arg.handle = lowest_free(syncobjs_);
    syncobjs_.emplace(arg.handle, Syncobj{});
    return 0;
}

int Syncobjs::destroy(const drm_syncobj_destroy& arg) {
    if (arg.pad != 0) return EINVAL;
    return syncobjs_.erase(arg.handle) == 1 ? 0 : EINVAL;
}

int Syncobjs::wait(const drm_syncobj_timeline_wait& arg) const {
    if (arg.flags != DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT || arg.count_handles != 1 ||
        arg.pad != 0)
        return EINVAL;
    const auto handle = *user_pointer<std::uint32_t>(arg.handles);
    if (!contains(handle)) return ENOENT;
    const auto fence = find(handle, *user_pointer<std::uint64_t>(arg.points));
    return fence && fence->signalled() ? 0 : ETIME;
}

int Syncobjs::signal(std::uint64_t handle_address, std::uint64_t point) {
    const auto handle = *user_pointer<std::uint32_t>(handle_address);
    if (!contains(handle)) return ENOENT;
    auto fence = std::make_shared<Fence>();
    fence->set = true;
    put(handle, point, std::move(fence));
    return 0;
}

int Syncobjs::query(const drm_syncobj_timeline_array& arg) const {
    const auto found = syncobjs_.find(*user_pointer<std::uint32_t>(arg.handles));
    if (found == syncobjs_.end()) return ENOENT;
    std::uint64_t last = 0;
    for (const auto& [point, fence] : found->second.points)
        if (fence->signalled()) last = point;
    *user_pointer<std::uint64_t>(arg.points) = last;
    return 0;
}

int Syncobjs::transfer(const drm_syncobj_transfer& arg) {
    if (arg.flags != 0 || arg.pad != 0) return EINVAL;
    if (!contains(arg.src_handle) || !contains(arg.dst_handle)) return ENOENT;
    auto fence = find(arg.src_handle, arg.src_point);
    if (!fence) return EINVAL;
    put(arg.dst_handle, arg.dst_point, std::move(fence));
    return 0;
}

int Syncobjs::notify(const drm_syncobj_eventfd& arg) {
    if (arg.flags != 0 || arg.pad != 0) return EINVAL;
    if (!contains(arg.handle)) return ENOENT;
    syncobjs_.at(arg.handle).notices.push_back({.point = arg.point, .eventfd = arg.fd});
    return 0;
}

int Syncobjs::export_sync_file(drm_syncobj_handle& arg) {
    if (arg.flags != DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE || arg.pad != 0) return EINVAL;
    if (!contains(arg.handle)) return ENOENT;
    auto fence = find(arg.handle, 0);
    if (!fence) return EINVAL;
    arg.fd = memfd_create("sync_file", MFD_CLOEXEC);
    sync_files_[arg.fd] = std::move(fence);
    return 0;
}

int Syncobjs::import_sync_file(const drm_syncobj_handle& arg) {
    if (arg.flags != DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE || arg.pad != 0) return EINVAL;
    if (!contains(arg.handle)) return ENOENT;
    const auto found = sync_files_.find(arg.fd);
    if (found == sync_files_.end()) return EINVAL;
    put(arg.handle, 0, found->second);
    return 0;
}

}  // namespace fake
