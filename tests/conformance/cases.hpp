// SPDX-License-Identifier: MIT
//
// The fifteen cases, each of which throws Failure.
#pragma once

#include "conformance/bench.hpp"

namespace conformance {

void stable_metadata(Bench& bench);
void reserved_flags(Bench& bench);
void host_memory(Bench& bench);
void device_memory(Bench& bench);
void shared_memory(Bench& bench);
void transfer_bounds(Bench& bench);
void transfer_permissions(Bench& bench);
void artifact_bounds(Bench& bench);
void binding_validation(Bench& bench);
void copy_path(Bench& bench);
void context_isolation(Bench& bench);
void terminal_stability(Bench& bench);
void finite_admission(Bench& bench);
void cancellation_races(Bench& bench);
void resource_accounting(Bench& bench);

}  // namespace conformance
