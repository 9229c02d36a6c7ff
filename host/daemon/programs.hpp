// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace acceld {

// The other programs of ours that processes of the daemon become, in a build's tree and
// where they are installed. Empty if one is not where it belongs, or not ours to run.
[[nodiscard]] std::filesystem::path worker_program();  // has the engine and the providers
[[nodiscard]] std::filesystem::path store_program();   // has kernels for the XDNA provider

}  // namespace acceld
