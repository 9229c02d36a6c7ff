// SPDX-License-Identifier: MIT
//
// What the provider asks of XRT. The one implementation is a library of its own, which is
// opened at run time (load_xrt() in xdna/plugin.hpp), so that a host without XRT runs the
// other providers. No exception of XRT comes out of it.
//
// Errors. OutOfMemory; ResourceLimit where the driver refuses a hardware context or has no
// room; DeviceLost where the device is gone; all others External, with kErrorDomain and the
// system's error number, or one of XRT's command states negated.
//
// Lifetime. Each object keeps alive what it was made from. The destructors of Run and
// Context may block in the driver as long as a command of theirs runs: what may never end
// is never destroyed.
//
// Threads. Npu and Context may be used by several threads at once, the others by one at a
// time; but start() and wait() of different runs overlap.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "provider/error.hpp"

namespace xdna {

using provider::Error;
using provider::ErrorKind;
using provider::Result;

inline constexpr std::uint32_t kErrorDomain = 0x58444E41;  // "XDNA"

// An NPU as an operator sees it.
struct NpuDescription {
    std::uint32_t index = 0;  // XRT's
    std::string name;
    std::string address;  // on PCI
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
    std::uint32_t revision = 0;
    std::string driver;  // name and version, like the next two as they say it
    std::string firmware;
    std::string xrt;
    std::string untested;  // what of these versions nobody has tested; empty if somebody has
    std::string unusable;  // why the provider cannot use it; empty when it can
};

// Memory of the host that the array reads and writes, mapped for life. Zero at first.
class Memory {
 public:
    virtual ~Memory() = default;
    [[nodiscard]] virtual std::span<std::byte> bytes() const = 0;
    // What the host has written is seen by the next run.
    [[nodiscard]] virtual Result<void> to_device(std::uint64_t offset, std::uint64_t bytes) = 0;
    // What the last run has written is seen by the host.
    [[nodiscard]] virtual Result<void> from_device(std::uint64_t offset, std::uint64_t bytes) = 0;
};

// A range of memory that passed the caller's checks: inside, and at a multiple of
// Npu::binding_alignment().
struct Argument {
    std::shared_ptr<Memory> memory;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

enum class RunState : std::uint8_t { Running, Completed };

// One command.
class Run {
 public:
    virtual ~Run() = default;
    // May block if four commands of its context are under way.
    [[nodiscard]] virtual Result<void> start() = 0;
    // An error is definite: the command has ended, not well, or was never started.
    [[nodiscard]] virtual Result<RunState> wait(std::chrono::milliseconds at_most) = 0;
};

// A kernel with the instructions of one program.
class Executable {
 public:
    virtual ~Executable() = default;
    [[nodiscard]] virtual Result<std::unique_ptr<Run>> make_run(
        std::span<const Argument> arguments) = 0;
};

// A partition of the array that is configured for one xclbin. There are few of them.
class Context {
 public:
    virtual ~Context() = default;
    [[nodiscard]] virtual Result<std::shared_ptr<Executable>> load(
        const std::string& entry, std::span<const std::uint32_t> instructions) = 0;
};

class Npu {
 public:
    virtual ~Npu() = default;
    [[nodiscard]] virtual const NpuDescription& description() const = 0;
    // What an offset of an argument must be a multiple of: 4, or more if XRT wants it.
    [[nodiscard]] virtual std::uint64_t binding_alignment() const = 0;
    [[nodiscard]] virtual Result<std::shared_ptr<Memory>> allocate(std::uint64_t bytes) = 0;
    [[nodiscard]] virtual Result<std::shared_ptr<Context>> create_context(
        std::span<const std::byte> xclbin) = 0;
};

class Xrt {
 public:
    virtual ~Xrt() = default;
    [[nodiscard]] virtual std::string version() const = 0;
    // Usable or not. The error says what is missing.
    [[nodiscard]] virtual std::expected<std::vector<NpuDescription>, std::string> list() = 0;
    [[nodiscard]] virtual std::expected<std::shared_ptr<Npu>, std::string> open(
        std::uint32_t index) = 0;
};

}  // namespace xdna
