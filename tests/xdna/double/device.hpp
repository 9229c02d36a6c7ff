// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "xdna/double/control.hpp"
#include "xdna/double/queue.hpp"
#include "xdna/double/xrt.hpp"
#include "xdna/spec.hpp"

namespace xrt_core {

class device {
 public:
    explicit device(unsigned index) : index_(index), counted_("device") {}

    [[nodiscard]] unsigned index() const { return index_; }

    void enroll(const xrt::uuid& id, const xdna::Spec& spec);
    [[nodiscard]] xdna::Spec registered(const xrt::uuid& id) const;  // throws

 private:
    const unsigned index_;
    mutable std::mutex mutex_;
    std::map<xrt::uuid, xdna::Spec> specs_;  // guarded by mutex_; for life, as in XRT
    xrt_double::Counted counted_;
};

}  // namespace xrt_core

namespace xrt {

class hw_context_impl {
 public:
    hw_context_impl(std::shared_ptr<xrt_core::device> device, const uuid& xclbin)
        : spec(device->registered(xclbin)), device_(std::move(device)), counted_("hw_context") {}

    const xdna::Spec spec;
    xrt_double::Queue queue;

 private:
    std::shared_ptr<xrt_core::device> device_;
    xrt_double::Counted counted_;
};

}  // namespace xrt
