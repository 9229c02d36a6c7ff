// SPDX-License-Identifier: MIT
#include "engine/device.hpp"
#include "engine/release.hpp"

namespace engine {

using wire::Status;

Task Device::execute(wire::CreateContext, Ports) {
    if (contexts_.live_or_reserved() >= info_.max_contexts) co_return Status::ResourceLimit;
    auto room = contexts_.reserve();
    if (!room) co_return Status::ResourceLimit;

    auto native = co_await provider_call([this] { return provider_->create_context(0); });
    if (!native) co_return fail(native.error());
    co_return Reply::id(contexts_.insert(*std::move(room), {.native = std::move(*native)}));
}

Task Device::execute(wire::DestroyContext command, Ports) {
    const auto index = contexts_.find(command.object);
    if (!index) co_return index.error();
    if (occupied(*index)) co_return Reply::wait_for(*index);
    if (contexts_[*index].has_children()) co_return Status::Busy;

    const Occupation occupation(contexts_, *index, command.object);
    auto native = std::move(contexts_[*index].native);
    auto result =
        co_await provider_call([&] { return provider_->destroy_context(std::move(native)); });
    co_return settle_context(*index, std::move(result)).status;
}

Device::Release Device::settle_context(std::uint32_t index,
                                       provider::ReleaseResult<provider::Context> result) {
    const Release done = settle(contexts_[index], std::move(result));
    if (done.outcome == Outcome::Rejected) return done;
    if (done.outcome == Outcome::Unknown) ++quarantine_.contexts;
    contexts_.remove(index);
    return done;
}

}  // namespace engine
