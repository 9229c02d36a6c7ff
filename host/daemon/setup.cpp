// SPDX-License-Identifier: MIT
#include "daemon/setup.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>

#include "vhost/failure.hpp"

namespace acceld {

using vhost::Message;
using vhost::Request;

namespace {

Message make(Request request, vhost::Bytes payload) {
    return {.request = std::to_underlying(request),
            .need_reply = true,
            .payload = std::move(payload),
            .fds = {}};
}

Message add_region(const vhost::RegionDesc& region, base::UniqueFd fd) {
    Message message = make(Request::AddMemReg, vhost::to_bytes(vhost::MemRegion{0, region}));
    message.fds.push_back(std::move(fd));
    return message;
}

}  // namespace

std::expected<Message, std::string> duplicate(const Message& message) {
    Message copy{
        .request = message.request, .need_reply = true, .payload = message.payload, .fds = {}};
    for (const auto& fd : message.fds) {
        copy.fds.emplace_back(::fcntl(fd.value(), F_DUPFD_CLOEXEC, 0));
        if (!copy.fds.back()) return vhost::failure("F_DUPFD_CLOEXEC", errno);
    }
    return copy;
}

void Setup::note(Message message) {
    switch (const Request request{message.request}) {
        case Request::SetOwner:
            regions_.clear();
            break;
        case Request::SetMemTable:
            note_table(std::move(message));
            break;
        case Request::AddMemReg:
            regions_.push_back(std::move(message));
            break;
        case Request::RemMemReg:
            std::erase_if(regions_, [gone = message.as<vhost::MemRegion>().region](const auto& m) {
                const auto region = m.template as<vhost::MemRegion>().region;
                return region.guest == gone.guest && region.user == gone.user;
            });
            break;
        case Request::ResetDevice:
            last_.erase(Request::SetVringEnable);
            break;
        case Request::SetFeatures:
        case Request::SetVringNum:
        case Request::SetVringAddr:
        case Request::SetVringCall:
        case Request::SetVringErr:
        case Request::SetVringKick:
        case Request::SetVringEnable:
            last_.insert_or_assign(request, std::move(message));
            break;
        default:
            break;
    }
}

// As many regions as descriptors: the table was not refused.
void Setup::note_table(Message message) {
    regions_.clear();
    std::size_t at = sizeof(vhost::MemTableHeader);
    for (auto& fd : message.fds) {
        regions_.push_back(add_region(message.as<vhost::RegionDesc>(at), std::move(fd)));
        at += sizeof(vhost::RegionDesc);
    }
}

std::expected<std::vector<Message>, std::string> Setup::messages(std::uint16_t base) const {
    std::vector<Message> all;
    all.push_back(make(Request::SetOwner, {}));
    all.push_back(make(Request::SetVringBase, vhost::to_bytes(vhost::VringState{0, base})));
    std::expected<void, std::string> done;
    const auto append = [&](const Message& message) {
        auto copy = duplicate(message);
        if (copy)
            all.push_back(*std::move(copy));
        else
            done = std::unexpected(copy.error());
    };
    for (const Message& region : regions_)
        append(region);
    // What starts the ring comes last.
    for (const auto& [request, message] : last_)
        if (request != Request::SetVringKick) append(message);
    if (const auto kick = last_.find(Request::SetVringKick); kick != last_.end())
        append(kick->second);
    if (!done) return std::unexpected(done.error());
    return all;
}

}  // namespace acceld
