// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "xdna/hardware.hpp"
#include "xdna/xrt/native.hpp"

namespace xdna::native_xrt {

class Partition final : public Context {
 public:
    Partition(xrt::device device, xrt::hw_context context)
        : device_(std::move(device)), context_(std::move(context)) {}

    [[nodiscard]] Result<std::shared_ptr<Executable>> load(
        const std::string& entry, std::span<const std::uint32_t> instructions) override;

 private:
    xrt::device device_;
    xrt::hw_context context_;
};

class Kernel final : public Executable, public std::enable_shared_from_this<Kernel> {
 public:
    // The instructions are where the array reads them.
    Kernel(xrt::hw_context context, xrt::kernel kernel, xrt::bo instructions, std::uint32_t words)
        : context_(std::move(context)),
          kernel_(std::move(kernel)),
          instructions_(std::move(instructions)),
          words_(words) {}

    [[nodiscard]] Result<std::unique_ptr<Run>> make_run(
        std::span<const Argument> arguments) override;

 private:
    // The buffer is what is set: the memory, or a part of it.
    [[nodiscard]] Result<void> set_data(xrt::run& run, int index, const Argument& argument,
                                        xrt::bo& buffer) const;

    xrt::hw_context context_;
    xrt::kernel kernel_;
    xrt::bo instructions_;
    std::uint32_t words_;
};

class Command final : public Run {
 public:
    Command(std::shared_ptr<const Kernel> kernel, std::vector<xrt::bo> data, xrt::run run)
        : kernel_(std::move(kernel)), data_(std::move(data)), run_(std::move(run)) {}

    [[nodiscard]] Result<void> start() override;
    [[nodiscard]] Result<RunState> wait(std::chrono::milliseconds at_most) override;

 private:
    // XRT's run keeps neither of them alive.
    std::shared_ptr<const Kernel> kernel_;
    std::vector<xrt::bo> data_;
    xrt::run run_;
    bool started_ = false;
};

}  // namespace xdna::native_xrt
