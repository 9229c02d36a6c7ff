// SPDX-License-Identifier: MIT
#include "daemon/statistics.hpp"

namespace acceld {

std::string_view name(WorkerLoss loss) {
    switch (loss) {
        case WorkerLoss::Died:
            return "died";
        case WorkerLoss::Message:
            return "message";
        case WorkerLoss::Stalled:
            return "stalled";
        case WorkerLoss::CommandTimeout:
            return "command timeout";
    }
    std::unreachable();
}

std::string_view name(ProviderLoss loss) {
    switch (loss) {
        case ProviderLoss::Poisoned:
            return "poisoned";
        case ProviderLoss::Wedged:
            return "wedged";
    }
    std::unreachable();
}

void Statistics::forget_worker() {
    for (Number& number : objects)
        number.set(0);
    for (Number* number : {&buffer_bytes, &program_bytes, &commands_at_provider, &device_wedged,
                           &chains_in_flight, &oldest_chain_ms, &worker_pid})
        number->set(0);
}

void publish(Statistics& to, vhost::QueueStatistics& before, const vhost::QueueStatistics& now) {
    to.chains.add(now.chains - before.chains);
    to.kicks.add(now.kicks - before.kicks);
    to.interrupts.add(now.interrupts - before.interrupts);
    to.suppressed_interrupts.add(now.suppressed - before.suppressed);
    before = now;
}

}  // namespace acceld
