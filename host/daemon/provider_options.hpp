// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "daemon/options.hpp"

namespace acceld {

// The options that are for one provider alone: given with another they are a mistake.
class ProviderOptions {
 public:
    ProviderOptions(CLI::App& app, ProviderChoice& choice);

    // What was given for another provider than the one that was chosen; empty if nothing.
    [[nodiscard]] std::string complaint() const;
    // What was given, for the worker.
    void append_to(std::vector<std::string>& arguments) const;

 private:
    struct Group {
        std::string_view provider;
        std::string_view options;
        const CLI::App* group;
    };

    const ProviderChoice& choice_;
    std::array<Group, 3> groups_;
};

// The options of a group as they were given.
void append_arguments(const CLI::App& group, std::vector<std::string>& arguments);

// Whole seconds, of which there is at least one.
void add_seconds(CLI::App& app, const char* name, std::chrono::seconds& value, const char* about);

}  // namespace acceld
