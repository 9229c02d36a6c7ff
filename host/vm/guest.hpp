// SPDX-License-Identifier: MIT
#pragma once

#include "vm/options.hpp"
#include "vm/process.hpp"

namespace vm {

// One run from end to end: packs the guest, starts daemon and QEMU, passes the command's output
// on as it comes, brings back its status and files. Every process and file that the run made is
// gone when this returns. SIGINT, SIGTERM and SIGHUP end the run.
//
// Returns the command's exit status; a failure is accel-vm's own.
Result<ExitStatus> run_guest(const Options& options);

}  // namespace vm
