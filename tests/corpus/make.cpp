// SPDX-License-Identifier: MIT
//
// Writes the corpus into the folder that VIRTIO_ACCEL_TOSA_FIXTURE_OUT names. No test runs
// this: what is checked in changes only when somebody wants it to.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "corpus/recipe.hpp"

int main() {
    const char* folder = std::getenv("VIRTIO_ACCEL_TOSA_FIXTURE_OUT");
    if (folder == nullptr || !std::filesystem::is_directory(folder)) {
        std::cerr << "VIRTIO_ACCEL_TOSA_FIXTURE_OUT names no folder\n";
        return 2;
    }
    std::vector<corpus::Case> cases;
    corpus::add_float_cases(cases);
    corpus::add_storage_cases(cases);
    corpus::add_window_cases(cases);
    corpus::add_movement_cases(cases);
    corpus::add_integer_cases(cases);
    corpus::add_bit_cases(cases);
    corpus::add_reduction_cases(cases);
    corpus::add_cast_cases(cases);
    corpus::add_nan_cases(cases);
    corpus::add_large_cases(cases);
    corpus::add_graph_cases(cases);
    corpus::add_template_cases(cases);
    corpus::write_cases(folder, cases);
    std::cout << cases.size() << " cases\n";
}
