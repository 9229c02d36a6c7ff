// SPDX-License-Identifier: MIT
//
// A Vulkan loader between the provider and the real one, for what no device here does: it
// shows a smaller device than there is, fails a chosen call, loses the device, and counts
// what was made and not destroyed. It lies in the process that tests, and does what this
// structure says.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vulkan/vulkan.h>

namespace shim {

// What the device seems to be. What is not set is as it really is.
struct Mask {
    std::uint32_t api_version = 0;
    std::uint32_t driver_version = 0;
    std::uint32_t subgroup_size = 0;
    std::function<void(VkPhysicalDeviceLimits&)> limits;
    bool no_synchronization2 = false;
    bool no_maintenance4 = false;
    bool no_timeline_semaphore = false;
    bool no_buffer_device_address = false;
    bool no_integer_dot_product = false;
    bool no_full_subgroups = false;
    bool no_shuffle = false;
    bool no_matrices = false;      // the extension
    bool no_memory_model = false;  // and what it needs
    bool no_float16 = false;
    bool no_int8 = false;
    bool card = false;  // memory of its own that cannot be mapped, beside the host's
};

// The `nth` call of the function, counted from 1, fails, once, without being made.
struct Fault {
    std::string function;
    unsigned nth = 0;
    VkResult result = VK_SUCCESS;
};

// With its `nth` submission from now on, counted from 1, the device is gone: every call that can
// fail does. That submission may have been accepted before.
struct Loss {
    unsigned nth = 0;
    bool accepted = false;
};

class Control {
 public:
    Mask mask;
    std::optional<Fault> fault;
    std::optional<Loss> loss;

    // As if nothing had happened, but for what is alive.
    void start_over() {
        const std::scoped_lock lock(mutex_);
        mask = {};
        fault.reset();
        loss.reset();
        lost_ = failed_ = demanded_full_subgroups = false;
        submissions_ = 0;
        calls_.clear();
        complaints_.clear();
    }

    [[nodiscard]] bool failed() const { return failed_; }  // the fault has happened
    [[nodiscard]] bool lost() const { return lost_; }
    [[nodiscard]] unsigned calls(std::string_view function) const {
        const auto found = calls_.find(function);
        return found == calls_.end() ? 0 : found->second;
    }
    // "" when everything that was made is gone, else what is left.
    [[nodiscard]] std::string alive() const {
        std::string text;
        for (const auto& [kind, count] : alive_)
            if (count != 0) text += kind + "=" + std::to_string(count) + " ";
        return text;
    }
    // What is alive shall stay so.
    void forget() { alive_.clear(); }

    // What no program may do to the device that it has been shown.
    [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

    std::atomic<bool> demanded_full_subgroups = false;  // of any pipeline

    // What the newest pipeline cache was made from.
    std::vector<std::byte> initial_cache;

    // For the shim.
    [[nodiscard]] VkResult called(std::string_view function, bool of_device) {
        const std::scoped_lock lock(mutex_);
        const unsigned call = ++calls_[std::string(function)];
        if (of_device && lost_) return VK_ERROR_DEVICE_LOST;
        if (!fault || fault->function != function || fault->nth != call) return VK_SUCCESS;
        failed_ = true;
        return fault->result;
    }
    void made(const char* kind, int count) {
        const std::scoped_lock lock(mutex_);
        alive_[kind] += count;
    }
    void complain(const char* what) {
        const std::scoped_lock lock(mutex_);
        complaints_.emplace_back(what);
        if (!strict) return;
        std::fputs(what, stderr);
        std::abort();
    }
    bool strict = false;  // nobody asks for complaints
    VkPhysicalDeviceLimits shown{};
    // Whether the device is lost with the submission that is about to be made.
    [[nodiscard]] bool lost_with_next_submission() {
        const std::scoped_lock lock(mutex_);
        return loss && loss->nth == ++submissions_;
    }
    void note_memory(VkDeviceMemory memory, bool mappable) {
        const std::scoped_lock lock(mutex_);
        mappable_[memory] = mappable;
    }
    [[nodiscard]] bool mappable(VkDeviceMemory memory) {
        const std::scoped_lock lock(mutex_);
        return mappable_[memory];
    }
    void lose() { lost_ = true; }
    void replace_device() { lost_ = false; }

 private:
    std::mutex mutex_;
    std::atomic<bool> failed_ = false;
    std::atomic<bool> lost_ = false;
    unsigned submissions_ = 0;
    std::map<std::string, unsigned, std::less<>> calls_;
    std::map<std::string, int> alive_;
    std::vector<std::string> complaints_;
    std::map<VkDeviceMemory, bool> mappable_;
};

inline constexpr const char* kControl = "shim_control";
using GetControl = Control* (*)();

}  // namespace shim
