// SPDX-License-Identifier: MIT
#include "daemon/lost_device.hpp"

#include "wire/request.hpp"
#include "wire/response.hpp"

namespace acceld {

void LostDevice::serve(vhost::Ticket ticket, const wire::Chain& chain,
                       vhost::Answers& answers) noexcept {
    statistics_.commands.add(1);
    wire::Reader request(chain.readable);
    wire::Writer response(chain.writable);
    if (request.size() < wire::kHeaderBytes || response.size() < wire::kHeaderBytes) {
        statistics_.unusable_commands.add(1);
        return answers.complete(ticket, 0);
    }
    const wire::RequestHeader header = wire::decode_header(request);
    const wire::Status malformed = wire::check_header(header, request.size(), max_request_bytes_);
    const wire::Status status =
        malformed == wire::Status::Ok ? wire::Status::DeviceLost : malformed;
    statistics_.answers[status_slot(status)].add(1);
    answers.complete(ticket, wire::write_header(response, status, header.request_id, 0));
}

}  // namespace acceld
