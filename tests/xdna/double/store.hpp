// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "xdna/double/binaries.hpp"
#include "xdna/store.hpp"

namespace xrt_double {

// Has every kernel, for the double, unless the test says otherwise.
class Store final : public xdna::Store {
 public:
    using Found = std::expected<xdna::Binary, xdna::NoBinary>;

    [[nodiscard]] Found find(const xdna::Spec& spec, xdna::Effort effort) override {
        ++(effort == xdna::Effort::Look ? looks : compiles);
        return answer ? answer(spec, effort) : Found(binary(spec));
    }
    std::function<Found(const xdna::Spec&, xdna::Effort)> answer;
    int looks = 0;
    int compiles = 0;
};

}  // namespace xrt_double
