// SPDX-License-Identifier: MIT
#include "vulkan/transfer.hpp"

#include <algorithm>

namespace vulkan {
namespace {

constexpr std::uint64_t kSegmentBytes = 4ULL << 20;

}  // namespace

Result<Transfer> Transfer::create(const std::shared_ptr<Device>& device, CommandPool& pool,
                                  bool staged) {
    if (!staged) return Transfer(*device, nullptr);
    auto commands = pool.allocate();
    if (!commands) return std::unexpected(commands.error());
    auto segment = Storage::allocate(device, MemoryDomain::Host, kSegmentBytes);
    if (!segment) return std::unexpected(segment.error());
    return Transfer(*device, std::make_unique<Staging>(std::move(*commands), std::move(*segment)));
}

template <class Record>
Result<void> Transfer::run(Record record) {
    Commands& commands = staging_->commands;
    if (auto begun = commands.begin(); !begun) return begun;
    record(commands.buffer());
    if (auto ended = commands.end(); !ended) return ended;
    if (const VkResult result = commands.submit(); result != VK_SUCCESS)
        return device_->fail(result);
    return commands.wait();
}

Result<void> Transfer::copy(VkBuffer from, VkBuffer to, const VkBufferCopy& range) {
    return run([&](VkCommandBuffer commands) {
        device_->api().CmdCopyBuffer(commands, from, to, 1, &range);
    });
}

Result<void> Transfer::zero(Storage& to) {
    if (!to.mapped().empty()) return {};  // zero since it was mapped
    return run([&](VkCommandBuffer commands) {
        device_->api().CmdFillBuffer(commands, to.buffer(), 0, VK_WHOLE_SIZE, 0);
    });
}

Result<void> Transfer::write(Storage& to, std::uint64_t offset, provider::ByteSource& source) {
    if (!to.mapped().empty()) return source.read(0, to.mapped().subspan(offset, source.size()));
    const auto segment = staging_->segment->mapped();
    for (std::uint64_t done = 0; done < source.size();) {
        const std::uint64_t bytes = std::min(source.size() - done, kSegmentBytes);
        if (auto filled = source.read(done, segment.first(bytes)); !filled) return filled;
        if (auto copied = copy(staging_->segment->buffer(), to.buffer(),
                               {.srcOffset = 0, .dstOffset = offset + done, .size = bytes});
            !copied)
            return copied;
        done += bytes;
    }
    return {};
}

Result<void> Transfer::read(Storage& from, std::uint64_t offset, provider::ByteSink& sink) {
    if (!from.mapped().empty()) return sink.write(0, from.mapped().subspan(offset, sink.size()));
    const auto segment = staging_->segment->mapped();
    for (std::uint64_t done = 0; done < sink.size();) {
        const std::uint64_t bytes = std::min(sink.size() - done, kSegmentBytes);
        if (auto copied = copy(from.buffer(), staging_->segment->buffer(),
                               {.srcOffset = offset + done, .dstOffset = 0, .size = bytes});
            !copied)
            return copied;
        if (auto drained = sink.write(done, segment.first(bytes)); !drained) return drained;
        done += bytes;
    }
    return {};
}

}  // namespace vulkan
