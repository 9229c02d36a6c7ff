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

Reply Device::execute(const wire::AllocateBuffer& command, Ports&) {
    // The policy comes before the context lookup (protocol.md 9, trap 18).
    if (command.bytes > policy_.max_buffer_bytes - buffer_charge_) return Status::ResourceLimit;
    const auto context = contexts_.find(command.context);
    if (!context) return context.error();
    ContextRecord& parent = contexts_[*context];
    if (parent.buffers >= info_.max_buffers_per_context) return Status::ResourceLimit;
    if (!buffers_.reserve()) return Status::ResourceLimit;

    const provider::BufferDesc desc{
        .bytes = command.bytes,
        .alignment = command.alignment,
        .domain = static_cast<provider::MemoryDomain>(command.domain),
        .usage = command.usage,
    };
    auto native = provider_->allocate_buffer(*parent.native, desc);
    if (!native) return fail(native.error());

    const provider::AllocationInfo info = (*native)->info();
    BufferRecord record{.native = std::move(*native),
                        .context = *context,
                        .references = 0,
                        .desc = desc,
                        .charge = info.allocation_bytes};
    if (!truthful(info, desc)) return drop_unpublished(std::move(record), Status::Incompatible);
    if (info.allocation_bytes > policy_.max_buffer_bytes - buffer_charge_)
        return drop_unpublished(std::move(record), Status::ResourceLimit);

    ++parent.buffers;
    buffer_charge_ += info.allocation_bytes;
    return Reply::id(buffers_.insert(std::move(record)));
}

// A buffer whose id was never published is released again. Only a release that is
// proven may be answered with a plain refusal (protocol.md 4.6).
wire::Status Device::drop_unpublished(BufferRecord buffer, wire::Status refusal) {
    const Release done = release_native(
        buffer, [this](auto native) { return provider_->free_buffer(std::move(native)); });
    switch (done.outcome) {
        case Outcome::Released:
            return refusal;
        case Outcome::Rejected:
            ++contexts_[buffer.context].buffers;
            buffer_charge_ += buffer.charge;
            buffers_.insert(std::move(buffer));
            return discard();
        case Outcome::Unknown:
            ++quarantine_.buffers;
            quarantine_.buffer_bytes += buffer.charge;
            return done.status;
    }
    return discard();
}

Reply Device::execute(const wire::FreeBuffer& command, Ports&) {
    const auto index = buffers_.find(command.object);
    if (!index) return index.error();
    if (buffers_[*index].references != 0) return Status::Busy;
    return release_buffer(*index).status;
}

Device::Release Device::release_buffer(std::uint32_t index) {
    BufferRecord& buffer = buffers_[index];
    const Release done = release_native(
        buffer, [this](auto native) { return provider_->free_buffer(std::move(native)); });
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

Reply Device::execute(const wire::WriteBuffer& command, Ports& ports) {
    const auto index = buffers_.find(command.buffer);
    if (!index) return index.error();
    BufferRecord& buffer = buffers_[*index];
    const Status allowed = check(buffer, command, provider::kUsageTransferDestination);
    if (allowed != Status::Ok) return allowed;

    FrameSource data(ports.request, wire::WriteBuffer::kDataOffset, command.bytes);
    const auto written = provider_->write_buffer(*buffer.native, command.offset, data);
    if (!written) return fail(written.error());
    return Status::Ok;
}

Reply Device::execute(const wire::ReadBuffer& command, Ports& ports) {
    const auto index = buffers_.find(command.buffer);
    if (!index) return index.error();
    BufferRecord& buffer = buffers_[*index];
    const Status allowed = check(buffer, command, provider::kUsageTransferSource);
    if (allowed != Status::Ok) return allowed;

    FrameSink data(ports.response, wire::kHeaderBytes, command.bytes);
    const auto read = provider_->read_buffer(*buffer.native, command.offset, data);
    if (!read) return fail(read.error());
    return Reply::streamed(static_cast<std::uint32_t>(command.bytes));
}

}  // namespace engine
