// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/unique_fd.hpp"
#include "xdna/store.hpp"
#include "xdna/store/channel.hpp"

namespace xdna {

// A store that is another process, because whoever serves a guest may neither open files nor
// start compilers (docs/adr/0007). It answers one request at a time. A store that is lost,
// for it went away, took too long or sent what no store sends, stays so: External.
class StoreClient final : public Store {
 public:
    // Waits for an answer a little less long than the daemon for its worker.
    static constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(290);

    // Of a stream socket that is connected to virtio-accel-xdna-store.
    explicit StoreClient(base::UniqueFd socket, std::chrono::milliseconds patience = kPatience)
        : channel_(std::move(socket)), patience_(patience) {}

    [[nodiscard]] std::expected<Binary, NoBinary> find(const Spec& spec, Effort effort) override;

 private:
    [[nodiscard]] std::expected<Binary, NoBinary> ask(const Spec& spec, Effort effort);
    [[nodiscard]] std::unexpected<NoBinary> lost(std::string_view why);

    std::mutex mutex_;
    Channel channel_;  // closed once the store is lost; under mutex_
    const std::chrono::milliseconds patience_;
};

}  // namespace xdna
