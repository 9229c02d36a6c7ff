// SPDX-License-Identifier: MIT
#include "provider/fault/fault.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <sys/socket.h>

#include "base/unique_fd.hpp"

namespace fault {

using provider::ErrorKind;
using provider::Released;
using provider::ReleaseRejected;
using provider::ReleaseResult;
using provider::ReleaseUnknown;
using provider::Result;

Provider::Provider(std::unique_ptr<provider::Provider> inner, Script script)
    : script_(std::move(script)), inner_(std::move(inner)) {}

std::optional<Step> Provider::count(Operation operation) {
    const auto step = script_.find(operation, ++calls_[static_cast<std::size_t>(operation)]);
    if (!step || step->action != Action::Escape) return step;
    const base::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return std::nullopt;
}

template <class T>
void Provider::keep(std::unique_ptr<T> object) noexcept {
    const std::scoped_lock lock(kept_mutex_);
    kept_.emplace_back(std::move(object));
}

template <class T, class Call, class Undo>
Result<std::unique_ptr<T>> Provider::create(Operation operation, const provider::Context* parent,
                                            Call call, Undo undo) {
    const auto step = count(operation);
    if (parent && !audit_.may_use(parent)) return std::unexpected(ErrorKind::InvalidArgument);
    if (step && step->action == Action::ErrorBefore) return std::unexpected(step->error);
    Result<std::unique_ptr<T>> made = call();
    if (!made) return made;
    if (step) {
        ReleaseResult<T> undone = undo(std::move(*made));
        if (auto* rejected = std::get_if<ReleaseRejected<T>>(&undone))
            keep(std::move(rejected->resource));
        return std::unexpected(std::holds_alternative<Released>(undone) ? step->error
                                                                        : ErrorKind::DeviceLost);
    }
    audit_.add(made->get(), parent ? Audit::Record{.stands_on = {parent}} : Audit::Record{});
    return made;
}

template <class Object, class Call>
Result<void> Provider::use(Operation operation, const Object& object, Call call) {
    const auto step = count(operation);
    if (!audit_.may_use(&object)) return std::unexpected(ErrorKind::InvalidArgument);
    if (step && step->action == Action::ErrorBefore) return std::unexpected(step->error);
    Result<void> done = call();
    if (step) return std::unexpected(step->error);
    return done;
}

template <class T, class Call>
ReleaseResult<T> Provider::release(Operation operation, std::unique_ptr<T> object, Call call) {
    const auto step = count(operation);
    const Audit::Object known_as = object.get();
    auto record = audit_.take(known_as);
    if (!record) {
        if (record.error() == Audit::Violation::TooEarly) {
            keep(std::move(object));
        } else {
            static_cast<void>(object.release());  // it is gone, or somebody else's
        }
        return ReleaseUnknown{ErrorKind::DeviceLost};
    }
    ReleaseResult<T> result = Released{};
    if (!step) {
        result = call(std::move(object));
    } else if (step->action == Action::Rejected) {
        result = ReleaseRejected<T>{step->error, std::move(object)};
    } else {
        keep(std::move(object));
        result = ReleaseUnknown{step->error};
    }
    record->lost = std::holds_alternative<ReleaseUnknown>(result);
    if (!std::holds_alternative<Released>(result)) audit_.add(known_as, *std::move(record));
    return result;
}

const provider::DeviceInfo& Provider::device_info() const {
    return inner_->device_info();
}

provider::CopyCounters Provider::copy_counters() const {
    return inner_->copy_counters();
}

Result<std::unique_ptr<provider::Context>> Provider::create_context(std::uint32_t flags) {
    return create<provider::Context>(
        Operation::CreateContext, nullptr, [&] { return inner_->create_context(flags); },
        [&](auto context) { return inner_->destroy_context(std::move(context)); });
}

ReleaseResult<provider::Context> Provider::destroy_context(
    std::unique_ptr<provider::Context> context) {
    return release(Operation::DestroyContext, std::move(context),
                   [&](auto owned) { return inner_->destroy_context(std::move(owned)); });
}

Result<std::unique_ptr<provider::Buffer>> Provider::allocate_buffer(
    provider::Context& context, const provider::BufferDesc& desc) {
    return create<provider::Buffer>(
        Operation::AllocateBuffer, &context, [&] { return inner_->allocate_buffer(context, desc); },
        [&](auto buffer) { return inner_->free_buffer(std::move(buffer)); });
}

ReleaseResult<provider::Buffer> Provider::free_buffer(std::unique_ptr<provider::Buffer> buffer) {
    return release(Operation::FreeBuffer, std::move(buffer),
                   [&](auto owned) { return inner_->free_buffer(std::move(owned)); });
}

Result<void> Provider::write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                    provider::ByteSource& source) {
    return use(Operation::WriteBuffer, buffer,
               [&] { return inner_->write_buffer(buffer, offset, source); });
}

Result<void> Provider::read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                   provider::ByteSink& sink) {
    return use(Operation::ReadBuffer, buffer,
               [&] { return inner_->read_buffer(buffer, offset, sink); });
}

Result<std::unique_ptr<provider::Program>> Provider::load_program(provider::Context& context,
                                                                  const provider::ProgramDesc& desc,
                                                                  provider::ByteSource& source) {
    return create<provider::Program>(
        Operation::LoadProgram, &context,
        [&] { return inner_->load_program(context, desc, source); },
        [&](auto program) { return inner_->unload_program(std::move(program)); });
}

ReleaseResult<provider::Program> Provider::unload_program(
    std::unique_ptr<provider::Program> program) {
    return release(Operation::UnloadProgram, std::move(program),
                   [&](auto owned) { return inner_->unload_program(std::move(owned)); });
}

Result<std::unique_ptr<provider::Queue>> Provider::create_queue(provider::Context& context,
                                                                std::uint32_t flags) {
    return create<provider::Queue>(
        Operation::CreateQueue, &context, [&] { return inner_->create_queue(context, flags); },
        [&](auto queue) { return inner_->destroy_queue(std::move(queue)); });
}

ReleaseResult<provider::Queue> Provider::destroy_queue(std::unique_ptr<provider::Queue> queue) {
    return release(Operation::DestroyQueue, std::move(queue),
                   [&](auto owned) { return inner_->destroy_queue(std::move(owned)); });
}

bool Provider::may_submit(const provider::Queue& queue, const provider::Program& program,
                          std::span<const provider::Binding> bindings) {
    return audit_.may_use(&queue) && audit_.may_use(&program) &&
           std::ranges::all_of(bindings,
                               [&](const auto& binding) { return audit_.may_use(binding.buffer); });
}

provider::SubmitResult Provider::submit(provider::Queue& queue, provider::Program& program,
                                        std::span<const provider::Binding> bindings,
                                        std::uint64_t timeout_ns) {
    const auto step = count(Operation::Submit);
    if (!may_submit(queue, program, bindings))
        return provider::SubmitRejected{ErrorKind::InvalidArgument};
    if (step && step->action == Action::Rejected) return provider::SubmitRejected{step->error};
    auto result = inner_->submit(queue, program, bindings, timeout_ns);
    if (std::holds_alternative<provider::SubmitRejected>(result)) return result;

    auto* accepted = std::get_if<provider::Accepted>(&result);
    auto& event = accepted ? accepted->event : std::get<provider::SubmitUnknown>(result).event;
    Audit::Record record{.stands_on = {&queue, &program}};
    for (const provider::Binding& binding : bindings)
        record.stands_on.push_back(binding.buffer);
    audit_.add(event.get(), std::move(record));
    if (step) return provider::SubmitUnknown{step->error, std::move(event)};
    return result;
}

Result<provider::EventState> Provider::poll_event(provider::Event& event) {
    const auto step = count(Operation::PollEvent);
    if (!audit_.may_use(&event)) return std::unexpected(ErrorKind::InvalidArgument);
    if (step && step->action == Action::ErrorBefore) return std::unexpected(step->error);
    if (const auto made_up = audit_.completion(&event)) return *made_up;
    if (step && step->action == Action::Completion) {
        const provider::EventState state{step->phase, step->error};
        audit_.complete(&event, state);
        return state;
    }
    auto state = inner_->poll_event(event);
    if (step) return std::unexpected(step->error);
    return state;
}

Result<void> Provider::cancel_event(provider::Event& event) {
    return use(Operation::CancelEvent, event, [&]() -> Result<void> {
        if (audit_.completion(&event)) return std::unexpected(ErrorKind::Busy);
        return inner_->cancel_event(event);
    });
}

ReleaseResult<provider::Event> Provider::destroy_event(std::unique_ptr<provider::Event> event) {
    const bool made_up = audit_.completion(event.get()).has_value();
    return release(Operation::DestroyEvent, std::move(event), [&](auto owned) {
        // It may have ended inside, which is as good.
        if (made_up) static_cast<void>(inner_->cancel_event(*owned));
        return inner_->destroy_event(std::move(owned));
    });
}

}  // namespace fault
