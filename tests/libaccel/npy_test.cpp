// SPDX-License-Identifier: MIT
#include "npy.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <doctest/doctest.h>

using namespace accelctl;

namespace {

std::vector<std::byte> to_bytes(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// A file with this header, blanks to its end included, and so much data.
std::vector<std::byte> file_with(std::string_view header, std::size_t data, char major = 1) {
    std::string text = "\x93NUMPY";
    text += {major, '\0', static_cast<char>(header.size() & 0xFF),
             static_cast<char>(header.size() >> 8)};
    if (major == 2) text += {'\0', '\0'};
    text += header;
    text.append(data, '\x2A');
    return to_bytes(text);
}

std::string refusal(std::span<const std::byte> file) {
    const auto array = parse_npy(file);
    return array ? "" : array.error();
}

constexpr std::string_view kGood = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

}  // namespace

TEST_SUITE("libaccel/npy") {
    TEST_CASE("what is written is read back, whatever the type and the rank") {
        for (const std::string_view type :
             {"|b1", "|i1", "|u1", "<i2", "<u2", "<f2", "<i4", "<f4", "<i8"})
            for (const Shape& shape :
                 {Shape{}, Shape{5}, Shape{2, 3}, Shape{1, 1, 2, 1}, Shape{0}}) {
                Array array{.element = *element_of(type), .shape = shape, .data = {}};
                std::size_t size = bytes(array.element);
                for (const auto extent : shape)
                    size *= extent;
                for (std::size_t i = 0; i < size; ++i)
                    array.data.push_back(static_cast<std::byte>(i * 7));
                CAPTURE(type);
                CAPTURE(to_string(shape));

                const auto file = format_npy(array);
                const auto back = parse_npy(file);

                REQUIRE(back);
                CHECK((file.size() - array.data.size()) % 64 == 0);
                CHECK(back->element == array.element);
                CHECK(back->shape == array.shape);
                CHECK(back->data == array.data);
            }
    }

    TEST_CASE("a file is byte for byte what NumPy writes") {
        const Array array{.element = Element::I2, .shape = {3}, .data = to_bytes("abcdef")};
        std::string expected = "\x93NUMPY\x01";
        expected += '\0';
        expected += 'v';
        expected += '\0';
        std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }";
        header.resize(117, ' ');
        CHECK(format_npy(array) == to_bytes(expected + header + "\nabcdef"));
    }

    TEST_CASE("both formats, any order of keys, any quotes and blanks are read") {
        for (const auto& [header, major] : std::initializer_list<std::pair<std::string_view, char>>{
                 {kGood, 1},
                 {kGood, 2},
                 {"{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}", 1},
                 {" { 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' }  \n\n",
                  1}}) {
            CAPTURE(header);
            const auto array = parse_npy(file_with(header, 24, major));
            REQUIRE(array);
            CHECK(array->element == Element::F4);
            CHECK(array->shape == Shape{2, 3});
            CHECK(array->data == std::vector(24, std::byte{0x2A}));
        }
    }

    TEST_CASE("a header that is not exactly the three keys is malformed") {
        for (const std::string_view header :
             {"",
              " ",
              "{",
              "}",
              "{}",
              "{'descr'",
              "{'descr':",
              "{'descr': '<f4'",
              "[1]",
              "\0",
              "{'descr': '<f4', 'fortran_order': False}",
              "{'descr': '<f4', 'shape': (2, 3)}",
              "{'fortran_order': False, 'shape': (2, 3)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
              "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}",
              "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
              "{'descr': '<f4', 'fortran_order': False, 'fortran_order': True, 'shape': (2, 3)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
              "{'descr': '<f4\", 'fortran_order': False, 'shape': (2, 3)}",
              "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}",
              "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': 6}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (2,, 3)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -3)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (2.0, 3)}",
              "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}"}) {
            CAPTURE(header);
            CHECK(refusal(file_with(header, 24)) == "the .npy header is malformed");
        }
    }

    TEST_CASE("a shape has at most 32 dimensions") {
        const auto with_rank = [](int rank) {
            std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (";
            for (int i = 0; i < rank; ++i)
                header += "1,";
            return file_with(header + ")}", 1);
        };
        CHECK(refusal(with_rank(32)).empty());
        CHECK(refusal(with_rank(33)) == "the .npy header is malformed");
    }

    TEST_CASE("types and orders that cannot be used are named") {
        const auto with_type = [](std::string_view type) {
            return file_with(
                fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (1,)}}", type), 8);
        };
        for (const std::string_view type : {">f4", "<f8", "<c8", "|O", "<U2", "<u4", "", "f4"})
            CHECK(refusal(with_type(type)) ==
                  fmt::format("elements of type \"{}\" are not supported", type));
        CHECK(refusal(with_type("\x1b[2J")) == "elements of type \"\\x1b[2J\" are not supported");
        CHECK(refusal(file_with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 24)) ==
              "Fortran order is not supported");
    }

    TEST_CASE("the data must fill the shape exactly") {
        for (const std::size_t size : {0UZ, 23UZ, 25UZ})
            CHECK(refusal(file_with(kGood, size)) ==
                  fmt::format("{} bytes of data do not fill the shape [2, 3]", size));
        // The product of these is 2^64 elements, or 2^64 bytes: zero, if it wrapped.
        for (const std::string_view shape : {"(4294967296, 4294967296)", "(4611686018427387904,)",
                                             "(4294967296, 4294967296, 0)"}) {
            CAPTURE(shape);
            const auto header =
                fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}}}", shape);
            CHECK(refusal(file_with(header, 0)).starts_with("0 bytes of data do not fill"));
        }
    }

    TEST_CASE("a file that is cut anywhere is refused") {
        const auto whole = file_with(kGood, 24);
        for (std::size_t size = 0; size < whole.size(); ++size) {
            CAPTURE(size);
            CHECK(!refusal(std::span(whole).first(size)).empty());
        }
    }

    TEST_CASE("other magics, versions and lengths are refused") {
        auto file = file_with(kGood, 24);
        const auto changed = [&](std::size_t at, int value) {
            auto copy = file;
            copy[at] = static_cast<std::byte>(value);
            return refusal(copy);
        };
        CHECK(changed(0, 0x92) == "not a .npy file");
        CHECK(changed(5, 'X') == "not a .npy file");
        CHECK(changed(6, 0) == "format 0.0 of .npy is not known");
        CHECK(changed(6, 3) == "format 3.0 of .npy is not known");
        CHECK(changed(7, 1) == "format 1.1 of .npy is not known");
        CHECK(changed(9, 0xFF) == "the .npy header is cut short");
        file = file_with(kGood, 24, 2);
        CHECK(changed(11, 0xFF) == "the .npy header is too long");
        CHECK(changed(9, 0xFF) == "the .npy header is cut short");
        CHECK(refusal(std::vector<std::byte>(
                  {std::byte{0x93}, std::byte{'N'}, std::byte{'U'}, std::byte{'M'}, std::byte{'P'},
                   std::byte{'Y'}, std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}})) ==
              "the .npy header is cut short");
    }
}
