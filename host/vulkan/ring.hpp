// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "vulkan/commands.hpp"
#include "vulkan/executable.hpp"
#include "vulkan/storage.hpp"

namespace vulkan {

// A buffer that a submission uses, and how.
struct Held {
    std::shared_ptr<Storage> storage;
    bool exclusive = false;
};

// Everything that one submission needs, made beforehand, and everything that it keeps
// alive and gated while it runs.
class Submission {
 public:
    Submission(Commands commands, VkDescriptorSet set);

    [[nodiscard]] Commands& commands() { return commands_; }
    [[nodiscard]] VkDescriptorSet set() const { return set_; }

    // From just before the work is handed over to when it has provably ended.
    void hold(std::shared_ptr<const Executable> program, std::span<const Held> held);
    void retire();
    [[nodiscard]] bool in_flight() const { return program_ != nullptr; }

    // Where the event of the submission lives, so that submitting allocates nothing.
    static constexpr std::size_t kEventBytes = 128;
    [[nodiscard]] void* room_for_event() { return room_for_event_.data(); }

 private:
    friend class Ring;
    alignas(std::max_align_t) std::array<std::byte, kEventBytes> room_for_event_{};
    Commands commands_;
    VkDescriptorSet set_;
    std::shared_ptr<const Executable> program_;
    std::vector<Held> held_;
    bool taken_ = false;
};

// The submissions of a context. One belongs to each event, from its creation to its
// destruction.
class Ring {
 public:
    static constexpr std::uint32_t kLength = 64;

    [[nodiscard]] static Result<Ring> create(Device& device, VkDescriptorSetLayout layout,
                                             std::uint32_t elements, CommandPool& pool);
    Ring(Ring&&) = default;
    // Waits for what is in flight; what does not end makes it abandon the device.
    ~Ring();

    [[nodiscard]] Submission* take();  // null: all are taken

    // What is still in flight is not given out again.
    static void give_back(Submission& submission) { submission.taken_ = submission.in_flight(); }

 private:
    explicit Ring(Handle<VkDescriptorPool> pool) : pool_(std::move(pool)) {}

    Handle<VkDescriptorPool> pool_;
    std::vector<Submission> submissions_;
};

}  // namespace vulkan
