// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "vhost/rig.hpp"

using namespace vhost_test;
using vhost::Bytes;
using vhost::Header;
using vhost::Request;

TEST_SUITE_BEGIN("vhost/message");

namespace {

Bytes header(Request request, std::uint32_t flags, std::uint32_t size) {
    return vhost::to_bytes(Header{static_cast<std::uint32_t>(request), flags, size});
}

struct Case {
    Request request;
    std::uint32_t right;  // payload bytes
};

constexpr Case kSizes[] = {
    {Request::GetFeatures, 0},
    {Request::SetFeatures, 8},
    {Request::SetOwner, 0},
    {Request::ResetOwner, 0},
    {Request::SetVringNum, 8},
    {Request::SetVringAddr, 40},
    {Request::SetVringBase, 8},
    {Request::GetVringBase, 8},
    {Request::SetVringKick, 8},
    {Request::SetVringCall, 8},
    {Request::SetVringErr, 8},
    {Request::GetProtocolFeatures, 0},
    {Request::SetProtocolFeatures, 8},
    {Request::GetQueueNum, 0},
    {Request::SetVringEnable, 8},
    {Request::SetBackendReqFd, 0},
    {Request::ResetDevice, 0},
    {Request::GetMaxMemSlots, 0},
    {Request::AddMemReg, 40},
    {Request::RemMemReg, 40},
};

}  // namespace

TEST_CASE("a payload of any other size than the request's ends the connection") {
    for (const auto& [request, right] : kSizes) {
        for (const std::uint32_t size : {right - 1, right + 1, 0xffffffffU}) {
            CAPTURE(request);
            CAPTURE(size);
            Rig rig;
            rig.front_end.send_raw(header(request, vhost::kVersion, size));
            CHECK_FALSE(rig.settle().has_value());
        }
    }
}

TEST_CASE("bounded payloads end the connection one byte outside the bounds") {
    for (const auto& [request, size] : {Case{Request::GetConfig, 11},
                                        {Request::GetConfig, 269},
                                        {Request::SetConfig, 11},
                                        {Request::SetConfig, 269},
                                        {Request::SetMemTable, 7},
                                        {Request::SetMemTable, 265},
                                        {Request{99}, 269}}) {
        CAPTURE(request);
        CAPTURE(size);
        Rig rig;
        rig.front_end.send_raw(header(request, vhost::kVersion, size));
        CHECK_FALSE(rig.settle().has_value());
    }
}

TEST_CASE("a message of another version, a reply or an unknown flag ends the connection") {
    for (const std::uint32_t flags : {0U, 2U, 3U, 5U, 0x11U, 0x80000001U}) {
        CAPTURE(flags);
        Rig rig;
        rig.front_end.send_raw(header(Request::GetFeatures, flags, 0));
        CHECK_FALSE(rig.settle().has_value());
    }
}

TEST_CASE("a message may arrive one byte at a time") {
    Rig rig;
    Bytes bytes = header(Request::SetFeatures, vhost::kVersion, 8);
    const Bytes payload = u64(vhost::kVersion1);
    bytes.insert(bytes.end(), payload.begin(), payload.end());

    for (const std::byte byte : bytes) {
        rig.front_end.send_raw({&byte, 1});
        REQUIRE(rig.settle().has_value());
    }
    CHECK(rig.get(Request::GetFeatures).size() == 8);
}

TEST_CASE("several messages may arrive at once") {
    Rig rig;
    Bytes bytes = header(Request::SetOwner, vhost::kVersion, 0);
    const Bytes second = header(Request::GetFeatures, vhost::kVersion, 0);
    bytes.insert(bytes.end(), second.begin(), second.end());
    bytes.insert(bytes.end(), second.begin(), second.end());

    rig.front_end.send_raw(bytes);
    REQUIRE(rig.settle().has_value());
    CHECK(rig.front_end.receive().has_value());
    CHECK(rig.front_end.receive().has_value());
    CHECK_FALSE(rig.front_end.receive().has_value());
}

TEST_CASE("a front end that leaves between messages closes, inside one it is an error") {
    Rig rig;

    SUBCASE("between") {
        rig.front_end.close();
        const auto progress = rig.settle();
        REQUIRE(progress.has_value());
        CHECK(*progress == vhost::Progress::Closed);
    }
    SUBCASE("inside the header") {
        const Bytes whole = header(Request::SetOwner, vhost::kVersion, 0);
        rig.front_end.send_raw(std::span(whole).first(5));
        rig.front_end.close();
        CHECK_FALSE(rig.settle().has_value());
    }
    SUBCASE("inside the payload") {
        rig.front_end.send_raw(header(Request::SetFeatures, vhost::kVersion, 8));
        rig.front_end.close();
        CHECK_FALSE(rig.settle().has_value());
    }
}

TEST_CASE("a wrong number of descriptors ends the connection and leaks none") {
    const std::size_t before = open_fds();
    struct {
        Request request;
        Bytes payload;
        std::size_t fds;
    } cases[] = {
        {Request::GetFeatures, {}, 1},       {Request::SetFeatures, u64(0), 1},
        {Request::SetVringKick, u64(0), 2},  {Request::SetVringCall, u64(0), 8},
        {Request::AddMemReg, Bytes(40), 0},  {Request::AddMemReg, Bytes(40), 2},
        {Request::RemMemReg, Bytes(40), 2},  {Request::SetBackendReqFd, {}, 0},
        {Request::SetMemTable, Bytes(8), 1},
    };
    for (const auto& [request, payload, count] : cases) {
        CAPTURE(request);
        CAPTURE(count);
        Rig rig;
        Bytes bytes = header(request, vhost::kVersion, static_cast<std::uint32_t>(payload.size()));
        bytes.insert(bytes.end(), payload.begin(), payload.end());
        rig.front_end.send_raw(bytes, std::vector<int>(count, rig.kick_fd.value()));
        CHECK_FALSE(rig.settle().has_value());
    }
    CHECK(open_fds() == before);
}

TEST_CASE("a descriptor that contradicts the no-descriptor flag is refused") {
    Rig rig;
    rig.start();

    for (const Request request :
         {Request::SetVringKick, Request::SetVringCall, Request::SetVringErr}) {
        CAPTURE(request);
        CHECK(rig.ask(request, u64(vhost::kNoFdFlag), {rig.kick_fd.value()}) != kAck);
        CHECK(rig.ask(request, u64(0)) != kAck);
    }
    CHECK(rig.ask(Request::SetVringCall, u64(vhost::kNoFdFlag)) == kAck);
    CHECK(rig.ask(Request::SetVringErr, u64(vhost::kNoFdFlag)) == kAck);
}

TEST_CASE("more descriptors than fit into the control buffer end the connection") {
    const std::size_t before = open_fds();
    for (const std::size_t count : {std::size_t{9}, std::size_t{40}}) {
        Rig rig;
        rig.front_end.send_raw(header(Request{99}, vhost::kVersion, 0),
                               std::vector<int>(count, rig.kick_fd.value()));
        const auto progress = rig.settle();
        REQUIRE_FALSE(progress.has_value());
        CHECK(progress.error() == "more than 8 descriptors in a message");
    }
    CHECK(open_fds() == before);
}

TEST_CASE("descriptors spread over the pieces of a message count together") {
    Rig rig;
    const std::vector<int> five(5, rig.kick_fd.value());
    rig.front_end.send_raw(header(Request{99}, vhost::kVersion, 8), five);
    REQUIRE(rig.settle().has_value());
    rig.front_end.send_raw(Bytes(8), five);
    CHECK_FALSE(rig.settle().has_value());
}

TEST_CASE("a front end that does not read its replies is dropped") {
    Rig rig;
    bool dropped = false;
    for (int i = 0; i < 100000 && !dropped; ++i) {
        rig.front_end.send_raw(header(Request::GetFeatures, vhost::kVersion, 0));
        dropped = !rig.connection->step(-1, 0).has_value();
    }
    CHECK(dropped);
}

TEST_SUITE_END();
