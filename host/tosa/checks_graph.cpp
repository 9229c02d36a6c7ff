// SPDX-License-Identifier: MIT
//
// Constants, variables, custom operators and control flow.
#include "tosa/checks.hpp"

namespace tosa {
namespace {

Checked<void> check_name(const flatbuffers::String* name, std::string_view what) {
    if (name != nullptr && name->size() != 0) return {};
    return bad_attribute("its {} is empty", what);
}

Checked<void> check_names(const flatbuffers::String* first, std::string_view first_what,
                          const flatbuffers::String* second, std::string_view second_what) {
    if (auto name = check_name(first, first_what); !name) return name;
    return check_name(second, second_what);
}

Checked<void> check_variable(const Value& value) {
    if (value.variable) return {};
    return bad_variable("{} is no variable", quoted(value.name));
}

}  // namespace

Checked<void> check_const(const Subject& subject) {
    const Value& out = subject.output(0);
    // Only a shape may have no contents at all: that of a scalar.
    if (out.constant() || out.elements == 0) return {};
    return bad_constant("its output {} carries no data", quoted(out.name));
}

Checked<void> check_custom_names(const Subject& subject) {
    const auto& attribute = subject.attribute<fbs::CustomAttribute>();
    return check_names(attribute.operator_name(), "operator name", attribute.domain_name(),
                       "domain name");
}

Checked<void> check_cond_if_names(const Subject& subject) {
    const auto& attribute = subject.attribute<fbs::CondIfAttribute>();
    return check_names(attribute.then_graph(), "then_graph", attribute.else_graph(), "else_graph");
}

Checked<void> check_condition(const Subject& subject) {
    if (subject.input(0).elements == 1) return {};
    return bad_shape("its condition has {} elements, not 1", subject.input(0).elements);
}

Checked<void> check_while_loop_names(const Subject& subject) {
    const auto& attribute = subject.attribute<fbs::WhileLoopAttribute>();
    return check_names(attribute.cond_graph(), "cond_graph", attribute.body_graph(), "body_graph");
}

Checked<void> check_written_variable(const Subject& subject) {
    return check_variable(subject.input(0));
}

Checked<void> check_read_variable(const Subject& subject) {
    return check_variable(subject.output(0));
}

}  // namespace tosa
