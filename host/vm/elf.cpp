// SPDX-License-Identifier: MIT
#include "vm/elf.hpp"

#include <cstdint>
#include <cstring>

#include <elf.h>

namespace vm {
namespace {

std::string_view slice(std::string_view file, std::uint64_t offset, std::uint64_t size) {
    if (offset > file.size() || size > file.size() - offset) return {};
    return file.substr(offset, size);
}

// Entry `index` of a table of `T` at `offset`.
template <typename T>
std::optional<T> entry(std::string_view file, std::uint64_t offset, std::uint64_t index) {
    if (offset > file.size()) return std::nullopt;
    const auto bytes = slice(file, offset + index * sizeof(T), sizeof(T));
    if (bytes.empty()) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

std::optional<Elf64_Ehdr> elf_header(std::string_view file) {
    const auto header = entry<Elf64_Ehdr>(file, 0, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return std::nullopt;
    return header;
}

// A string that ends at its NUL or with the bytes that hold it.
std::string_view terminated(std::string_view bytes) {
    return bytes.substr(0, bytes.find('\0'));
}

std::string_view section(std::string_view file, std::string_view name) {
    const auto header = elf_header(file);
    if (!header) return {};
    const auto names = entry<Elf64_Shdr>(file, header->e_shoff, header->e_shstrndx);
    if (!names) return {};
    const auto strings = slice(file, names->sh_offset, names->sh_size);
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
        const auto candidate = entry<Elf64_Shdr>(file, header->e_shoff, i);
        if (!candidate) return {};
        if (candidate->sh_name < strings.size() &&
            terminated(strings.substr(candidate->sh_name)) == name)
            return slice(file, candidate->sh_offset, candidate->sh_size);
    }
    return {};
}

}  // namespace

std::optional<std::string> program_interpreter(std::string_view file) {
    const auto header = elf_header(file);
    if (!header) return std::nullopt;
    for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
        const auto segment = entry<Elf64_Phdr>(file, header->e_phoff, i);
        if (!segment) return std::nullopt;
        if (segment->p_type == PT_INTERP)
            return std::string(terminated(slice(file, segment->p_offset, segment->p_filesz)));
    }
    return std::nullopt;
}

std::optional<std::string> module_info(std::string_view file, std::string_view key) {
    for (auto rest = section(file, ".modinfo"); !rest.empty();) {
        const auto item = terminated(rest);
        if (item.starts_with(key) && item.substr(key.size()).starts_with('='))
            return std::string(item.substr(key.size() + 1));
        rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    }
    return std::nullopt;
}

}  // namespace vm
