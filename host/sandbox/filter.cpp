// SPDX-License-Identifier: MIT
#include "sandbox/filter.hpp"

#include <cerrno>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>

#include "sandbox/calls.hpp"

namespace sandbox {

namespace {

constexpr std::uint64_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint64_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC;

// The type of an ioctl is what its driver is known by: DRM and accel devices, KFD, NVIDIA
// and its memory manager (which numbers them plainly), DMA buffers, their fences.
constexpr int kDeviceIoctls[] = {'d', 'K', 'F', 0, 'b', '>'};
constexpr int kNpuIoctls[] = {'d'};
constexpr std::uint64_t kIoctlType = 0xff00;

// With conditions on arguments, which are 64 bits wide whatever the call makes of them.
class Filter {
 public:
    explicit Filter(std::uint32_t otherwise) : context_(seccomp_init(otherwise)) {
        set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        set(SCMP_FLTATR_CTL_TSYNC, 1);
        set(SCMP_FLTATR_CTL_OPTIMIZE, kBinaryTree);
    }

    void allow(std::span<const int> calls) {
        for (const int call : calls)
            add(SCMP_ACT_ALLOW, call, {});
    }
    void allow_if(int call, scmp_arg_cmp condition) { add(SCMP_ACT_ALLOW, call, {condition}); }
    void refuse(int call, int error) {
        add(SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, {});
    }
    void refuse_if(int call, int error, scmp_arg_cmp condition) {
        add(SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, {condition});
    }

    [[nodiscard]] Result load() {
        if (error_ == 0) error_ = seccomp_load(context_.get());
        if (error_ != 0) return failure("seccomp", -error_);
        return {};
    }

 private:
    static constexpr std::uint32_t kBinaryTree = 2;

    void set(scmp_filter_attr attribute, std::uint32_t value) {
        if (error_ == 0) error_ = seccomp_attr_set(context_.get(), attribute, value);
    }
    void add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> conditions) {
        if (error_ != 0) return;
        error_ =
            seccomp_rule_add_array(context_.get(), action, call,
                                   static_cast<unsigned>(conditions.size()), conditions.begin());
    }

    struct Release {
        void operator()(void* context) const { seccomp_release(context); }
    };
    std::unique_ptr<void, Release> context_;
    int error_ = 0;
};

scmp_arg_cmp argument(unsigned index, scmp_compare how, std::uint64_t a, std::uint64_t b = 0) {
    return {.arg = index, .op = how, .datum_a = a, .datum_b = b};
}

scmp_arg_cmp has(unsigned index, std::uint64_t mask, std::uint64_t bits) {
    return argument(index, SCMP_CMP_MASKED_EQ, mask, bits);
}

scmp_arg_cmp is(unsigned index, std::uint64_t value) {
    return argument(index, SCMP_CMP_EQ, value);
}

// The flags of clone3 are in memory, which a filter does not see; of clone, which the C
// library uses then, they are an argument.
void refuse_unseen_flags(Filter& filter) {
    filter.refuse(SCMP_SYS(clone3), ENOSYS);
    filter.refuse(SCMP_SYS(openat2), ENOSYS);
}

std::span<const int> device_ioctls(Needs needs) {
    if (needs == Needs::Driver) return kDeviceIoctls;
    if (needs == Needs::Npu) return kNpuIoctls;
    return {};
}

void allow_ioctls(Filter& filter, Needs needs) {
    for (const std::uint64_t request : {FIONBIO, FIOCLEX, FIONREAD, TCGETS})
        filter.allow_if(SCMP_SYS(ioctl), has(1, 0xffffffff, request));
    for (const int type : device_ioctls(needs))
        filter.allow_if(SCMP_SYS(ioctl), has(1, kIoctlType, static_cast<std::uint64_t>(type) << 8));
}

// An NPU's driver that looks for one more library on the way has to do without it.
void allow_memory(Filter& filter, Needs needs) {
    const auto code = has(2, PROT_EXEC, PROT_EXEC);
    for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
        filter.allow_if(call, has(2, PROT_EXEC, 0));
        if (needs == Needs::Driver) filter.allow_if(call, code);
        if (needs == Needs::Npu) filter.refuse_if(call, EACCES, code);
    }
}

// Which files those are is what restrict_to() says.
void allow_devices(Filter& filter) {
    filter.allow_if(SCMP_SYS(openat), has(2, O_CREAT, 0));
    filter.refuse_if(SCMP_SYS(openat), EACCES, has(2, O_CREAT, O_CREAT));
    filter.allow_if(SCMP_SYS(open), has(1, O_CREAT, 0));
    filter.refuse_if(SCMP_SYS(open), EACCES, has(1, O_CREAT, O_CREAT));
    for (const int call : changing_calls())
        filter.refuse(call, EACCES);
    // Drivers compare descriptors with it, and know that kernels may lack it.
    filter.refuse(SCMP_SYS(kcmp), ENOSYS);
}

void allow_reading(Filter& filter) {
    filter.allow_if(SCMP_SYS(openat), has(2, kWriting, O_RDONLY));
    filter.allow_if(SCMP_SYS(open), has(1, kWriting, O_RDONLY));
}

}  // namespace

Result filter_session() {
    Filter filter(SCMP_ACT_ERRNO(EPERM));
    filter.allow(serving_calls());
    filter.allow(starting_calls());
    const int also[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(open), SCMP_SYS(openat)};
    filter.allow(also);
    for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)})
        filter.allow_if(call, is(0, AF_UNIX));
    filter.allow_if(SCMP_SYS(clone), has(0, kNamespaces, 0));
    refuse_unseen_flags(filter);
    allow_ioctls(filter, Needs::Driver);
    return filter.load();
}

Result filter_worker(Needs needs) {
    Filter filter(SCMP_ACT_KILL_PROCESS);
    filter.allow(serving_calls());
    filter.allow_if(SCMP_SYS(clone), has(0, CLONE_THREAD | kNamespaces, CLONE_THREAD));
    refuse_unseen_flags(filter);
    for (const std::uint64_t option : {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA})
        filter.allow_if(SCMP_SYS(prctl), is(0, option));
    // abort() is a signal to oneself; limits can be read.
    filter.allow_if(SCMP_SYS(tgkill), is(0, static_cast<std::uint64_t>(::getpid())));
    filter.allow_if(SCMP_SYS(prlimit64), is(2, 0));
    allow_ioctls(filter, needs);
    allow_memory(filter, needs);
    needs == Needs::Memory ? allow_reading(filter) : allow_devices(filter);
    return filter.load();
}

}  // namespace sandbox
