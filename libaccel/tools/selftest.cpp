// SPDX-License-Identifier: MIT
#include "selftest.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>
#include <vector>

#include <sys/eventfd.h>

#include <accel/accel.hpp>
#include <drm/virtio_accel.h>
#include <fcntl.h>
#include <unistd.h>

#include "execute.hpp"
#include "open.hpp"
#include "tosa_program.hpp"

namespace accelctl {

namespace {

using Check = Outcome<void>;
constexpr auto kTimeout = std::chrono::seconds(60);
constexpr accel::Usage kBothWays = accel::Usage::TransferSource | accel::Usage::TransferDestination;

// What a check works with.
struct Subject {
    accel::Kernel& kernel;
    const accel::Device& device;
    const accel::DeviceInfo& info;
    const accel::Context& context;

    [[nodiscard]] accel::Result<accel::Buffer> buffer(std::uint64_t size,
                                                      accel::Usage usage) const {
        return context.create_buffer(
            {.size = size, .domain = preferred_domain(info), .usage = usage});
    }
};

std::string text(int error) {
    return std::generic_category().message(error);
}

// That a call was refused with exactly this errno.
template <class T>
Check refused(const accel::Result<T>& result, int error) {
    if (result) return failure("accepted instead of: {}", text(error));
    if (result.error().code != error)
        return failure("{} instead of: {}", result.error().message(), text(error));
    return {};
}

template <class T>
Check done(const accel::Result<T>& result) {
    if (!result) return std::unexpected(result.error().message());
    return {};
}

Check device_information(const Subject& subject) {
    const auto& info = subject.info;
    if (info.protocol_major != 1) return failure("protocol {}", info.protocol_major);
    if (!info.has(accel::Capability::SharedMemory) &&
        !info.has(accel::Capability::DeviceLocalMemory) &&
        !info.has(accel::Capability::HostVisibleMemory))
        return failure("no memory domain");
    return {};
}

Check new_buffer_is_zero(const Subject& subject) {
    const auto buffer = subject.buffer(4096, kBothWays);
    if (!buffer) return done(buffer);
    Bytes contents(4096, std::byte{0xA5});
    if (auto read = read_all(*buffer, 0, contents); !read) return done(read);
    if (!std::ranges::all_of(contents, [](std::byte byte) { return byte == std::byte{0}; }))
        return failure("it holds other bytes");
    return {};
}

// Sizes around a page and around a large transfer, at an odd offset.
Check buffer_round_trip(const Subject& subject) {
    for (const std::size_t size : {1UZ, 4095UZ, 4096UZ, 4097UZ, 1'000'003UZ}) {
        constexpr std::size_t kOffset = 3;
        if (size + kOffset > subject.info.max_buffer_bytes) continue;
        auto buffer = subject.buffer(kOffset + size, kBothWays);
        if (!buffer) return done(buffer);
        Bytes sent(kOffset + size);  // the part before the offset stays zero
        for (std::size_t i = kOffset; i < sent.size(); ++i)
            sent[i] = static_cast<std::byte>(i * 31 + 7);
        Bytes received(sent.size());
        const auto written = write_all(*buffer, kOffset, std::span(sent).subspan(kOffset));
        if (!written) return done(written);
        if (auto read = read_all(*buffer, 0, received); !read) return done(read);
        if (received != sent) return failure("{} bytes came back changed", size);
    }
    return {};
}

Check out_of_bounds(const Subject& subject) {
    auto buffer = subject.buffer(64, kBothWays);
    if (!buffer) return done(buffer);
    std::array<std::byte, 2> bytes{};
    struct Case {
        std::uint64_t offset;
        int error;
    };
    // A range whose end is not a number is malformed, whatever the buffer.
    for (const auto& [offset, error] : {Case{63, ERANGE}, Case{64, ERANGE}, Case{~0ULL, EINVAL}}) {
        if (auto check = refused(buffer->write(offset, bytes), error); !check) return check;
        if (auto check = refused(buffer->read(offset, bytes), error); !check) return check;
    }
    return {};
}

Check undeclared_direction(const Subject& subject) {
    auto buffer = subject.buffer(64, accel::Usage::TransferSource);
    if (!buffer) return done(buffer);
    return refused(buffer->write(0, std::array<std::byte, 1>{}), EPERM);
}

// The library lends no handles, so this one goes to the kernel by hand.
Check unknown_handle(const Subject& subject) {
    const int fd =
        subject.kernel.open(std::string(subject.device.path()).c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return failure("cannot open the node again: {}", text(errno));
    std::array<std::byte, 1> byte{};
    drm_virtio_accel_buf_transfer transfer{};
    transfer.handle = 0x7FFFFFFF;
    transfer.size = byte.size();
    transfer.addr = reinterpret_cast<std::uintptr_t>(byte.data());
    const int result = subject.kernel.ioctl(fd, DRM_IOCTL_VIRTIO_ACCEL_BUF_READ, &transfer);
    const int error = result < 0 ? errno : 0;
    subject.kernel.close(fd);
    if (error != ENOENT) return failure("{} instead of: {}", text(error), text(ENOENT));
    return {};
}

Check malformed_program(const Subject& subject) {
    const Bytes artifact = identity_program(1);
    const auto model = describe(artifact);
    if (!model) return std::unexpected(model.error());
    return refused(subject.context.load_program({.format = kTosaFormat,
                                                 .target = model->target,
                                                 .bytes = std::span(artifact).first(12),
                                                 .resident_bytes = model->resident_bytes}),
                   EINVAL);
}

Outcome<std::vector<Bytes>> execute_program(const Subject& subject, const Bytes& artifact,
                                            std::span<const Bytes> inputs) {
    const auto model = describe(artifact);
    if (!model) return std::unexpected(model.error());
    return execute(subject.device, {.model = *model,
                                    .artifact = artifact,
                                    .inputs = inputs,
                                    .resident_bytes = model->resident_bytes,
                                    .timeout = kTimeout});
}

template <std::size_t N>
Bytes bytes_of(const std::array<float, N>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

// Bit for bit, whatever the bits mean.
Check identity(const Subject& subject) {
    using limits = std::numeric_limits<float>;
    const std::array inputs{
        bytes_of(std::array{limits::quiet_NaN(), -limits::infinity(), -0.0F, 0.0F,
                            limits::denorm_min(), limits::min(), 1.0F, limits::max()})};
    const auto outputs = execute_program(subject, identity_program(8), inputs);
    if (!outputs) return std::unexpected(outputs.error());
    if (outputs->front() != inputs.front()) return failure("the output differs from the input");
    return {};
}

// The sums are exact in FP32, in any order of addition; the bounds cut two of them.
Check linear(const Subject& subject) {
    const std::array inputs{bytes_of(std::array{1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}),
                            bytes_of(std::array{7.0F, 8.0F, 9.0F, 10.0F, 11.0F, 12.0F})};
    const Bytes expected = bytes_of(std::array{60.0F, 62.0F, 139.5F, 140.0F});
    const auto outputs = execute_program(
        subject, linear_program({.bias = {0.5F, -2.0F}, .low = 60.0F, .high = 140.0F}), inputs);
    if (!outputs) return std::unexpected(outputs.error());
    if (outputs->front() != expected) return failure("the result is wrong");
    return {};
}

// A program that copies four bytes from one buffer to another, ready to be submitted.
struct Copy {
    accel::Program program;
    accel::Queue queue;
    accel::Buffer input;
    accel::Buffer output;

    static accel::Result<Copy> make(const Subject& subject, const Model& model,
                                    const Bytes& artifact) {
        auto program = subject.context.load_program({.format = kTosaFormat,
                                                     .target = model.target,
                                                     .bytes = artifact,
                                                     .resident_bytes = model.resident_bytes});
        if (!program) return std::unexpected(program.error());
        auto queue = subject.context.create_queue();
        if (!queue) return std::unexpected(queue.error());
        auto input = subject.buffer(4, kBothWays | accel::Usage::ProgramInput);
        if (!input) return std::unexpected(input.error());
        auto output = subject.buffer(4, kBothWays | accel::Usage::ProgramOutput);
        if (!output) return std::unexpected(output.error());
        return Copy{std::move(*program), std::move(*queue), std::move(*input), std::move(*output)};
    }

    [[nodiscard]] accel::Result<accel::Submission> submit(
        const accel::SubmitOptions& options) const {
        const std::array bindings{accel::Binding{&input, 0, accel::Access::Read, 0, 4},
                                  accel::Binding{&output, 1, accel::Access::Write, 0, 4}};
        return queue.submit(program, bindings, options);
    }
};

Check event_frees_buffers(const Subject& subject) {
    const Bytes artifact = identity_program(1);
    const auto model = describe(artifact);
    if (!model) return std::unexpected(model.error());
    const auto copy = Copy::make(subject, *model, artifact);
    if (!copy) return done(copy);

    auto submission = copy->submit({.timeout = kTimeout});
    if (!submission) return done(submission);
    const auto state = submission->event.wait(std::chrono::steady_clock::now() + kTimeout);
    if (!state) return done(state);
    if (state->phase != accel::EventState::Phase::Complete) return failure("it did not complete");
    const int refusal = subject.info.has(accel::Capability::EventCancellation) ? EBUSY : EOPNOTSUPP;
    if (auto check = refused(submission->event.cancel(), refusal); !check) return check;
    std::array<std::byte, 4> bytes{};
    if (auto read = copy->output.read(0, bytes); !read) return done(read);
    return done(submission->event.destroy());
}

// Nothing but a syncobj and a notification tells of the end.
Check syncobj_and_notification(const Subject& subject) {
    auto syncobj = subject.device.create_syncobj();
    if (subject.info.max_fence_timeout == subject.info.max_fence_timeout.zero())
        return refused(syncobj, EOPNOTSUPP);
    if (!syncobj) return done(syncobj);
    const Bytes artifact = identity_program(1);
    const auto model = describe(artifact);
    if (!model) return std::unexpected(model.error());
    const auto copy = Copy::make(subject, *model, artifact);
    if (!copy) return done(copy);

    constexpr accel::Notification kExpected{
        .cookie = 0x0123'4567'89AB'CDEF,
        .state = {.phase = accel::EventState::Phase::Complete, .status = accel::Status::Ok}};
    const std::array signal{accel::Sync{.syncobj = &*syncobj, .point = 7}};
    const auto submission = copy->submit({.timeout = subject.info.max_fence_timeout,
                                          .signal = signal,
                                          .notify = kExpected.cookie,
                                          .detach = true});
    if (!submission) return done(submission);
    const auto deadline = std::chrono::steady_clock::now() + kTimeout;
    const auto signalled = syncobj->wait(deadline, signal[0].point);
    if (!signalled) return done(signalled);
    if (!*signalled) return failure("the syncobj does not signal");
    std::array<std::byte, 4> bytes{};
    if (auto read = copy->output.read(0, bytes); !read) return done(read);
    std::array<accel::Notification, 2> notifications{};
    const auto count = subject.device.read_notifications(notifications, deadline);
    if (!count) return done(count);
    if (*count != 1 || notifications[0] != kExpected) return failure("the notification is wrong");
    return {};
}

// From one timeline to another, with points that are signalled by hand.
Check sync_file_and_eventfd(const Subject& subject) {
    auto from = subject.device.create_syncobj();
    auto to = subject.device.create_syncobj();
    if (subject.info.max_fence_timeout == subject.info.max_fence_timeout.zero())
        return refused(from, EOPNOTSUPP);
    if (!from || !to) return done(from ? to : from);
    const accel::Descriptor eventfd(accel::system_kernel(),
                                    ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (eventfd.get() < 0) return failure("no eventfd: {}", text(errno));

    if (auto asked = to->notify(eventfd.get(), 3); !asked) return done(asked);
    if (auto signalled = from->signal(7); !signalled) return done(signalled);
    const auto sync_file = from->export_sync_file(7);
    if (!sync_file) return done(sync_file);
    if (auto taken = to->import_sync_file(sync_file->get(), 3); !taken) return done(taken);

    std::uint64_t count = 0;
    if (::read(eventfd.get(), &count, sizeof count) != sizeof count || count != 1)
        return failure("the eventfd has counted {}", count);
    const auto value = to->value();
    if (!value) return done(value);
    if (*value != 3) return failure("the timeline is at {}", *value);
    return {};
}

struct Row {
    std::string_view name;
    Check (*check)(const Subject&);
};
constexpr std::array<Row, 12> kChecks{{
    {"the device describes itself", device_information},
    {"a new buffer is zero", new_buffer_is_zero},
    {"buffers keep what is written", buffer_round_trip},
    {"a transfer out of bounds is refused", out_of_bounds},
    {"a transfer in an undeclared direction is refused", undeclared_direction},
    {"an unknown handle is refused", unknown_handle},
    {"a malformed program is refused", malformed_program},
    {"IDENTITY keeps every bit of FP32", identity},
    {"MATMUL, ADD and CLAMP of FP32 are right", linear},
    {"an event that has ended frees its buffers", event_frees_buffers},
    {"a syncobj and a notification tell of the end", syncobj_and_notification},
    {"a fence goes through a sync_file and an eventfd", sync_file_and_eventfd},
}};

}  // namespace

Outcome<Tally> selftest(const std::string& path, accel::Kernel& kernel,
                        const std::function<void(std::string_view)>& print) {
    const auto device = open_device(path, kernel);
    if (!device) return std::unexpected(device.error());
    const auto info = device->info();
    if (!info) return std::unexpected(info.error().message());
    const auto context = device->create_context();
    if (!context) return std::unexpected(context.error().message());

    Tally tally;
    for (const auto& [name, check] : kChecks) {
        const auto result = check({kernel, *device, *info, *context});
        ++(result ? tally.passed : tally.failed);
        print(result ? fmt::format("pass  {}\n", name)
                     : fmt::format("FAIL  {}: {}\n", name, result.error()));
    }
    print(fmt::format("{} passed, {} failed\n", tally.passed, tally.failed));
    return tally;
}

}  // namespace accelctl
