// SPDX-License-Identifier: MIT
#include "xdna/spec.hpp"

#include <doctest/doctest.h>

using namespace xdna;

namespace {

struct Written {
    Spec spec;
    std::string_view text;
};

// Of each kind the least, the greatest, and what the targets' tests are about.
const std::vector<Written>& fit() {
    static const std::vector<Written> all{
        {Bf16Identity{1024}, "bf16-identity elements=1024"},
        {Bf16Identity{(1U << 30) - 1024}, "bf16-identity elements=1073740800"},
        {Int8Identity{4}, "int8-identity elements=4"},
        {Int8Identity{1020}, "int8-identity elements=1020"},
        {Int8Identity{1024}, "int8-identity elements=1024"},
        {Int8Identity{2048}, "int8-identity elements=2048"},
        {Int8Identity{(1U << 31) - 1024}, "int8-identity elements=2147482624"},
        {Fp8ToBf16{Fp8::E4M3, 1024}, "fp8-to-bf16 format=e4m3 elements=1024"},
        {Fp8ToBf16{Fp8::E5M2, (1U << 30) - 1024}, "fp8-to-bf16 format=e5m2 elements=1073740800"},
        {Bf16Matmul{{32, 64, 32}}, "bf16-matmul m=32 k=64 n=32"},
        {Bf16Matmul{{512, 512, 512}}, "bf16-matmul m=512 k=512 n=512"},
        {Fp8Matmul{Fp8::E4M3, Fp8::E5M2, {64, 128, 96}},
         "fp8-matmul a=e4m3 b=e5m2 m=64 k=128 n=96"},
        {Int8Matmul{{1, 1, 1}, -128, 127}, "int8-matmul m=1 k=1 n=1 a_zero=-128 b_zero=127"},
        {Int8Matmul{{64, 64, 32}, 0, -1}, "int8-matmul m=64 k=64 n=32 a_zero=0 b_zero=-1"},
        {Int8Matmul{{2, 42, 326}}, "int8-matmul m=2 k=42 n=326 a_zero=0 b_zero=0"},  // 16384 bytes
        {Int32ToInt8Rescale{1, 0, 2, -128},
         "int32-to-int8-rescale elements=1 multiplier=0 shift=2 output_zero=-128"},
        {Int32ToInt8Rescale{3276, INT32_MAX, 62, 127},
         "int32-to-int8-rescale elements=3276 multiplier=2147483647 shift=62 output_zero=127"},
        {Bf16MaxPool2d{1, 1, 4096, 1, 1, 8, 8},
         "bf16-max-pool2d in_height=1 in_width=1 channels=4096 kernel_y=1 kernel_x=1 stride_y=8 "
         "stride_x=8"},
        {Bf16MaxPool2d{4, 4, 2, 2, 2, 2, 2},
         "bf16-max-pool2d in_height=4 in_width=4 channels=2 kernel_y=2 kernel_x=2 stride_y=2 "
         "stride_x=2"},
        {Bf16MaxPool2d{13, 8, 3, 3, 8, 5, 1},
         "bf16-max-pool2d in_height=13 in_width=8 channels=3 kernel_y=3 kernel_x=8 stride_y=5 "
         "stride_x=1"},
        {Bf16MaxPool2d{1, 4099, 1, 1, 7, 1, 1},  // 4099 + 4093 elements
         "bf16-max-pool2d in_height=1 in_width=4099 channels=1 kernel_y=1 kernel_x=7 stride_y=1 "
         "stride_x=1"},
    };
    return all;
}

struct Unfit {
    Spec spec;
    std::string_view why;
};

constexpr std::uint32_t kMost = UINT32_MAX;

const std::vector<Unfit>& unfit_specs() {
    static const std::vector<Unfit> all{
        {Bf16Identity{0}, "elements = 0 is not a positive multiple of 1024"},
        {Bf16Identity{1023}, "elements = 1023 is not a positive multiple of 1024"},
        {Bf16Identity{1028}, "elements = 1028 is not a positive multiple of 1024"},
        {Bf16Identity{1U << 30}, "the bytes of a tensor are 2147483648, more than 2147483647"},
        {Int8Identity{0}, "elements = 0 is not a positive multiple of 4"},
        {Int8Identity{6}, "elements = 6 is not a positive multiple of 4"},
        {Int8Identity{1028}, "elements = 1028 is not a positive multiple of 1024"},
        {Int8Identity{1U << 31}, "the bytes of a tensor are 2147483648, more than 2147483647"},
        {Fp8ToBf16{Fp8::E4M3, 0}, "elements = 0 is not a positive multiple of 1024"},
        {Fp8ToBf16{Fp8::E4M3, 512}, "elements = 512 is not a positive multiple of 1024"},
        {Fp8ToBf16{Fp8::E5M2, 1U << 30},
         "the bytes of a tensor are 2147483648, more than 2147483647"},
        {Bf16Matmul{{0, 64, 32}}, "M = 0 is not a positive multiple of 32"},
        {Bf16Matmul{{48, 64, 32}}, "M = 48 is not a positive multiple of 32"},
        {Bf16Matmul{{32, 0, 32}}, "K = 0 is not a positive multiple of 64"},
        {Bf16Matmul{{32, 96, 32}}, "K = 96 is not a positive multiple of 64"},
        {Bf16Matmul{{32, 64, 0}}, "N = 0 is not a positive multiple of 32"},
        {Bf16Matmul{{32, 64, 48}}, "N = 48 is not a positive multiple of 32"},
        {Bf16Matmul{{544, 64, 32}}, "M = 544 is not in 1..512"},
        {Bf16Matmul{{32, 576, 32}}, "K = 576 is not in 1..512"},
        {Bf16Matmul{{32, 64, 544}}, "N = 544 is not in 1..512"},
        {Fp8Matmul{Fp8::E4M3, Fp8::E4M3, {48, 64, 32}}, "M = 48 is not a positive multiple of 32"},
        {Fp8Matmul{Fp8::E4M3, Fp8::E4M3, {32, 576, 32}}, "K = 576 is not in 1..512"},
        {Int8Matmul{{0, 1, 1}}, "M = 0 is not a positive multiple of 1"},
        {Int8Matmul{{513, 1, 1}}, "M = 513 is not in 1..512"},
        {Int8Matmul{{1, 513, 1}}, "K = 513 is not in 1..512"},
        {Int8Matmul{{1, 1, 513}}, "N = 513 is not in 1..512"},
        {Int8Matmul{{kMost, kMost, kMost}}, "M = 4294967295 is not in 1..512"},
        // 16384 bytes, were it not that both operands end in half a word.
        {Int8Matmul{{2, 197, 78}}, "the bytes of all tensors are 16388, more than 16384"},
        {Int32ToInt8Rescale{1, -1, 30, 0}, "multiplier = -1 is not in 0..2147483647"},
        {Int32ToInt8Rescale{1, 1, 1, 0}, "shift = 1 is not in 2..62"},
        {Int32ToInt8Rescale{1, 1, 63, 0}, "shift = 63 is not in 2..62"},
        {Int32ToInt8Rescale{0, 1, 30, 0}, "elements = 0 is not in 1..16384"},
        {Int32ToInt8Rescale{kMost, 1, 30, 0}, "elements = 4294967295 is not in 1..16384"},
        {Int32ToInt8Rescale{3277, 1, 30, 0}, "the bytes of all tensors are 16388, more than 16384"},
        {Bf16MaxPool2d{0, 4, 1, 1, 1, 1, 1}, "height of the input = 0 is not in 1..8192"},
        {Bf16MaxPool2d{4, 0, 1, 1, 1, 1, 1}, "width of the input = 0 is not in 1..8192"},
        {Bf16MaxPool2d{4, 4, 0, 1, 1, 1, 1}, "channels = 0 is not in 1..8192"},
        {Bf16MaxPool2d{kMost, kMost, kMost, 1, 1, 1, 1},
         "height of the input = 4294967295 is not in 1..8192"},
        {Bf16MaxPool2d{16, 16, 1, 0, 1, 1, 1}, "height of the kernel = 0 is not in 1..8"},
        {Bf16MaxPool2d{16, 16, 1, 9, 1, 1, 1}, "height of the kernel = 9 is not in 1..8"},
        {Bf16MaxPool2d{16, 16, 1, 1, 0, 1, 1}, "width of the kernel = 0 is not in 1..8"},
        {Bf16MaxPool2d{16, 16, 1, 1, 9, 1, 1}, "width of the kernel = 9 is not in 1..8"},
        {Bf16MaxPool2d{16, 16, 1, 1, 1, 0, 1}, "height of the stride = 0 is not in 1..8"},
        {Bf16MaxPool2d{19, 16, 1, 1, 1, 9, 1}, "height of the stride = 9 is not in 1..8"},
        {Bf16MaxPool2d{16, 16, 1, 1, 1, 1, 0}, "width of the stride = 0 is not in 1..8"},
        {Bf16MaxPool2d{16, 19, 1, 1, 1, 1, 9}, "width of the stride = 9 is not in 1..8"},
        {Bf16MaxPool2d{4, 4, 1, 5, 1, 1, 1}, "the kernel's height exceeds the input's"},
        {Bf16MaxPool2d{4, 4, 1, 1, 5, 1, 1}, "the kernel's width exceeds the input's"},
        {Bf16MaxPool2d{5, 4, 2, 2, 2, 2, 2},
         "the strides of the height do not end at the input's edge"},
        {Bf16MaxPool2d{4, 5, 2, 2, 2, 2, 2},
         "the strides of the width do not end at the input's edge"},
        {Bf16MaxPool2d{8192, 8192, 8192, 1, 1, 1, 1},
         "the elements of both tensors are 1099511627776, more than 8192"},
        {Bf16MaxPool2d{1, 1, 4097, 1, 1, 1, 1},
         "the elements of both tensors are 8194, more than 8192"},
    };
    return all;
}

// As it would be written, were it fit.
void refuse(std::string_view text) {
    CAPTURE(text);
    CHECK(!from_text(text));
}

std::vector<std::uint64_t> bytes(const Spec& spec) {
    std::vector<std::uint64_t> out;
    for (const provider::Slot& slot : slots(spec))
        out.push_back(slot.bytes);
    return out;
}

using Bytes = std::vector<std::uint64_t>;

}  // namespace

TEST_SUITE("xdna/spec") {
    TEST_CASE("what is within every condition is fit, and its text means it") {
        for (const auto& [spec, text] : fit()) {
            CAPTURE(text);
            CHECK(unfit(spec).empty());
            CHECK(to_text(spec) == text);
            CHECK(from_text(text) == spec);
        }
    }

    TEST_CASE("what is beyond one condition is unfit, and says which") {
        for (const auto& [spec, why] : unfit_specs()) {
            CAPTURE(to_text(spec));
            CHECK(unfit(spec) == why);
            CHECK(!from_text(to_text(spec)));
        }
    }

    TEST_CASE("a text that differs in one character is refused or means another spec") {
        constexpr std::string_view kCharacters("\0 -+=0178amMx\t\n\xff", 17);
        for (const auto& [spec, original] : fit()) {
            const auto check = [&](const std::string& text) {
                const auto read = from_text(text);
                if (read && (to_text(*read) != text || *read == spec || !unfit(*read).empty()))
                    FAIL_CHECK(text);
            };
            for (std::size_t at = 0; at <= original.size(); ++at) {
                const std::string before(original.substr(0, at)), after(original.substr(at));
                if (!after.empty()) check(before);
                if (!after.empty() && after.substr(1) != after) check(before + after.substr(1));
                for (const char c : kCharacters) {
                    check(before + c + after);
                    if (!after.empty() && after[0] != c) check(before + c + after.substr(1));
                }
            }
        }
    }

    TEST_CASE("texts that only resemble one are refused") {
        refuse("");
        refuse(" ");
        refuse("bf16-identity");
        refuse("bf16-identity ");
        refuse("bf16-identity elements");
        refuse("bf16-identity elements=");
        refuse("bf16-identity  elements=1024");
        refuse(" bf16-identity elements=1024");
        refuse("bf16-identity elements=1024 ");
        refuse("bf16-identity elements=1024\n");
        refuse(std::string_view("bf16-identity elements=1024\0", 28));
        refuse("bf16-identity elements=1024 elements=1024");
        refuse("bf16-identity elements=01024");
        refuse("bf16-identity elements=+1024");
        refuse("bf16-identity elements=-1024");
        refuse("bf16-identity elements=0x400");
        refuse("bf16-identity elements=1024.0");
        refuse("bf16-identity elements=4294968320");            // 2^32 + 1024
        refuse("bf16-identity elements=18446744073709552640");  // 2^64 + 1024
        refuse("bf16-identity count=1024");
        refuse("BF16-identity elements=1024");
        refuse("bf32-identity elements=1024");
        refuse("fp8-to-bf16 format=e3m4 elements=1024");
        refuse("fp8-to-bf16 format= elements=1024");
        refuse("fp8-to-bf16 format=0 elements=1024");
        refuse("fp8-to-bf16 elements=1024 format=e4m3");
        refuse("int8-matmul m=1 k=1 n=1 a_zero=-0 b_zero=0");
        refuse("int8-matmul m=1 k=1 n=1 a_zero=128 b_zero=0");
        refuse("int8-matmul m=1 k=1 n=1 a_zero=-129 b_zero=0");
        refuse("int8-matmul m=1 k=1 n=1 a_zero=0");
        refuse("int8-matmul k=1 m=1 n=1 a_zero=0 b_zero=0");
        refuse("int32-to-int8-rescale elements=1 multiplier=2147483648 shift=2 output_zero=0");
    }

    TEST_CASE("slots are the inputs and then the output, in whole words") {
        CHECK(bytes(Bf16Identity{1024}) == Bytes{2048, 2048});
        CHECK(bytes(Int8Identity{8}) == Bytes{8, 8});
        CHECK(bytes(Fp8ToBf16{Fp8::E5M2, 1024}) == Bytes{1024, 2048});
        CHECK(bytes(Bf16Matmul{{64, 128, 96}}) == Bytes{16384, 24576, 24576});
        CHECK(bytes(Fp8Matmul{Fp8::E4M3, Fp8::E4M3, {64, 128, 96}}) == Bytes{8192, 12288, 24576});
        CHECK(bytes(Int8Matmul{{2, 3, 2}, -2, 3}) == Bytes{8, 8, 16});
        CHECK(bytes(Int32ToInt8Rescale{16, 1 << 29, 30, -3}) == Bytes{64, 16});
        CHECK(bytes(Int32ToInt8Rescale{3, 1, 2, 0}) == Bytes{12, 4});
        CHECK(bytes(Bf16MaxPool2d{4, 4, 2, 2, 2, 2, 2}) == Bytes{64, 16});
        CHECK(bytes(Bf16MaxPool2d{3, 5, 1, 3, 3, 1, 2}) == Bytes{32, 4});
        for (const auto& [spec, text] : fit()) {
            CAPTURE(text);
            const auto all = slots(spec);
            for (const provider::Slot& slot : all) {
                CHECK(slot.alignment == 4);
                CHECK((slot.access == provider::Access::Write) == (&slot == &all.back()));
            }
        }
    }
}
