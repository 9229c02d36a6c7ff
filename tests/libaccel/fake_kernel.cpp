// SPDX-License-Identifier: MIT
#include "fake_kernel.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/mman.h>

#include <fcntl.h>
#include <unistd.h>

#include "fake_file.hpp"

namespace fake {

namespace {

Call call_of(unsigned long request) {
    switch (request) {
        case DRM_IOCTL_VERSION:
            return Call::Version;
        case DRM_IOCTL_GEM_CLOSE:
            return Call::BufClose;
        case DRM_IOCTL_VIRTIO_ACCEL_DEV_QUERY:
            return Call::DevQuery;
        case DRM_IOCTL_VIRTIO_ACCEL_CTX_CREATE:
            return Call::CtxCreate;
        case DRM_IOCTL_VIRTIO_ACCEL_CTX_DESTROY:
            return Call::CtxDestroy;
        case DRM_IOCTL_VIRTIO_ACCEL_BUF_CREATE:
            return Call::BufCreate;
        case DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE:
            return Call::BufWrite;
        case DRM_IOCTL_VIRTIO_ACCEL_BUF_READ:
            return Call::BufRead;
        case DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD:
            return Call::ProgLoad;
        case DRM_IOCTL_VIRTIO_ACCEL_PROG_UNLOAD:
            return Call::ProgUnload;
        case DRM_IOCTL_VIRTIO_ACCEL_QUEUE_CREATE:
            return Call::QueueCreate;
        case DRM_IOCTL_VIRTIO_ACCEL_QUEUE_DESTROY:
            return Call::QueueDestroy;
        case DRM_IOCTL_VIRTIO_ACCEL_SUBMIT:
            return Call::Submit;
        case DRM_IOCTL_VIRTIO_ACCEL_EVENT_WAIT:
            return Call::EventWait;
        case DRM_IOCTL_VIRTIO_ACCEL_EVENT_CANCEL:
            return Call::EventCancel;
        case DRM_IOCTL_VIRTIO_ACCEL_EVENT_DESTROY:
            return Call::EventDestroy;
        case DRM_IOCTL_SYNCOBJ_CREATE:
            return Call::SyncobjCreate;
        case DRM_IOCTL_SYNCOBJ_DESTROY:
            return Call::SyncobjDestroy;
        case DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT:
            return Call::SyncobjWait;
        case DRM_IOCTL_SYNCOBJ_SIGNAL:
            return Call::SyncobjSignal;
        case DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL:
            return Call::SyncobjTimelineSignal;
        case DRM_IOCTL_SYNCOBJ_QUERY:
            return Call::SyncobjQuery;
        case DRM_IOCTL_SYNCOBJ_TRANSFER:
            return Call::SyncobjTransfer;
        case DRM_IOCTL_SYNCOBJ_EVENTFD:
            return Call::SyncobjEventfd;
        case DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD:
            return Call::SyncobjExport;
        case DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE:
            return Call::SyncobjImport;
        default:
            return Call::Unknown;
    }
}

int answer(int error) {
    errno = error;
    return error == 0 ? 0 : -1;
}

}  // namespace

Kernel::Kernel() : nodes{{"/dev/accel/accel0", "virtio_accel"}} {
    std::memcpy(device.info.uuid.data(), "virtio-accelfake", device.info.uuid.size());
    device.info.protocol_major = 1;
    device.info.vendor_id = 0x10005;
    device.info.capabilities = 0x27;
    device.info.max_contexts = 8;
    device.info.max_buffers_per_context = 64;
    device.info.max_programs_per_context = 16;
    device.info.max_queues_per_context = 4;
    device.info.max_events_per_context = 128;
    device.info.max_bindings_per_submission = 16;
    device.info.max_buffer_bytes = 1 << 24;
    device.info.max_artifact_bytes = 1 << 20;
    device.info.max_fence_timeout = std::chrono::seconds(10);
}

Kernel::~Kernel() = default;

int Kernel::fault(Call call) {
    ++counts_[call];
    int error = 0;
    for (Fault& fault : faults_)
        if (fault.call == call && --fault.nth == 0) error = fault.error;
    std::erase_if(faults_, [](const Fault& fault) { return fault.nth == 0; });
    return error;
}

int Kernel::open(const char* path, int flags) noexcept {
    if (const int error = fault(Call::Open)) return answer(error);
    if ((flags & ~O_NONBLOCK) != (O_RDWR | O_CLOEXEC)) return answer(EINVAL);
    const auto node = nodes.find(path);
    if (node == nodes.end()) return answer(ENOENT);
    const int fd = memfd_create(path, MFD_CLOEXEC);
    if ((flags & O_NONBLOCK) == 0) blocking_.insert(fd);
    if (fd >= 0) files_[fd] = std::make_unique<File>(device, last_wait, sync_files_, node->second);
    return fd;
}

int Kernel::ioctl(int fd, unsigned long request, void* argument) noexcept {
    const Call call = call_of(request);
    if (const int error = fault(call)) return answer(error);
    const auto file = files_.find(fd);
    if (file == files_.end()) return answer(EBADF);
    const int error = file->second->ioctl(call, argument);
    settle();
    return answer(error);
}

// drm_read(). In a blocking file the only thread there is would wait for ever.
ssize_t Kernel::read(int fd, void* memory, std::size_t bytes) noexcept {
    if (const int error = fault(Call::Read)) return answer(error);
    const auto file = files_.find(fd);
    if (file == files_.end()) return answer(EBADF);
    if (!file->second->readable()) return answer(blocking_.contains(fd) ? EDEADLK : EAGAIN);
    return static_cast<ssize_t>(file->second->read({static_cast<std::byte*>(memory), bytes}));
}

int Kernel::poll(int fd, const std::timespec* timeout) noexcept {
    if (const int error = fault(Call::Poll)) return answer(error);
    last_poll = timeout == nullptr ? std::nullopt : std::optional(*timeout);
    const auto file = files_.find(fd);
    return file != files_.end() && file->second->readable() ? 1 : 0;
}

int Kernel::close(int fd) noexcept {
    // A close that fails has closed, as in Linux.
    const int error = fault(Call::Close);
    blocking_.erase(fd);
    if (files_.erase(fd) + sync_files_.erase(fd) == 0) return answer(EBADF);
    settle();
    ::close(fd);
    return answer(error);
}

void Kernel::fail(Call call, unsigned nth, int error) {
    faults_.push_back({call, nth, error});
}

void Kernel::interrupt(Call call, unsigned times) {
    for (unsigned nth = 1; nth <= times; ++nth)
        fail(call, nth, EINTR);
}

void Kernel::end_pending(accel::EventState state) {
    for (auto& [fd, file] : files_)
        file->end_pending(state);
    settle();
}

// Until nothing follows from what has signalled.
void Kernel::settle() {
    bool again = true;
    while (std::exchange(again, false))
        for (auto& [fd, file] : files_)
            again |= file->start_ready();
    for (auto& [fd, file] : files_)
        file->fire_eventfds();
}

unsigned Kernel::count(Call call) const {
    const auto found = counts_.find(call);
    return found == counts_.end() ? 0 : found->second;
}

Live Kernel::live() const {
    Live live{.files = files_.size(), .sync_files = sync_files_.size()};
    for (const auto& [fd, file] : files_)
        file->add_to(live);
    return live;
}

}  // namespace fake
