// SPDX-License-Identifier: MIT
//
// Driver and device in one thread, with a split ring in shared memory between them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "driver/device.hpp"
#include "driver/frames.hpp"
#include "driver/ring.hpp"
#include "driver/shared_memory.hpp"
#include "wire/status.hpp"

namespace bench {

class Link {
 public:
    static constexpr std::size_t kMaxBulk = 1 << 20;

    explicit Link(std::unique_ptr<provider::Provider> provider)
        : memory_(4 << 20),
          ring_(memory_, 256),
          device_(std::move(provider)),
          request_(memory_.allocate(kHeadBytes)),
          response_(memory_.allocate(kHeadBytes)),
          bulk_(memory_.allocate(kMaxBulk, 4096)) {
        device_.start(memory_, ring_.memory());
    }

    // Tails of requests and payloads of READ_BUFFER lie here, in one piece.
    [[nodiscard]] std::span<std::byte> bulk() const { return bulk_.bytes; }

    // One command, there and back. Its tail, if it has one, is in bulk() already; `read`
    // bytes of its payload go there. Returns the object id of the response.
    std::uint64_t call(const driver::Request& request, std::size_t read = 0) {
        std::memcpy(request_.bytes.data(), request.head().data(), request.head().size());
        const driver::Block out[] = {request_.part(0, request.head().size()),
                                     bulk_.part(0, request.tail().size())};
        const driver::Block in[] = {response_.part(0, read == 0 ? kAnswerBytes : kHeaderBytes),
                                    bulk_.part(0, read)};
        const std::span readable(out, request.tail().empty() ? 1 : 2);
        const std::span writable(in, read == 0 ? 1 : 2);
        if (!ring_.publish(readable, writable) || device_.service(1) != 1 || !ring_.pop())
            std::abort();
        if (load<std::uint16_t>(0) != VIRTIO_ACCEL_S_OK) std::abort();
        return load<std::uint64_t>(kHeaderBytes);
    }

    [[nodiscard]] std::uint64_t next_id() { return ++id_; }

 private:
    static constexpr std::size_t kHeadBytes = 256;
    static constexpr std::size_t kHeaderBytes = sizeof(virtio_accel_response_header);
    static constexpr std::size_t kAnswerBytes = kHeaderBytes + sizeof(virtio_accel_device_info);

    template <class T>
    [[nodiscard]] T load(std::size_t offset) const {
        T value;
        std::memcpy(&value, response_.bytes.data() + offset, sizeof value);
        return wire::le(value);
    }

    driver::SharedMemory memory_;
    driver::Ring ring_;
    driver::Device device_;
    driver::Block request_;
    driver::Block response_;
    driver::Block bulk_;
    std::uint64_t id_ = 0;
};

}  // namespace bench
