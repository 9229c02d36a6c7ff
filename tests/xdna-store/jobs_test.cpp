// SPDX-License-Identifier: MIT
#include "xdna/store/jobs.hpp"

#include <doctest/doctest.h>
#include <poll.h>

#include "xdna-store/workshop.hpp"

namespace {

using xdna::Jobs;
using xdna::Spec;
using xdna_store_test::binary_for;
using xdna_store_test::Workshop;

const Spec kFirst = xdna::Int8Identity{4};
const Spec kSecond = xdna::Int8Identity{8};
const Spec kThird = xdna::Int8Identity{12};

xdna::Answer wait(Jobs& jobs, const std::shared_ptr<const Jobs::Job>& job) {
    pollfd done{job->done_fd(), POLLIN, 0};
    REQUIRE(::poll(&done, 1, -1) == 1);
    return jobs.answer_of(*job);
}

TEST_CASE("Kernels are made in the order they were asked for, and each for all who ask") {
    Workshop workshop;
    Jobs jobs(workshop);
    const auto first = jobs.post(kFirst);
    workshop.wait_until_begun(1);
    const auto third = jobs.post(kThird);
    const auto second = jobs.post(kSecond);
    CHECK(jobs.post(kFirst) == first);
    CHECK(jobs.post(kThird) == third);
    workshop.let_make(3);
    CHECK(wait(jobs, second).value() == xdna::to_container(binary_for(kSecond)));
    CHECK(wait(jobs, first).value() == xdna::to_container(binary_for(kFirst)));
    CHECK(wait(jobs, third).has_value());
    CHECK(workshop.begun() == std::vector{kFirst, kThird, kSecond});
    // It is over, and whoever asks now asks anew.
    CHECK(jobs.post(kSecond) != second);
}

TEST_CASE("A kernel that nobody waits for any more is not made") {
    Workshop workshop;
    Jobs jobs(workshop);
    const auto first = jobs.post(kFirst);
    workshop.wait_until_begun(1);
    auto second = jobs.post(kSecond);
    const auto third = jobs.post(kThird);
    second.reset();
    workshop.let_make(3);
    CHECK(wait(jobs, third).has_value());
    CHECK(workshop.begun() == std::vector{kFirst, kThird});
}

TEST_CASE("One that is given up while it is made is made for those who come later") {
    Workshop workshop;
    Jobs jobs(workshop);
    auto first = jobs.post(kFirst);
    workshop.wait_until_begun(1);
    first.reset();
    const auto again = jobs.post(kFirst);
    workshop.let_make(1);
    CHECK(wait(jobs, again).has_value());
    CHECK(workshop.begun().size() == 1);
}

TEST_CASE("A store without memory is an answer") {
    Workshop workshop;
    workshop.out_of_memory = true;
    workshop.let_make(1);
    Jobs jobs(workshop);
    CHECK(wait(jobs, jobs.post(kFirst)).error().error ==
          provider::Error(provider::ErrorKind::OutOfMemory));
}

}  // namespace
