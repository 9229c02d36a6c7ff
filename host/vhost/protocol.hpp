// SPDX-License-Identifier: MIT
//
// Numbers and layouts of the vhost-user protocol that this device uses (QEMU's
// vhost-user specification). Fields are in the byte order of the machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vhost {

enum class Request : std::uint32_t {
    GetFeatures = 1,
    SetFeatures = 2,
    SetOwner = 3,
    ResetOwner = 4,
    SetMemTable = 5,
    SetVringNum = 8,
    SetVringAddr = 9,
    SetVringBase = 10,
    GetVringBase = 11,
    SetVringKick = 12,
    SetVringCall = 13,
    SetVringErr = 14,
    GetProtocolFeatures = 15,
    SetProtocolFeatures = 16,
    GetQueueNum = 17,
    SetVringEnable = 18,
    SetBackendReqFd = 21,
    GetConfig = 24,
    SetConfig = 25,
    ResetDevice = 34,
    GetMaxMemSlots = 36,
    AddMemReg = 37,
    RemMemReg = 38,
};

constexpr std::uint64_t bit(unsigned n) {
    return std::uint64_t{1} << n;
}

inline constexpr std::uint64_t kProtocolFeaturesBit = bit(30);
inline constexpr std::uint64_t kVersion1 = bit(32);
inline constexpr std::uint64_t kAccessPlatform = bit(33);

inline constexpr std::uint64_t kMq = bit(0);
inline constexpr std::uint64_t kReplyAck = bit(3);
inline constexpr std::uint64_t kBackendReq = bit(5);
inline constexpr std::uint64_t kConfig = bit(9);
inline constexpr std::uint64_t kResetDevice = bit(13);
inline constexpr std::uint64_t kConfigureMemSlots = bit(15);

inline constexpr std::uint32_t kVersion = 0x1;
inline constexpr std::uint32_t kReplyFlag = 0x4;
inline constexpr std::uint32_t kNeedReplyFlag = 0x8;

// The vring index of a kick, call or err message, and the bit that says that no
// descriptor comes with it.
inline constexpr std::uint64_t kVringIndexMask = 0xff;
inline constexpr std::uint64_t kNoFdFlag = bit(8);

struct Header {
    std::uint32_t request;
    std::uint32_t flags;
    std::uint32_t size;
};
static_assert(sizeof(Header) == 12);

struct VringState {
    std::uint32_t index;
    std::uint32_t num;
};
static_assert(sizeof(VringState) == 8);

struct VringAddr {
    std::uint32_t index;
    std::uint32_t flags;
    std::uint64_t descriptors;
    std::uint64_t used;
    std::uint64_t available;
    std::uint64_t log;
};
static_assert(sizeof(VringAddr) == 40);

struct RegionDesc {
    std::uint64_t guest;   // guest address
    std::uint64_t size;    // bytes
    std::uint64_t user;    // the front end's own address
    std::uint64_t offset;  // in the file
};
static_assert(sizeof(RegionDesc) == 32);

struct MemTableHeader {
    std::uint32_t count;
    std::uint32_t padding;
};
static_assert(sizeof(MemTableHeader) == 8);

struct MemRegion {
    std::uint64_t padding;
    RegionDesc region;
};
static_assert(sizeof(MemRegion) == 40);

struct ConfigHeader {
    std::uint32_t offset;
    std::uint32_t size;
    std::uint32_t flags;
};
static_assert(sizeof(ConfigHeader) == 12);

inline constexpr std::size_t kMaxTableRegions = 8;    // in one SET_MEM_TABLE
inline constexpr std::size_t kMaxRegions = 512;       // by ADD_MEM_REG: QEMU's own limit
inline constexpr std::size_t kMaxConfigBytes = 256;   // of one config access
inline constexpr std::uint32_t kMaxRingSize = 32768;  // of any split ring

}  // namespace vhost
