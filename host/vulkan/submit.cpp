// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "provider/bindings.hpp"
#include "vulkan/provider.hpp"

namespace vulkan {
namespace {

using provider::Access;
using provider::Binding;
using provider::EventPhase;
using provider::EventState;

const Buffer& buffer_of(const Binding& binding) {
    return static_cast<const Buffer&>(*binding.buffer);
}

// Each buffer once, however many bindings it has; exclusively if any of them writes.
class Holds {
 public:
    explicit Holds(std::span<const Binding> bindings) {
        for (const Binding& binding : bindings) {
            const auto& storage = buffer_of(binding).storage;
            const bool exclusive = binding.access != Access::Read;
            const auto same = std::ranges::find(held(), storage, &Held::storage);
            if (same == held().end())
                all_[count_++] = {storage, exclusive};
            else
                same->exclusive = same->exclusive || exclusive;
        }
    }

    [[nodiscard]] std::span<Held> held() { return std::span(all_).first(count_); }
    [[nodiscard]] bool free() {
        return std::ranges::all_of(held(), [](const Held& h) {
            return h.exclusive ? h.storage->gate.can_exclude() : h.storage->gate.can_share();
        });
    }

 private:
    std::array<Held, kMostElements> all_;
    std::size_t count_ = 0;
};

// Bindings in slot order, the arena, and the first of them again up to the array's end:
// every element has to be valid.
void write_descriptors(const Kernels& kernels, VkDescriptorSet set,
                       std::span<const Binding> bindings, const Storage* arena) {
    std::array<VkDescriptorBufferInfo, kMostElements> elements{};
    std::size_t count = 0;
    // Kernels read and write whole words, the last of which a buffer always has.
    for (const Binding& binding : bindings)
        elements[count++] = {buffer_of(binding).storage->buffer(), binding.offset,
                             (binding.bytes + 3) & ~std::uint64_t{3}};
    if (arena) elements[count++] = {arena->buffer(), 0, arena->bytes()};
    std::fill(elements.begin() + static_cast<std::ptrdiff_t>(count), elements.end(), elements[0]);
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set,
                                     .descriptorCount = kernels.grid().elements,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = elements.data()};
    kernels.device().api().UpdateDescriptorSets(kernels.device().handle(), 1, &write, 0, nullptr);
}

Event::Clock::time_point deadline_after(std::uint64_t timeout_ns) {
    const auto now = Event::Clock::now();
    const auto left = static_cast<std::uint64_t>((Event::Clock::time_point::max() - now).count());
    if (timeout_ns == 0 || timeout_ns >= left) return Event::Clock::time_point::max();
    return now + std::chrono::nanoseconds(timeout_ns);
}

// Null when the ring is full.
std::unique_ptr<Event> make_event(const Queue& queue, const Program& program) {
    const auto& state = queue.state;
    auto by_context = state->events.take();
    auto by_queue = queue.events.take();
    auto by_program = program.events.take();
    Submission* submission = by_context && by_queue && by_program ? state->ring.take() : nullptr;
    if (!submission) return nullptr;
    return std::unique_ptr<Event>(new (*submission) Event(  // NOLINT: in the submission
        state, std::move(*by_context), std::move(*by_queue), std::move(*by_program), *submission));
}

}  // namespace

Result<void> VulkanProvider::check_bindings(const Queue& queue, const Program& program,
                                            std::span<const Binding> bindings) const {
    if (program.state != queue.state) return std::unexpected(ErrorKind::InvalidArgument);
    const auto valid = provider::check_bindings(
        bindings, info_.max_bindings_per_submission, [&](const provider::Buffer& buffer) {
            return static_cast<const Buffer&>(buffer).state == queue.state;
        });
    if (!valid) return valid;
    if (!provider::fits(bindings, program.executable->slots()))
        return std::unexpected(ErrorKind::Incompatible);
    return {};
}

provider::SubmitResult VulkanProvider::submit(provider::Queue& to, provider::Program& what,
                                              std::span<const Binding> bindings,
                                              std::uint64_t timeout_ns) {
    const auto& queue = static_cast<const Queue&>(to);
    const auto& program = static_cast<const Program&>(what);
    const auto reject = [](Error error) { return provider::SubmitRejected{error}; };
    if (device().lost()) return reject(ErrorKind::DeviceLost);
    if (auto valid = check_bindings(queue, program, bindings); !valid) return reject(valid.error());
    Holds holds(bindings);
    if (!holds.free()) return reject(ErrorKind::Busy);
    auto event = make_event(queue, program);
    if (!event) return reject(ErrorKind::ResourceLimit);

    Submission& submission = event->submission;
    Commands& commands = submission.commands();
    write_descriptors(*kernels_, submission.set(), bindings, program.executable->arena());
    if (auto begun = commands.begin(); !begun) return reject(begun.error());
    program.executable->record(commands, submission.set());
    if (auto ended = commands.end(); !ended) return reject(ended.error());

    event->deadline = deadline_after(timeout_ns);
    submission.hold(program.executable, holds.held());
    const VkResult result = commands.submit();
    if (result == VK_SUCCESS) {
        direct_bindings_ += bindings.size();
        return provider::Accepted{std::move(event)};
    }
    const Error error = device().error(result);
    if (error.kind == ErrorKind::DeviceLost) {
        event->outcome = {EventPhase::Failed, error};
        return provider::SubmitUnknown{error, std::move(event)};
    }
    submission.retire();  // Vulkan: any other failure has touched nothing
    return reject(error);
}

Result<EventState> VulkanProvider::poll_event(provider::Event& polled) {
    auto& event = static_cast<Event&>(polled);
    if (event.outcome.terminal()) return event.outcome;

    const VkResult status = event.submission.commands().status();
    if (status == VK_SUCCESS) {
        event.submission.retire();
        event.outcome = event.late ? EventState{EventPhase::Failed, ErrorKind::DeadlineExpired}
                                   : EventState{EventPhase::Complete};
    } else if (status != VK_NOT_READY || device().lost()) {
        // What a lost device may still be running stays held until teardown.
        const Error error = device().error(status == VK_NOT_READY ? VK_ERROR_DEVICE_LOST : status);
        if (error.kind != ErrorKind::DeviceLost) return std::unexpected(error);
        event.outcome = {EventPhase::Failed, error};
    } else {
        event.late = event.late || Event::Clock::now() >= event.deadline;
    }
    return event.outcome;
}

Result<void> VulkanProvider::cancel_event(provider::Event&) {
    return std::unexpected(ErrorKind::Unsupported);
}

}  // namespace vulkan
