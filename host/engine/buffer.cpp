// SPDX-License-Identifier: MIT
#include <bit>

#include "engine/device.hpp"
#include "engine/ports.hpp"
#include "engine/release.hpp"
#include "provider/bindings.hpp"

namespace engine {

using wire::Status;

namespace {

bool truthful(const provider::AllocationInfo& info, const provider::BufferDesc& asked) {
    constexpr std::uint32_t known = provider::kPropertyHostVisible |
                                    provider::kPropertyDeviceLocal |
                                    provider::kPropertyDirectBinding;
    std::uint32_t required = 0;
    switch (asked.domain) {
        case provider::MemoryDomain::Host:
            required = provider::kPropertyHostVisible;
            break;
        case provider::MemoryDomain::Device:
            required = provider::kPropertyDeviceLocal;
            break;
        case provider::MemoryDomain::Shared:
            required = provider::kPropertyHostVisible | provider::kPropertyDirectBinding;
            break;
    }
    if ((asked.usage & provider::kUsageProgram) != 0) required |= provider::kPropertyDirectBinding;
    return info.desc == asked && info.allocation_bytes >= asked.bytes &&
           std::has_single_bit(info.alignment) && info.alignment >= asked.alignment &&
           (info.properties & ~known) == 0 && (info.properties & required) == required;
}

// BUSY beats OUT_OF_BOUNDS beats PERMISSION_DENIED (protocol.md 9, trap 21).
Status check(const BufferRecord& buffer, const wire::Transfer& transfer, std::uint32_t usage) {
    if (buffer.references != 0) return Status::Busy;
    if (transfer.offset + transfer.bytes > buffer.desc.bytes) return Status::OutOfBounds;
    if ((buffer.desc.usage & usage) == 0) return Status::PermissionDenied;
    return Status::Ok;
}

}  // namespace

Task Device::execute(wire::AllocateBuffer command, Ports) {
    // The policy comes before the context lookup (protocol.md 9, trap 18).
    if (command.bytes > policy_.max_buffer_bytes - buffer_charge_) co_return Status::ResourceLimit;
    const auto context = contexts_.find(command.context);
    if (!context) co_return context.error();
    if (occupied(*context)) co_return Reply::wait_for(*context);
    if (contexts_[*context].buffers >= info_.max_buffers_per_context)
        co_return Status::ResourceLimit;
    auto room = buffers_.reserve();
    if (!room) co_return Status::ResourceLimit;

    const Occupation occupation(contexts_, *context);
    ++contexts_[*context].buffers;
    buffer_charge_ += command.bytes;
    const provider::BufferDesc desc{
        .bytes = command.bytes,
        .alignment = command.alignment,
        .domain = static_cast<provider::MemoryDomain>(command.domain),
        .usage = command.usage,
    };
    auto native = co_await provider_call([&, &parent = *contexts_[*context].native] {
        return provider_->allocate_buffer(parent, desc);
    });
    buffer_charge_ -= command.bytes;
    if (!native) {
        --contexts_[*context].buffers;
        co_return fail(native.error());
    }

    const provider::AllocationInfo info = (*native)->info();
    BufferRecord record{.native = std::move(*native),
                        .context = *context,
                        .references = 0,
                        .desc = desc,
                        .charge = info.allocation_bytes};
    Status refusal = Status::Ok;
    if (!truthful(info, desc))
        refusal = Status::Incompatible;
    else if (record.charge > policy_.max_buffer_bytes - buffer_charge_)
        refusal = Status::ResourceLimit;
    if (refusal == Status::Ok) {
        buffer_charge_ += record.charge;
        co_return Reply::id(buffers_.insert(*std::move(room), std::move(record)));
    }
    const auto keep = [&] {
        buffer_charge_ += record.charge;
        buffers_.insert(*std::move(room), std::move(record));
        return discard();
    };
    // A provider that was given up meanwhile is asked for nothing more.
    if (health_ != Health::Running) co_return keep();
    auto unpublished = std::move(record.native);
    auto result =
        co_await provider_call([&] { return provider_->free_buffer(std::move(unpublished)); });
    // Its id was never published. Only a release that is proven may be answered with a
    // plain refusal (protocol.md 4.6).
    const Release done = settle(record, std::move(result));
    if (done.outcome == Outcome::Rejected) co_return keep();
    --contexts_[*context].buffers;
    if (done.outcome == Outcome::Released) co_return refusal;
    ++quarantine_.buffers;
    quarantine_.buffer_bytes += record.charge;
    co_return done.status;
}

Task Device::execute(wire::FreeBuffer command, Ports) {
    const auto index = buffers_.find(command.object);
    if (!index) co_return index.error();
    const std::uint32_t context = buffers_[*index].context;
    if (occupied(context)) co_return Reply::wait_for(context);
    if (buffers_[*index].references != 0) co_return Status::Busy;

    const Occupation occupation(contexts_, context, command.object);
    auto native = std::move(buffers_[*index].native);
    auto result = co_await provider_call([&] { return provider_->free_buffer(std::move(native)); });
    co_return settle_buffer(*index, std::move(result)).status;
}

Device::Release Device::settle_buffer(std::uint32_t index,
                                      provider::ReleaseResult<provider::Buffer> result) {
    BufferRecord& buffer = buffers_[index];
    const Release done = settle(buffer, std::move(result));
    if (done.outcome == Outcome::Rejected) return done;
    --contexts_[buffer.context].buffers;
    buffer_charge_ -= buffer.charge;
    if (done.outcome == Outcome::Unknown) {
        ++quarantine_.buffers;
        quarantine_.buffer_bytes += buffer.charge;
    }
    buffers_.remove(index);
    return done;
}

Task Device::execute(wire::WriteBuffer command, Ports ports) {
    const auto index = buffers_.find(command.buffer);
    if (!index) co_return index.error();
    const std::uint32_t context = buffers_[*index].context;
    if (occupied(context)) co_return Reply::wait_for(context);
    const Status allowed = check(buffers_[*index], command, provider::kUsageTransferDestination);
    if (allowed != Status::Ok) co_return allowed;

    const Occupation occupation(contexts_, context, command.buffer);
    FrameSource data(ports.request, wire::WriteBuffer::kDataOffset, command.bytes);
    const auto written = co_await provider_call([&, &buffer = *buffers_[*index].native] {
        return provider_->write_buffer(buffer, command.offset, data);
    });
    if (!written) co_return fail(written.error());
    co_return Status::Ok;
}

Task Device::execute(wire::ReadBuffer command, Ports ports) {
    const auto index = buffers_.find(command.buffer);
    if (!index) co_return index.error();
    const std::uint32_t context = buffers_[*index].context;
    if (occupied(context)) co_return Reply::wait_for(context);
    const Status allowed = check(buffers_[*index], command, provider::kUsageTransferSource);
    if (allowed != Status::Ok) co_return allowed;

    const Occupation occupation(contexts_, context, command.buffer);
    FrameSink data(ports.response, wire::kHeaderBytes, command.bytes);
    const auto read = co_await provider_call([&, &buffer = *buffers_[*index].native] {
        return provider_->read_buffer(buffer, command.offset, data);
    });
    if (!read) co_return fail(read.error());
    co_return Reply::streamed(static_cast<std::uint32_t>(command.bytes));
}

}  // namespace engine
