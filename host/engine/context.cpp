// SPDX-License-Identifier: MIT
#include "engine/device.hpp"
#include "engine/release.hpp"

namespace engine {

using wire::Status;

Reply Device::execute(const wire::CreateContext&, Ports&) {
    if (contexts_.live() >= info_.max_contexts) return Status::ResourceLimit;
    if (!contexts_.reserve()) return Status::ResourceLimit;

    auto native = provider_->create_context(0);
    if (!native) return fail(native.error());

    return Reply::id(contexts_.insert({.native = std::move(*native)}));
}

Reply Device::execute(const wire::DestroyContext& command, Ports&) {
    const auto index = contexts_.find(command.object);
    if (!index) return index.error();
    if (contexts_[*index].has_children()) return Status::Busy;
    return release_context(*index).status;
}

Device::Release Device::release_context(std::uint32_t index) {
    const Release done = release_native(contexts_[index], [this](auto native) {
        return provider_->destroy_context(std::move(native));
    });
    if (done.outcome == Outcome::Rejected) return done;
    if (done.outcome == Outcome::Unknown) ++quarantine_.contexts;
    contexts_.remove(index);
    return done;
}

}  // namespace engine
