// SPDX-License-Identifier: MIT
//
// Arguments of a kernel that was compiled by MLIR-AIE (providers.md 4.9): 0 is the opcode, 1
// the instructions, 2 how many words they are, and from 3 on the data.
#include "xdna/xrt/context.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <thread>

#include "provider/guard.hpp"
#include "xdna/xrt/npu.hpp"

namespace xdna::native_xrt {

namespace {

constexpr std::uint64_t kTransaction = 3;  // the opcode
constexpr int kOpcodeArgument = 0;
constexpr int kInstructionsArgument = 1;
constexpr int kWordsArgument = 2;
constexpr int kFirstData = 3;

// A group has the index of the context in it, which no memory does.
std::uint16_t bank(xrt::memory_group group) {
    return static_cast<std::uint16_t>(group);
}

// Nothing for a state in which the array may still write. All others but Completed are
// errors.
std::optional<Result<RunState>> outcome(std::int64_t state) {
    switch (state) {
        case ERT_CMD_STATE_COMPLETED:
            return RunState::Completed;
        case ERT_CMD_STATE_ERROR:
        case ERT_CMD_STATE_ABORT:
        case ERT_CMD_STATE_TIMEOUT:
        case ERT_CMD_STATE_NORESPONSE:
        case ERT_CMD_STATE_SKERROR:
        case ERT_CMD_STATE_SKCRASHED:
            return std::unexpected(Error(kErrorDomain, -state));
        default:
            return std::nullopt;
    }
}

}  // namespace

Result<std::shared_ptr<Executable>> Partition::load(const std::string& entry,
                                                    std::span<const std::uint32_t> instructions) {
    if (instructions.empty() || instructions.size() > std::numeric_limits<std::uint32_t>::max())
        return std::unexpected(Error(kErrorDomain, EINVAL));
    auto kernel = native([&] { return xrt::kernel(context_, entry); });
    if (!kernel) return std::unexpected(kernel.error().error);
    auto buffer = native([&] {
        const auto group = static_cast<xrt::memory_group>(kernel->group_id(kInstructionsArgument));
        xrt::bo made(device_, instructions.size_bytes(), xrt::bo::flags::cacheable, group);
        made.write(instructions.data(), instructions.size_bytes(), 0);
        made.sync(XCL_BO_SYNC_BO_TO_DEVICE, instructions.size_bytes(), 0);
        return made;
    });
    if (!buffer) return std::unexpected(buffer.error().error);
    return provider::guarded([&]() -> Result<std::shared_ptr<Executable>> {
        return std::make_shared<Kernel>(context_, std::move(*kernel), std::move(*buffer),
                                        static_cast<std::uint32_t>(instructions.size()));
    });
}

Result<std::unique_ptr<Run>> Kernel::make_run(std::span<const Argument> arguments) {
    auto run = native([&] {
        xrt::run made(kernel_);
        made.set_arg(kOpcodeArgument, kTransaction);
        made.set_arg(kInstructionsArgument, instructions_);
        made.set_arg(kWordsArgument, words_);
        return made;
    });
    if (!run) return std::unexpected(run.error().error);
    return provider::guarded([&]() -> Result<std::unique_ptr<Run>> {
        std::vector<xrt::bo> data(arguments.size());
        int index = kFirstData;
        for (std::size_t i = 0; i < arguments.size(); ++i, ++index) {
            if (auto set = set_data(*run, index, arguments[i], data[i]); !set)
                return std::unexpected(set.error());
        }
        return std::make_unique<Command>(shared_from_this(), std::move(data), std::move(*run));
    });
}

Result<void> Kernel::set_data(xrt::run& run, int index, const Argument& argument,
                              xrt::bo& buffer) const {
    // All memory of this NPU is of this class.
    const xrt::bo& all = static_cast<const MappedMemory&>(*argument.memory).buffer();
    const auto reachable = native([&] {
        buffer = argument.offset == 0 ? all : xrt::bo(all, argument.bytes, argument.offset);
        return bank(static_cast<xrt::memory_group>(kernel_.group_id(index))) ==
               bank(all.get_memory_group());
    });
    if (!reachable) return std::unexpected(reachable.error().error);
    // To what the kernel cannot reach XRT would bind a copy, and say so in a log at most.
    if (!*reachable) return std::unexpected(Error(kErrorDomain, EXDEV));
    return bare(native([&] { run.set_arg(index, buffer); }));
}

Result<void> Command::start() {
    auto outcome = native([&] { run_.start(); });
    started_ = outcome.has_value();
    return bare(std::move(outcome));
}

Result<RunState> Command::wait(std::chrono::milliseconds at_most) {
    // XRT would wait for what was never submitted, and longer than it is told to.
    if (!started_) return std::unexpected(Error(kErrorDomain, EINVAL));
    // To XRT, no time is all the time.
    at_most = std::max(at_most, std::chrono::milliseconds(1));
    const auto woken = native([&] { return run_.wait2(at_most); });
    if (woken && *woken == std::cv_status::timeout) return RunState::Running;

    // wait2() may throw for other reasons than the command's end. The state alone says
    // whether it has ended: its own in the exception, if it threw for that.
    std::optional<Result<RunState>> ended;
    if (!woken && woken.error().error.domain == kErrorDomain)
        ended = outcome(-woken.error().error.code);
    if (!ended) {
        const auto state = native([&] { return run_.state(); });
        if (state) ended = outcome(*state);
    }
    if (ended) return *ended;
    // Whoever asks in a loop is to find something else to do in it than asking.
    std::this_thread::sleep_for(at_most);
    return RunState::Running;
}

}  // namespace xdna::native_xrt
