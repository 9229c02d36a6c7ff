// SPDX-License-Identifier: MIT
#include "fake_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace fake {

namespace {

using Phase = accel::EventState::Phase;

}  // namespace

File::File(Behaviour& device, Wait& last_wait, SyncFiles& sync_files, std::string driver)
    : device_(device), last_wait_(last_wait), driver_(std::move(driver)), syncobjs_(sync_files) {}

File::~File() {
    while (!submissions_.empty())
        finish(*submissions_.front(), {.phase = Phase::Cancelled});
}

int File::ioctl(Call call, void* argument) {
    if (call == Call::Version) return version(as<drm_version>(argument));
    if (driver_ != "virtio_accel") return ENOTTY;
    switch (call) {
        case Call::DevQuery:
            return dev_query(as<drm_virtio_accel_dev_query>(argument));
        case Call::CtxCreate:
            return ctx_create(as<drm_virtio_accel_ctx_create>(argument));
        case Call::CtxDestroy:
            return ctx_destroy(as<drm_virtio_accel_ctx_destroy>(argument));
        case Call::BufCreate:
            return buf_create(as<drm_virtio_accel_buf_create>(argument));
        case Call::BufClose:
            return buf_close(as<drm_gem_close>(argument));
        case Call::BufWrite:
            return buf_transfer(as<drm_virtio_accel_buf_transfer>(argument), true);
        case Call::BufRead:
            return buf_transfer(as<drm_virtio_accel_buf_transfer>(argument), false);
        case Call::ProgLoad:
            return prog_load(as<drm_virtio_accel_prog_load>(argument));
        case Call::ProgUnload: {
            const auto& arg = as<drm_virtio_accel_prog_unload>(argument);
            return destroy<Loaded>(arg.handle, arg.pad);
        }
        case Call::QueueCreate:
            return queue_create(as<drm_virtio_accel_queue_create>(argument));
        case Call::QueueDestroy: {
            const auto& arg = as<drm_virtio_accel_queue_destroy>(argument);
            return destroy<Queue>(arg.handle, arg.pad);
        }
        case Call::Submit:
            return submit(as<drm_virtio_accel_submit>(argument));
        case Call::EventWait:
            return event_wait(as<drm_virtio_accel_event_wait>(argument));
        case Call::EventCancel:
            return event_cancel(as<drm_virtio_accel_event_cancel>(argument));
        case Call::EventDestroy:
            return event_destroy(as<drm_virtio_accel_event_destroy>(argument));
        default:
            // As of a driver that has none of what came with them.
            if (device_.info.max_fence_timeout.count() == 0) return EOPNOTSUPP;
            return syncobjs_.ioctl(call, argument);
    }
}

void File::add_to(Live& live) const {
    live.contexts += count<Context>();
    live.programs += count<Loaded>();
    live.queues += count<Queue>();
    live.events += count<Event>();
    live.buffers += buffers_.size();
    live.pending += submissions_.size();
    live.syncobjs += syncobjs_.size();
}

template <class T>
std::size_t File::count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        objects_, [](const auto& entry) { return std::holds_alternative<T>(entry.second); }));
}

std::uint32_t File::add(Object object) {
    const std::uint32_t handle = lowest_free(objects_);
    objects_.emplace(handle, std::move(object));
    return handle;
}

template <class T>
int File::destroy(std::uint32_t handle, std::uint32_t pad) {
    if (pad != 0) return EINVAL;
    if (find<T>(handle) == nullptr) return ENOENT;
    objects_.erase(handle);
    return 0;
}

int File::version(drm_version& arg) const {
    std::memcpy(arg.name, driver_.data(), std::min<std::size_t>(arg.name_len, driver_.size()));
    arg.name_len = driver_.size();
    return 0;
}

int File::dev_query(drm_virtio_accel_dev_query& arg) const {
    if (arg.type != DRM_VIRTIO_ACCEL_QUERY_DEVICE_INFO) return EINVAL;
    const auto& from = device_.info;
    drm_virtio_accel_device_info info{};
    std::memcpy(info.uuid, from.uuid.data(), sizeof info.uuid);
    info.protocol_major = from.protocol_major;
    info.protocol_minor = from.protocol_minor;
    info.device_class = static_cast<std::uint16_t>(from.device_class);
    info.vendor_id = from.vendor_id;
    info.device_id = from.device_id;
    info.capabilities = from.capabilities;
    info.max_contexts = from.max_contexts;
    info.max_buffers_per_context = from.max_buffers_per_context;
    info.max_programs_per_context = from.max_programs_per_context;
    info.max_queues_per_context = from.max_queues_per_context;
    info.max_events_per_context = from.max_events_per_context;
    info.max_bindings_per_submission = from.max_bindings_per_submission;
    info.max_buffer_bytes = from.max_buffer_bytes;
    info.max_artifact_bytes = from.max_artifact_bytes;
    info.max_fence_timeout_ns = static_cast<std::uint64_t>(from.max_fence_timeout.count());

    const auto whole = static_cast<std::uint32_t>(sizeof info);
    arg.size = arg.pointer == 0 ? whole : std::min(arg.size, whole);
    if (arg.pointer != 0) std::memcpy(user_pointer<void>(arg.pointer), &info, arg.size);
    return 0;
}

int File::ctx_create(drm_virtio_accel_ctx_create& arg) {
    if (arg.flags != 0) return EINVAL;
    if (count<Context>() == device_.info.max_contexts) return ENOSPC;
    arg.handle = add(Context{});
    return 0;
}

int File::ctx_destroy(const drm_virtio_accel_ctx_destroy& arg) {
    if (const int error = destroy<Context>(arg.handle, arg.pad)) return error;
    std::erase_if(objects_, [&](const auto& entry) {
        return std::visit(
            [&](const auto& object) {
                if constexpr (requires { object.context; })
                    return object.context == arg.handle;
                else
                    return false;
            },
            entry.second);
    });
    for (auto& [handle, buffer] : buffers_)
        if (buffer->context == arg.handle) buffer->context = 0;
    for (const auto& submission : std::vector(submissions_))
        if (submission->context == arg.handle) finish(*submission, {.phase = Phase::Cancelled});
    return 0;
}

int File::prog_load(drm_virtio_accel_prog_load& arg) {
    if (find<Context>(arg.ctx) == nullptr) return ENOENT;
    if (arg.flags != 0 || arg.pad != 0 || arg.format == 0 || arg.resident_bytes == 0 ||
        arg.artifact_size == 0)
        return EINVAL;
    if (arg.artifact_size > device_.info.max_artifact_bytes) return ENOSPC;
    if (count<Loaded>() == device_.info.max_programs_per_context) return ENOSPC;

    auto program = std::make_shared<Program>();
    program->format = arg.format;
    std::ranges::copy(arg.target, program->target.begin());
    const auto* bytes = user_pointer<const std::byte>(arg.artifact_addr);
    program->bytes.assign(bytes, bytes + arg.artifact_size);
    program->resident_bytes = arg.resident_bytes;
    if (const int error = device_.load(*program)) return error;
    arg.handle = add(Loaded{arg.ctx, std::move(program)});
    return 0;
}

int File::queue_create(drm_virtio_accel_queue_create& arg) {
    if (find<Context>(arg.ctx) == nullptr) return ENOENT;
    if (arg.flags != 0) return EINVAL;
    if (count<Queue>() == device_.info.max_queues_per_context) return ENOSPC;
    arg.handle = add(Queue{arg.ctx});
    return 0;
}

int File::event_wait(const drm_virtio_accel_event_wait& arg) {
    if (arg.count == 0 || arg.count > DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS ||
        (arg.flags & ~static_cast<std::uint32_t>(DRM_VIRTIO_ACCEL_WAIT_ALL)) != 0)
        return EINVAL;
    const std::span entries(user_pointer<drm_virtio_accel_event>(arg.events), arg.count);
    std::size_t ended = 0;
    for (auto& entry : entries) {
        if (entry.pad != 0) return EINVAL;
        const auto* event = find<Event>(entry.handle);
        if (event == nullptr) return ENOENT;
        const auto& state = event->submission->state;
        entry.state = static_cast<std::uint32_t>(state.phase);
        entry.status = static_cast<std::uint32_t>(state.status);
        if (state.phase != Phase::Pending) ++ended;
    }
    const bool all = (arg.flags & DRM_VIRTIO_ACCEL_WAIT_ALL) != 0;
    last_wait_ = {.deadline = accel::Deadline(std::chrono::nanoseconds(arg.deadline_ns)),
                  .timed_out = ended < (all ? entries.size() : 1)};
    return last_wait_.timed_out ? ETIME : 0;
}

int File::event_cancel(const drm_virtio_accel_event_cancel& arg) {
    if (arg.pad != 0) return EINVAL;
    const auto* event = find<Event>(arg.handle);
    if (event == nullptr) return ENOENT;
    if (!device_.info.has(accel::Capability::EventCancellation)) return EOPNOTSUPP;
    if (event->submission->state.phase != Phase::Pending) return EBUSY;
    finish(*event->submission, {.phase = Phase::Cancelled});
    return 0;
}

int File::event_destroy(const drm_virtio_accel_event_destroy& arg) {
    const auto* event = find<Event>(arg.handle);
    if (event == nullptr) return ENOENT;
    const bool detach = arg.flags == DRM_VIRTIO_ACCEL_DESTROY_DETACH;
    if (arg.flags != 0 && !detach) return EINVAL;
    if (event->submission->state.phase == Phase::Pending && !detach) return EBUSY;
    objects_.erase(arg.handle);
    return 0;
}

}  // namespace fake
