// SPDX-License-Identifier: MIT
//
// A program of one kernel, with buffers for several runs of it at a time.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "provider/provider.hpp"
#include "tosa/target.hpp"
#include "xdna/spec.hpp"

namespace xdna::bench {

using Bytes = std::vector<std::byte>;

// As it comes from a guest, with what goes in: of each input as much as its slot has, or the
// padding is zero.
struct Kernel {
    Spec spec;
    Bytes file;
    tosa::Target target;  // the least that it needs
    std::vector<Bytes> inputs;
};

// The provider did not do what it was asked to.
class Refused : public std::runtime_error {
 public:
    Refused(const char* what, const provider::Error& error);
    [[nodiscard]] provider::ErrorKind kind() const { return kind_; }

 private:
    provider::ErrorKind kind_;
};

class Load {
 public:
    Load(provider::Provider& provider, const Kernel& kernel, std::size_t depth = 1);

    // A run with the buffers of that number: submitted, until it is done, and collected.
    void submit(std::size_t number);
    [[nodiscard]] bool done(std::size_t number);
    void collect(std::size_t number);

    // What the last one has made.
    [[nodiscard]] Bytes output(std::size_t number);

 private:
    struct Set {
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<provider::Binding> bindings;
        std::unique_ptr<provider::Event> event;
    };

    [[nodiscard]] Set make_set(const Kernel& kernel) const;

    provider::Provider& provider_;
    std::unique_ptr<provider::Context> context_;
    std::unique_ptr<provider::Queue> queue_;
    std::unique_ptr<provider::Program> program_;
    std::vector<Set> sets_;
};

}  // namespace xdna::bench
