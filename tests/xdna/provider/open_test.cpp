// SPDX-License-Identifier: MIT
//
// Which device is opened, and what it is asked first.
#include "xdna/provider/rig.hpp"
#include "xdna/self_test.hpp"

namespace xdna::test {
namespace {

using Found = xrt_double::Store::Found;

Options naming(std::optional<std::uint32_t> index, const std::string& name = {}) {
    Options options;
    options.library = library();
    options.index = index;
    options.name = name;
    return options;
}

std::uint32_t chosen(const Options& options) {
    const auto npu = choose(options);
    REQUIRE_MESSAGE(npu, npu.error_or(""));
    return npu->index;
}

std::string refusal(const Options& options) {
    const auto npu = choose(options);
    REQUIRE_FALSE(npu);
    return npu.error();
}

TEST_SUITE("xdna/open") {
    TEST_CASE("the NPU is the one that is asked for, or the first that can be used") {
        const xrt_double::Script script("devices=3 broken=0");
        const auto npus = list(naming({}));
        REQUIRE_MESSAGE(npus, npus.error_or(""));
        REQUIRE(npus->size() == 3);
        CHECK((*npus)[0].unusable != "");
        CHECK((*npus)[1].unusable == "");
        CHECK((*npus)[1].name.contains("double"));

        CHECK(chosen(naming({})) == 1);
        CHECK(chosen(naming(2)) == 2);
        CHECK(chosen(naming(2, "1f.1")) == 2);  // the index says it all
        CHECK(chosen(naming({}, "1f.2")) == 2);
        CHECK(refusal(naming(0)).contains("cannot"));
        CHECK(refusal(naming(3)).contains("no NPU has index 3"));
        CHECK(refusal(naming({}, "no such")).contains("no NPU is named"));
        CHECK(refusal(naming({}, "double")).contains("several"));
    }

    TEST_CASE("without an NPU, and without XRT, the reason is given") {
        {
            const xrt_double::Script script("devices=0");
            CHECK(refusal(naming({})) == "there is no NPU");
        }
        {
            const xrt_double::Script script("broken=0");
            CHECK(refusal(naming({})).contains("cannot be used"));
            Opening opening;
            CHECK(opening.open() != "");
        }
        Opening opening;
        opening.options.library = "/nowhere/libxrt.so";
        CHECK(opening.open() != "");
    }

    TEST_CASE("the device is asked what is known, of kernels that are there") {
        const xrt_double::Script script;
        Opening opening;
        CHECK(opening.open() == "");
        CHECK(opening.warnings.size() == 1);  // of versions that nobody has tested
        CHECK(opening.store->looks == static_cast<int>(known_answers().size()));
        CHECK(opening.store->compiles == 0);
        CHECK(xrt_double::count("commands") == known_answers().size());
        CHECK(xrt_double::count("live") == 0);
    }

    TEST_CASE("nothing is asked if nothing is there, or if that is wished for") {
        const xrt_double::Script script;
        Opening opening;
        opening.store->answer = [](const Spec&, Effort) -> Found {
            return std::unexpected(NoBinary{ErrorKind::Unsupported, "none"});
        };
        CHECK(opening.open() == "");
        REQUIRE(opening.warnings.size() == 2);
        CHECK(opening.warnings[1].contains("none was tested"));

        opening.options.store = nullptr;
        CHECK(opening.open() == "");
        CHECK(opening.warnings.size() == 4);
        opening.options.self_test = false;
        CHECK(opening.open() == "");
        CHECK(opening.warnings.size() == 5);
        CHECK(xrt_double::count("commands") == 0);
    }

    TEST_CASE("a device that computes wrong is not opened, and the kernel is named") {
        const xrt_double::Script script;
        for (const KnownAnswer& wrong : known_answers()) {
            const std::string name = to_text(wrong.spec);
            CAPTURE(name);
            auto answers = known_answers();
            for (KnownAnswer& answer : answers)
                if (answer.spec == wrong.spec) answer.output.back() ^= std::byte{1};
            Opening trusting;
            trusting.options.self_test = false;
            const auto opened = xdna::open(trusting.options);
            REQUIRE(opened);
            const auto told = self_test(static_cast<XdnaProvider&>(**opened), answers);
            REQUIRE_FALSE(told);
            CHECK(told.error() == "the device computes wrong: " + name);
        }
        Opening opening;  // with the zero points of another
        opening.store->answer = [](const Spec& spec, Effort) -> Found {
            if (spec == Spec(Int8Matmul{{2, 3, 2}, -2, 3}))
                return xrt_double::binary(Int8Matmul{{2, 3, 2}, -2, 4});
            return xrt_double::binary(spec);
        };
        CHECK(opening.open().starts_with("the device computes wrong: int8-matmul m=2"));
    }

    TEST_CASE("a device that fails in the self test is not opened") {
        const xrt_double::Script script("end#2=5");
        Opening opening;
        CHECK(opening.open().starts_with("the device fails to compute"));
        CHECK(xrt_double::count("live") == 0);
    }
}

}  // namespace
}  // namespace xdna::test
