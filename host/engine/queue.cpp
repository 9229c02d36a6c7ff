// SPDX-License-Identifier: MIT
#include "engine/device.hpp"
#include "engine/release.hpp"

namespace engine {

using wire::Status;

Reply Device::execute(const wire::CreateQueue& command, Ports&) {
    const auto context = contexts_.find(command.context);
    if (!context) return context.error();
    ContextRecord& parent = contexts_[*context];
    if (parent.queues >= info_.max_queues_per_context) return Status::ResourceLimit;
    if (!queues_.reserve()) return Status::ResourceLimit;

    auto native = provider_->create_queue(*parent.native, 0);
    if (!native) return fail(native.error());

    ++parent.queues;
    return Reply::id(queues_.insert({.native = std::move(*native), .context = *context}));
}

Reply Device::execute(const wire::DestroyQueue& command, Ports&) {
    const auto index = queues_.find(command.object);
    if (!index) return index.error();
    if (queues_[*index].references != 0) return Status::Busy;
    return release_queue(*index).status;
}

Device::Release Device::release_queue(std::uint32_t index) {
    QueueRecord& queue = queues_[index];
    const Release done = release_native(
        queue, [this](auto native) { return provider_->destroy_queue(std::move(native)); });
    if (done.outcome == Outcome::Rejected) return done;
    --contexts_[queue.context].queues;
    if (done.outcome == Outcome::Unknown) ++quarantine_.queues;
    queues_.remove(index);
    return done;
}

}  // namespace engine
