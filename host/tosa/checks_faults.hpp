// SPDX-License-Identifier: MIT
//
// The kinds of defect that an operator can have (providers.md 1.8).
#pragma once

#include "tosa/diagnostic.hpp"

namespace tosa {

template <class... Args>
auto bad_arity(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::InvalidArity, format, std::forward<Args>(args)...);
}

template <class... Args>
auto bad_list(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::TensorListLimit, format, std::forward<Args>(args)...);
}

template <class... Args>
auto expected_tensor(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::ExpectedTensor, format, std::forward<Args>(args)...);
}

template <class... Args>
auto expected_shape(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::ExpectedShape, format, std::forward<Args>(args)...);
}

template <class... Args>
auto bad_rank(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::InvalidRank, format, std::forward<Args>(args)...);
}

template <class... Args>
auto bad_types(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::UnsupportedTypeProfile, format, std::forward<Args>(args)...);
}

template <class... Args>
auto bad_attribute(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::InvalidAttribute, format, std::forward<Args>(args)...);
}

template <class... Args>
auto not_constant(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::ConstantRequired, format, std::forward<Args>(args)...);
}

template <class... Args>
auto bad_constant(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::InvalidConstantData, format, std::forward<Args>(args)...);
}

template <class... Args>
auto bad_shape(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::InvalidShape, format, std::forward<Args>(args)...);
}

template <class... Args>
auto bad_variable(std::format_string<Args...> format, Args&&... args) {
    return malformed(Code::InvalidVariable, format, std::forward<Args>(args)...);
}

}  // namespace tosa
