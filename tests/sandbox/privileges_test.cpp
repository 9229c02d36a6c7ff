// SPDX-License-Identifier: MIT
#include "sandbox/privileges.hpp"

#include <algorithm>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <doctest/doctest.h>
#include <grp.h>
#include <unistd.h>

#include "sandbox/in_child.hpp"

using sandbox_test::outcome;

TEST_SUITE_BEGIN("sandbox/privileges");

namespace {

bool can_change_user() {
    return outcome([] { return sandbox::Result(); },
                   [] { return ::setgroups(0, nullptr) == 0 ? ::setuid(65534) : -1; }) == "ok";
}

}  // namespace

TEST_CASE("the groups of a user are all of them, and a user that is none is told") {
    const auto root = sandbox::find_user("root");
    REQUIRE(root);
    CHECK(root->uid == 0);
    CHECK(std::ranges::contains(root->groups, 0U));
    CHECK(sandbox::find_user("no-such-user").error() == "no user 'no-such-user'");
}

TEST_CASE("a process without privileges has no capability, and gets none") {
    const auto confine = [] { return sandbox::give_up_privileges({}); };
    CHECK(outcome(confine, [] {
              return long{::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -1};
          }) == "ok");
    CHECK(outcome(confine, [] { return long{::sethostname("x", 1)}; }) == "EPERM");
    if (::geteuid() != 0) return;
    // CAP_CHOWN, of the bounding set.
    CHECK(outcome(confine, [] { return long{::prctl(PR_CAPBSET_READ, 0) == 0 ? 0 : -1}; }) == "ok");
    // Of this thread: a sanitizer has one more, which the C library would ask, too.
    CHECK(outcome(confine, [] { return ::syscall(SYS_setuid, 1); }) == "EPERM");
}

TEST_CASE("root becomes another user in everything, once or twice, and does not come back") {
    if (!can_change_user()) return;
    const sandbox::User user{.uid = 65534, .gid = 65533, .groups = {65533, 4444}};
    const auto confine = [&] {
        return sandbox::give_up_privileges(user).and_then(
            [&] { return sandbox::give_up_privileges(user); });
    };
    CHECK(outcome(confine, [&] {
              gid_t groups[3] = {};
              const bool all = ::getgroups(3, groups) == 2 && groups[0] + groups[1] == 65533 + 4444;
              return long{all && ::getuid() == user.uid && ::getgid() == user.gid ? 0 : -1};
          }) == "ok");
    CHECK(outcome(confine, [] { return long{::setuid(0)}; }) == "EPERM");
    CHECK(outcome(confine, [] { return long{::setgid(0)}; }) == "EPERM");
}

TEST_CASE("memory is private, and open files have a limit that stays") {
    const auto confine = [] {
        return sandbox::give_up_privileges({})
            .and_then(sandbox::keep_memory_private)
            .and_then(sandbox::limit_open_files);
    };
    CHECK(outcome(confine, [] { return long{::prctl(PR_GET_DUMPABLE) == 0 ? 0 : -1}; }) == "ok");
    CHECK(outcome(confine, [] {
              rlimit limit{};
              ::getrlimit(RLIMIT_CORE, &limit);
              return long{limit.rlim_max == 0 ? 0 : -1};
          }) == "ok");
    CHECK(outcome(confine, [] {
              rlimit limit{};
              ::getrlimit(RLIMIT_NOFILE, &limit);
              if (limit.rlim_cur != limit.rlim_max || limit.rlim_max > 4096) return -1;
              ++limit.rlim_max;
              return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? -1 : 0;
          }) == "ok");
}

TEST_SUITE_END();
