// SPDX-License-Identifier: MIT
#include "xdna/xrt/native.hpp"

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

namespace xdna {

namespace {

std::string copy(const char* text) noexcept {
    try {
        return text;
    } catch (...) {
        return {};
    }
}

Error from_system(int number) {
    switch (number) {
        case ENOMEM:
            return ErrorKind::OutOfMemory;
        // A heap of the device is full (ENOSPC), or what the process may have of files or of
        // memory that stays (EAGAIN, from mmap with MAP_LOCKED).
        case ENOSPC:
        case EAGAIN:
        case EMFILE:
        case ENFILE:
            return ErrorKind::ResourceLimit;
        case ENODEV:
        case ENXIO:
        case EIO:
            return ErrorKind::DeviceLost;
        default:
            return {kErrorDomain, number};
    }
}

}  // namespace

Failure failure_at_hand() noexcept {
    try {
        throw;
    } catch (const xrt::run::command_error& error) {
        const auto state = native([&] { return error.get_command_state(); });
        return {{kErrorDomain, -static_cast<std::int64_t>(state.value_or(ERT_CMD_STATE_ERROR))},
                0,
                copy(error.what())};
    } catch (const std::system_error& error) {
        // Parts of XRT throw the negative numbers that the kernel answered with.
        const int number = std::abs(error.code().value());
        return {from_system(number), number, copy(error.what())};
    } catch (const std::bad_alloc&) {
        return {ErrorKind::OutOfMemory, ENOMEM, copy("no memory")};
    } catch (const std::exception& error) {
        return {{kErrorDomain, 0}, 0, copy(error.what())};
    } catch (...) {
        return {{kErrorDomain, 0}, 0, copy("XRT threw what is no exception")};
    }
}

}  // namespace xdna
