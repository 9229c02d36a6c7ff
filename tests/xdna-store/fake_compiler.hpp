// SPDX-License-Identifier: MIT
//
// Compilers that tests write: programs of the contract in docs/providers/xdna-compiler.md
// that are good but for what a test has them do.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <stdlib.h>

#include "xdna/store/direct.hpp"

namespace xdna_store_test {

// A directory that goes away with its test.
class Scratch {
 public:
    Scratch() {
        std::string name = std::filesystem::temp_directory_path() / "xdna-store.XXXXXX";
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }

    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return path_ / name;
    }

 private:
    std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    REQUIRE(file.good());
}

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What a Python program is before `body`. It makes what is asked of it, and counts in the
// file "compiled" beside itself how often it was.
inline constexpr const char* kGoodCompiler = R"(#!/usr/bin/python3
import json, os, sys
versions = {"fake": "1"}

def result(spec, **other):
    return {"schema": 1, "ok": True, "stage": "done", "entry": "MLIR_AIE", "versions": versions,
            "input_bytes": spec["input_bytes"], "output_bytes": spec["output_bytes"], **other}

def write(name, contents):
    with open(name, "wb" if isinstance(contents, bytes) else "w") as file:
        file.write(contents)

def make(**other):
    spec = json.load(open("spec.json"))
    write("kernel.xclbin", b"xclbin2 of " + spec["text"].encode())
    write("instructions.bin", bytes(range(12)))
    write("result.json", json.dumps(result(spec, **other)))

def good():
    if sys.argv[1] == "--versions":
        print(json.dumps({"schema": 1, "versions": versions}))
    else:
        make()

def versions_only():
    if sys.argv[1] == "--versions":
        good()
        sys.exit(0)

)";

// `body` says what it does; it is good() if it is empty.
inline std::filesystem::path write_compiler(const Scratch& scratch,
                                            const std::string& body = "good()\n") {
    const auto path = scratch / "compiler";
    write_text(path, kGoodCompiler + body);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

}  // namespace xdna_store_test
