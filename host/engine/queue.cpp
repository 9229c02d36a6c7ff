// SPDX-License-Identifier: MIT
#include "engine/device.hpp"
#include "engine/release.hpp"

namespace engine {

using wire::Status;

Task Device::execute(wire::CreateQueue command, Ports) {
    const auto context = contexts_.find(command.context);
    if (!context) co_return context.error();
    if (occupied(*context)) co_return Reply::wait_for(*context);
    if (contexts_[*context].queues >= info_.max_queues_per_context) co_return Status::ResourceLimit;
    auto room = queues_.reserve();
    if (!room) co_return Status::ResourceLimit;

    const Occupation occupation(contexts_, *context);
    ++contexts_[*context].queues;
    auto native = co_await provider_call([this, &parent = *contexts_[*context].native] {
        return provider_->create_queue(parent, 0);
    });
    if (!native) {
        --contexts_[*context].queues;
        co_return fail(native.error());
    }
    co_return Reply::id(
        queues_.insert(*std::move(room), {.native = std::move(*native), .context = *context}));
}

Task Device::execute(wire::DestroyQueue command, Ports) {
    const auto index = queues_.find(command.object);
    if (!index) co_return index.error();
    const std::uint32_t context = queues_[*index].context;
    if (occupied(context)) co_return Reply::wait_for(context);
    if (queues_[*index].references != 0) co_return Status::Busy;

    const Occupation occupation(contexts_, context, command.object);
    auto native = std::move(queues_[*index].native);
    auto result =
        co_await provider_call([&] { return provider_->destroy_queue(std::move(native)); });
    co_return settle_queue(*index, std::move(result)).status;
}

Device::Release Device::settle_queue(std::uint32_t index,
                                     provider::ReleaseResult<provider::Queue> result) {
    QueueRecord& queue = queues_[index];
    const Release done = settle(queue, std::move(result));
    if (done.outcome == Outcome::Rejected) return done;
    --contexts_[queue.context].queues;
    if (done.outcome == Outcome::Unknown) ++quarantine_.queues;
    queues_.remove(index);
    return done;
}

}  // namespace engine
