// SPDX-License-Identifier: MIT
#include "xdna/runtime.hpp"

namespace xdna {

Result<void> Runtime::start(dispatch::Job& job) {
    return static_cast<Job&>(job).run->start();
}

// An error is definite (hardware.hpp), as the lane wants it.
Result<dispatch::Progress> Runtime::wait(dispatch::Job& job, dispatch::Tick,
                                         std::chrono::milliseconds at_most) {
    return static_cast<Job&>(job).run->wait(at_most).transform([](RunState state) {
        return state == RunState::Completed ? dispatch::Progress::Done
                                            : dispatch::Progress::Pending;
    });
}

Result<void> Runtime::sync_outputs(dispatch::Job& job) {
    for (const Argument& output : static_cast<Job&>(job).outputs)
        if (auto synced = output.memory->from_device(output.offset, output.bytes); !synced)
            return synced;
    return {};
}

}  // namespace xdna
