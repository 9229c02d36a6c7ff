// SPDX-License-Identifier: MIT
#include "tosa/source.hpp"

namespace tosa {

bool Source::use(std::uint64_t bytes) {
    apparent_bytes_ += bytes;  // each time at most the file: cannot overflow
    return apparent_bytes_ <= limits_.apparent_bytes;
}

Checked<std::string_view> Source::use(const flatbuffers::String& name) {
    if (!use(name.size())) return exceeded("bytes of names and data", limits_.apparent_bytes);
    return name.string_view();
}

Checked<void> Source::use_constant(std::span<const std::byte> data) {
    constant_bytes_ += data.size();
    if (constant_bytes_ > limits_.constant_bytes)
        return exceeded("bytes of constants", limits_.constant_bytes);
    if (!use(data.size())) return exceeded("bytes of names and data", limits_.apparent_bytes);
    return {};
}

Checked<std::string_view> Source::limited(const flatbuffers::String& name) {
    if (name.size() > limits_.name_bytes) return exceeded("bytes of name", limits_.name_bytes);
    return use(name);
}

Checked<std::string_view> Source::name(const flatbuffers::String* name, Item of) {
    if (name == nullptr)
        return malformed(Code::MissingName, "{} {} has no name", of.kind, of.index);
    if (name->size() == 0)
        return malformed(Code::EmptyName, "the name of {} {} is empty", of.kind, of.index);
    return limited(*name);
}

}  // namespace tosa
