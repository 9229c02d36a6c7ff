// SPDX-License-Identifier: MIT
#include "vhost/descriptor_chain.hpp"

namespace vhost {

std::string_view name(ChainDefect defect) {
    switch (defect) {
        case ChainDefect::IndexOutOfRange:
            return "descriptor index out of range";
        case ChainDefect::Loop:
            return "descriptor loop";
        case ChainDefect::UnknownFlag:
            return "unknown descriptor flag";
        case ChainDefect::Indirect:
            return "indirect descriptor";
        case ChainDefect::Unmapped:
            return "address outside guest memory";
        case ChainDefect::TooFewDescriptors:
            return "too few descriptors";
        case ChainDefect::TooManyDescriptors:
            return "too many descriptors";
        case ChainDefect::ZeroLength:
            return "zero-length descriptor";
        case ChainDefect::ReadableAfterWritable:
            return "readable after writable descriptor";
        case ChainDefect::MissingDirection:
            return "nothing readable or nothing writable";
    }
    std::unreachable();
}

void DescriptorChain::load(const RingView& ring, std::uint16_t head, std::uint16_t limit) {
    memory_ = ring.shared_memory();
    head_ = head;
    readable_.clear();
    writable_.clear();
    writable_bytes_ = 0;
    defect_ = walk(ring, limit);
}

void DescriptorChain::unmap() {
    readable_.clear();
    writable_.clear();
    memory_ = nullptr;
}

std::optional<ChainDefect> DescriptorChain::walk(const RingView& ring, std::uint16_t limit) {
    std::uint16_t index = head_;
    std::uint16_t count = 0;
    for (;;) {
        if (index >= ring.size()) return ChainDefect::IndexOutOfRange;
        // More descriptors than the ring has: one came twice.
        if (count == ring.size()) return ChainDefect::Loop;
        if (count == limit) return ChainDefect::TooManyDescriptors;
        const Descriptor descriptor = ring.descriptor(index);
        if (auto defect = add(descriptor)) return defect;
        ++count;
        if ((descriptor.flags & kDescriptorNext) == 0) break;
        index = descriptor.next;
    }
    if (count < 2) return ChainDefect::TooFewDescriptors;
    if (readable_.empty() || writable_.empty()) return ChainDefect::MissingDirection;
    return std::nullopt;
}

// Lengths are 32 bits and descriptors at most 32768, so no sum can overflow.
std::optional<ChainDefect> DescriptorChain::add(const Descriptor& descriptor) {
    constexpr std::uint16_t kKnown = kDescriptorNext | kDescriptorWrite | kDescriptorIndirect;
    if ((descriptor.flags & ~kKnown) != 0) return ChainDefect::UnknownFlag;
    if ((descriptor.flags & kDescriptorIndirect) != 0) return ChainDefect::Indirect;
    if (descriptor.length == 0) return ChainDefect::ZeroLength;

    bool mapped = false;
    if ((descriptor.flags & kDescriptorWrite) != 0) {
        mapped = memory_->translate(descriptor.address, descriptor.length, writable_);
        writable_bytes_ += descriptor.length;
    } else {
        if (!writable_.empty()) return ChainDefect::ReadableAfterWritable;
        mapped = memory_->translate(descriptor.address, descriptor.length, readable_);
    }
    if (!mapped) return ChainDefect::Unmapped;
    return std::nullopt;
}

}  // namespace vhost
