// SPDX-License-Identifier: MIT
//
// xrt::kernel and xrt::run: a command is opcode 3, the instructions, their number of words and
// a buffer for each slot (providers.md 4.9).
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "xdna/double/binaries.hpp"
#include "xdna/double/device.hpp"
#include "xdna/double/memory.hpp"
#include "xdna/double/oracle.hpp"

namespace xrt {

using xrt_double::control;

namespace {

constexpr std::uint64_t kOpcode = 3;
constexpr std::size_t kInstructions = 1, kLength = 2, kSlots = 3;

// Memory of the host is bank 0, what the instructions are read from bank 1, as in xclbins of
// MLIR-AIE.
constexpr std::uint16_t bank(memory_group group) {
    return static_cast<std::uint16_t>(group);
}
std::uint16_t bank_of(std::size_t argument) {
    if (argument == kInstructions) return 1;
    const std::lock_guard lock(control().mutex);
    return static_cast<std::uint16_t>(std::stoul(control().setting("bank", "0")));
}

struct Argument {
    bool is_set = false;
    std::uint64_t scalar = 0;
    std::weak_ptr<bo_impl> buffer;   // XRT's run does not keep it alive either
    std::shared_ptr<bo_impl> clone;  // what the run has made
};

using Buffer = std::shared_ptr<bo_impl>;

// What the device reaches at a buffer; nothing if that is less, or begins where the DMA
// cannot, or if there is no buffer.
std::span<std::byte> at_device(const Buffer& buffer, std::size_t bytes, bo::flags flags) {
    if (!buffer || buffer->flags != flags) return {};
    auto& device = buffer->memory->device;
    if (buffer->offset % 4 != 0 || bytes > device.size() - buffer->offset) return {};
    return std::span(device).subspan(buffer->offset, bytes);
}

bool is_program(const xdna::Spec& spec, std::span<const Argument> arguments,
                std::span<const Buffer> buffers) {
    const auto words = xrt_double::instructions(spec);
    const auto wanted = std::as_bytes(std::span(words));
    const auto given = at_device(buffers[kInstructions], wanted.size(), bo::flags::cacheable);
    return arguments[0].scalar == kOpcode && arguments[kLength].scalar == words.size() &&
           std::ranges::equal(wanted, given);
}

int execute(const xdna::Spec& spec, std::span<const Argument> arguments) {
    std::vector<Buffer> buffers;  // those that are still there stay
    for (const Argument& argument : arguments)
        buffers.push_back(argument.buffer.lock());
    if (!is_program(spec, arguments, buffers)) return ERT_CMD_STATE_ERROR;
    std::vector<std::span<std::byte>> data;
    for (const provider::Slot& slot : xdna::slots(spec)) {
        const auto& buffer = buffers[kSlots + data.size()];
        data.push_back(at_device(buffer, slot.bytes, bo::flags::host_only));
        if (data.back().empty()) return ERT_CMD_STATE_ERROR;
    }
    const std::vector<xrt_double::Bytes> inputs(data.begin(), data.end() - 1);
    xrt_double::compute(spec, inputs, data.back());
    return ERT_CMD_STATE_COMPLETED;
}

Buffer clone_of(const bo_impl& buffer, std::uint16_t to) {
    auto clone = std::make_shared<bo_impl>(nullptr, buffer.size, buffer.flags, to);
    std::memcpy(clone->memory->device.data(), buffer.memory->device.data() + buffer.offset,
                buffer.size);
    return clone;
}

}  // namespace

class kernel_impl {
 public:
    explicit kernel_impl(const hw_context& in)
        : context(in.get_handle()),
          arguments(kSlots + xdna::slots(context->spec).size()),
          counted_("kernel") {}

    const std::shared_ptr<hw_context_impl> context;
    const std::size_t arguments;

 private:
    xrt_double::Counted counted_;
};

class run_impl {
 public:
    explicit run_impl(std::shared_ptr<kernel_impl> of)
        : kernel_(std::move(of)), arguments_(kernel_->arguments), counted_("run") {}
    ~run_impl() {
        if (command_) finish(*command_);
    }
    run_impl(const run_impl&) = delete;
    run_impl& operator=(const run_impl&) = delete;

    void set(int index, Argument argument) {
        argument.is_set = true;
        arguments_.at(static_cast<std::size_t>(index)) = std::move(argument);
    }

    void start() {
        if (!std::ranges::all_of(arguments_, &Argument::is_set))
            throw std::runtime_error("XRT double: not all arguments are set");
        if (command_ && !done()) throw std::runtime_error("bad command state, can't launch");
        auto next = std::make_shared<xrt_double::Command>();
        next->work = [spec = kernel_->context->spec, arguments = arguments_] {
            return execute(spec, arguments);
        };
        kernel_->context->queue.start(next);
        command_ = std::move(next);
    }

    [[nodiscard]] int state() const {
        const std::lock_guard lock(control().mutex);
        return command_ ? command_->state : ERT_CMD_STATE_NEW;
    }

    // Zero waits for ever.
    [[nodiscard]] bool wait(std::chrono::milliseconds timeout) const {
        if (!command_) throw std::runtime_error("XRT double: not started");
        std::unique_lock lock(control().mutex);
        const auto is_done = [this] { return command_->done; };
        if (timeout.count() != 0) return control().changed.wait_for(lock, timeout, is_done);
        control().changed.wait(lock, is_done);
        return true;
    }

 private:
    [[nodiscard]] bool done() const {
        const std::lock_guard lock(control().mutex);
        return command_->done;
    }

    std::shared_ptr<kernel_impl> kernel_;
    std::vector<Argument> arguments_;
    std::shared_ptr<xrt_double::Command> command_;
    xrt_double::Counted counted_;
};

class run::command_error_impl {
 public:
    run of;  // as in XRT: the error keeps its run alive
    ert_cmd_state state;
    std::string message;
};

static std::shared_ptr<kernel_impl> find_kernel(const hw_context& in, const std::string& name) {
    control().enter("kernel");
    if (name != xrt_double::kEntry) throw std::runtime_error("No such kernel '" + name + "'");
    return std::make_shared<kernel_impl>(in);
}

kernel::kernel(const hw_context& in, const std::string& name) : handle(find_kernel(in, name)) {}
kernel::~kernel() = default;

int kernel::group_id(int argument) const {
    control().enter("group_id");
    const auto index = static_cast<std::size_t>(argument);
    if (index == 0 || index == kLength || index >= handle->arguments)
        throw std::out_of_range("no memory for this argument");
    // XRT's numbers have the context's in them.
    return static_cast<int>(handle->context->queue.context() << 16 | bank_of(index));
}

static std::shared_ptr<run_impl> make_run(const kernel& of) {
    control().enter("run");
    return std::make_shared<run_impl>(of.get_handle());
}

run::run(const kernel& of) : handle(make_run(of)) {}
run::~run() = default;

void run::set_arg_at_index(int index, const void* value, size_t bytes) {
    control().enter("set_arg");
    Argument argument;
    std::memcpy(&argument.scalar, value, std::min(bytes, sizeof argument.scalar));
    handle->set(index, std::move(argument));
}

void run::set_arg_at_index(int index, const bo& buffer) {
    control().enter("set_arg");
    const auto& given = buffer.get_handle();
    const std::uint16_t wanted = bank_of(static_cast<std::size_t>(index));
    // A copy, where the kernel does not reach the memory. XRT logs it at most.
    Argument argument;
    if (bank(given->group) != wanted) argument.clone = clone_of(*given, wanted);
    argument.buffer = argument.clone ? argument.clone : given;
    handle->set(index, std::move(argument));
}

void run::start() {
    control().enter("start");
    handle->start();
}

std::cv_status run::wait2(const std::chrono::milliseconds& timeout) const {
    control().enter("wait2");
    if (!handle->wait(timeout)) return std::cv_status::timeout;
    if (handle->state() != ERT_CMD_STATE_COMPLETED)
        throw aie_error(*this, "Command failed to complete successfully");
    return std::cv_status::no_timeout;
}

ert_cmd_state run::state() const {
    control().enter("state");
    return static_cast<ert_cmd_state>(handle->state());
}

run::command_error::command_error(const run& of, const std::string& what)
    : detail::pimpl<command_error_impl>(std::make_shared<command_error_impl>(
          of, static_cast<ert_cmd_state>(of.get_handle()->state()), what)) {}

ert_cmd_state run::command_error::get_command_state() const {
    return handle->state;
}

const char* run::command_error::what() const noexcept {
    return handle->message.c_str();
}

run::aie_error::aie_error(const run& of, const std::string& what) : command_error(of, what) {}

}  // namespace xrt
