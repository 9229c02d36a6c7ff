// SPDX-License-Identifier: MIT
//
// From SUBMIT to the end of a submission.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "fake_file.hpp"

namespace fake {

namespace {

using Phase = accel::EventState::Phase;

// protocol.md 1.7: what a buffer's usage must contain for an access.
bool permits(std::uint32_t usage, std::uint32_t access) {
    if ((usage & DRM_VIRTIO_ACCEL_USAGE_MUTABLE_STATE) != 0) return true;
    if (access == DRM_VIRTIO_ACCEL_ACCESS_READ)
        return (usage & DRM_VIRTIO_ACCEL_USAGE_PROGRAM_INPUT) != 0;
    return access == DRM_VIRTIO_ACCEL_ACCESS_WRITE &&
           (usage & DRM_VIRTIO_ACCEL_USAGE_PROGRAM_OUTPUT) != 0;
}

// docs/uapi.md, Fences.
int fence_error(accel::EventState state) {
    if (state.phase == Phase::Complete) return 0;
    if (state.phase == Phase::Cancelled) return ECANCELED;
    if (state.status == accel::Status::DeadlineExpired) return ETIME;
    return state.status == accel::Status::DeviceLost ? ENODEV : EIO;
}

std::span<const drm_virtio_accel_sync> syncs(std::uint64_t address, std::uint32_t count) {
    return {user_pointer<const drm_virtio_accel_sync>(address), count};
}

}  // namespace

int File::bind(const drm_virtio_accel_submit& arg, Submission& submission) {
    std::set<std::uint32_t> slots;
    for (std::uint32_t i = 0; i < arg.binding_count; ++i) {
        const auto& binding = *user_pointer<const drm_virtio_accel_binding>(
            arg.bindings + std::uint64_t{i} * arg.binding_stride);
        const auto buffer = find_buffer(binding.buffer);
        if (!buffer) return ENOENT;
        if (buffer->context != submission.context || binding.flags != 0 || binding.size == 0 ||
            binding.access < 1 || binding.access > 3 || !slots.insert(binding.slot).second)
            return EINVAL;
        if (const int error = check_range(binding.offset, binding.size, buffer->bytes.size()))
            return error;
        if (!permits(buffer->usage, binding.access)) return EPERM;
        submission.bound.push_back(
            {binding.slot, static_cast<accel::Access>(binding.access),
             std::span(buffer->bytes).subspan(binding.offset, binding.size)});
        submission.buffers.push_back(buffer);
    }
    return 0;
}

int File::find_wait_for(const drm_virtio_accel_submit& arg, Submission& submission) const {
    for (const auto& sync : syncs(arg.in_syncs, arg.in_sync_count)) {
        if (sync.flags != 0) return EINVAL;
        if (!syncobjs_.contains(sync.handle)) return ENOENT;
        auto fence = syncobjs_.find(sync.handle, sync.point);
        if (!fence) return EINVAL;
        submission.wait_for.push_back(std::move(fence));
    }
    return 0;
}

int File::check_signal(const drm_virtio_accel_submit& arg) const {
    const auto most = static_cast<std::uint64_t>(device_.info.max_fence_timeout.count());
    if (arg.out_sync_count > 0 && (arg.timeout_ns == 0 || arg.timeout_ns > most)) return EINVAL;
    for (const auto& sync : syncs(arg.out_syncs, arg.out_sync_count)) {
        if (sync.flags != 0) return EINVAL;
        if (!syncobjs_.contains(sync.handle)) return ENOENT;
    }
    return 0;
}

void File::put_signal(const drm_virtio_accel_submit& arg, const FencePtr& fence) {
    for (const auto& sync : syncs(arg.out_syncs, arg.out_sync_count))
        syncobjs_.put(sync.handle, sync.point, fence);
}

// Unread and to come.
std::size_t File::notifications() const {
    std::size_t count = done_.size();
    for (const auto& submission : submissions_)
        if (submission->cookie) ++count;
    return count;
}

int File::submit(drm_virtio_accel_submit& arg) {
    const bool notify = (arg.flags & DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY) != 0;
    const bool detach = (arg.flags & DRM_VIRTIO_ACCEL_SUBMIT_DETACH) != 0;
    const bool synced = arg.in_sync_count > 0 || arg.out_sync_count > 0;
    const auto* queue = find<Queue>(arg.queue);
    const auto* loaded = find<Loaded>(arg.program);
    if (queue == nullptr || loaded == nullptr) return ENOENT;
    if (queue->context != loaded->context || arg.flags > 3 || (arg.user_data != 0 && !notify) ||
        arg.binding_count == 0 || arg.binding_count > device_.info.max_bindings_per_submission ||
        arg.binding_stride != sizeof(drm_virtio_accel_binding) ||
        arg.in_sync_count > DRM_VIRTIO_ACCEL_MAX_SYNCS ||
        arg.out_sync_count > DRM_VIRTIO_ACCEL_MAX_SYNCS ||
        arg.sync_stride != (synced ? sizeof(drm_virtio_accel_sync) : 0))
        return EINVAL;

    auto submission = std::make_shared<Submission>();
    submission->context = queue->context;
    submission->program = loaded->program;
    if (const int error = bind(arg, *submission)) return error;
    if (const int error = find_wait_for(arg, *submission)) return error;
    if (const int error = check_signal(arg)) return error;
    if (submissions_.size() == device_.info.max_events_per_context) return ENOSPC;
    if (notify && notifications() == 4096 / sizeof(drm_virtio_accel_event_done)) return ENOMEM;

    if (notify) submission->cookie = arg.user_data;
    if (arg.out_sync_count > 0) submission->fence = std::make_shared<Fence>();
    put_signal(arg, submission->fence);
    submissions_.push_back(submission);
    if (!detach) submission->event = add(Event{queue->context, submission});
    arg.event = submission->event;
    arg.status = static_cast<std::uint32_t>(device_.admission);
    return 0;
}

bool File::start_ready() {
    bool any = false;
    for (const auto& submission : std::vector(submissions_)) {
        if (submission->started ||
            !std::ranges::all_of(submission->wait_for,
                                 [](const auto& fence) { return fence->signalled(); }))
            continue;
        any = submission->started = true;
        if (std::ranges::any_of(submission->wait_for,
                                [](const auto& fence) { return fence->failure() != 0; }))
            finish(*submission, {.phase = Phase::Cancelled});
        else if (!device_.hold)
            finish(*submission, device_.run(*submission->program, submission->bound));
    }
    return any;
}

void File::end_pending(accel::EventState state) {
    for (const auto& submission : std::vector(submissions_))
        if (submission->started) finish(*submission, state);
}

void File::finish(Submission& submission, accel::EventState state) {
    submission.state = state;
    if (submission.fence) {
        submission.fence->set = true;
        submission.fence->error = fence_error(state);
    }
    if (submission.cookie)
        done_.push_back(
            {.base = {.type = DRM_VIRTIO_ACCEL_EVENT_DONE, .length = sizeof done_.front()},
             .user_data = *submission.cookie,
             .event = submission.event,
             .state = static_cast<std::uint32_t>(state.phase),
             .status = static_cast<std::uint32_t>(state.status),
             .pad = 0});
    // Last: this can be what keeps it alive.
    std::erase_if(submissions_, [&](const auto& entry) { return entry.get() == &submission; });
}

std::size_t File::read(std::span<std::byte> memory) {
    std::size_t bytes = 0;
    for (; !done_.empty() && memory.size() - bytes >= sizeof done_.front(); done_.pop_front()) {
        std::memcpy(memory.data() + bytes, &done_.front(), sizeof done_.front());
        bytes += sizeof done_.front();
    }
    return bytes;
}

}  // namespace fake
