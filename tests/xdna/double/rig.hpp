// SPDX-License-Identifier: MIT
//
// A kernel as a program of XRT's own interface has it, without the provider.
#pragma once

#include <cstring>
#include <initializer_list>
#include <vector>

#include "xdna/double/binaries.hpp"
#include "xdna/double/script.hpp"
#include "xdna/double/xrt.hpp"

namespace xrt_double {

struct Rig {
    xdna::Spec spec;
    xrt::device device{0U};
    xrt::hw_context context;
    xrt::kernel kernel;
    xrt::bo program;
    std::vector<std::uint32_t> words;

    explicit Rig(const xdna::Spec& of) : spec(of), words(instructions(of)) {
        const auto file = xclbin(spec);
        const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
        const auto id = device.register_xclbin(xrt::xclbin(text));
        context = xrt::hw_context(device, id, xrt::hw_context::access_mode::shared);
        kernel = xrt::kernel(context, kEntry);
        const std::size_t bytes = words.size() * sizeof words[0];
        program = xrt::bo(device, bytes, xrt::bo::flags::cacheable,
                          static_cast<xrt::memory_group>(kernel.group_id(1)));
        program.write(words.data(), bytes, 0);
        program.sync(XCL_BO_SYNC_BO_TO_DEVICE, bytes, 0);
    }

    [[nodiscard]] xrt::bo buffer(std::size_t bytes) const {
        return {device, bytes, xrt::bo::flags::host_only, 0};
    }
    // One for each slot.
    [[nodiscard]] std::vector<xrt::bo> buffers() const {
        std::vector<xrt::bo> out;
        for (const provider::Slot& slot : xdna::slots(spec))
            out.push_back(buffer(slot.bytes));
        return out;
    }

    [[nodiscard]] xrt::run run(const std::vector<xrt::bo>& data, std::uint64_t opcode = 3) const {
        xrt::run made(kernel);
        made.set_arg(0, opcode);
        made.set_arg(1, program);
        made.set_arg(2, static_cast<std::uint32_t>(words.size()));
        for (std::size_t i = 0; i < data.size(); ++i)
            made.set_arg(static_cast<int>(3 + i), data[i]);
        return made;
    }
};

template <class T>
void put(xrt::bo& buffer, const std::vector<T>& values) {
    buffer.write(values.data(), values.size() * sizeof(T), 0);
    buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE, values.size() * sizeof(T), 0);
}

// What the host sees of it.
template <class T>
std::vector<T> seen(xrt::bo& buffer, std::size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), buffer.map(), count * sizeof(T));
    return values;
}

template <class T>
std::vector<T> got(xrt::bo& buffer, std::size_t count) {
    buffer.sync(XCL_BO_SYNC_BO_FROM_DEVICE, count * sizeof(T), 0);
    return seen<T>(buffer, count);
}

// The state in which it ends.
inline int outcome(xrt::run run) {
    run.start();
    try {
        run.wait2();
        return ERT_CMD_STATE_COMPLETED;
    } catch (const xrt::run::command_error& error) {
        return error.get_command_state();
    }
}

}  // namespace xrt_double
