// SPDX-License-Identifier: MIT
//
// Which device is opened, what it is asked first, and that no call of XRT may fail badly.
#include "xdna/provider/rig.hpp"
#include "xdna/self_test.hpp"

namespace xdna::test {
namespace {

using Found = std::expected<Binary, NoBinary>;

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

// A life in which everything may be refused, and everything ends. True if nothing was.
bool lives(provider::Provider& provider) {
    auto context = provider.create_context(0);
    if (!context) return false;
    auto queue = make(provider.create_queue(**context, 0));
    const Bytes raw = to_container(xrt_double::binary(kCopy));
    provider::SpanSource source(raw);
    auto program = provider.load_program(
        **context, {.format = kBinaryFormat, .resident_bytes = kNoCeiling}, source);
    auto in = provider.allocate_buffer(**context, {.bytes = 8, .usage = kEveryUsage});
    auto out = provider.allocate_buffer(**context, {.bytes = 16, .usage = kEveryUsage});
    bool good = false;
    if (program && in && out) {
        const Bytes bytes = payload(1);
        provider::SpanSource contents(bytes);
        const bool written = provider.write_buffer(**in, 0, contents).has_value();
        auto result = provider.submit(*queue, **program,
                                      std::vector<Binding>{{in->get(), 0, 8, 0, Access::Read},
                                                           {out->get(), 8, 8, 1, Access::Write}},
                                      0);
        if (auto* accepted = std::get_if<provider::Accepted>(&result)) {
            auto state = provider.poll_event(*accepted->event);
            for (; state && !state->terminal(); state = provider.poll_event(*accepted->event))
                std::this_thread::yield();
            Bytes got(8);
            provider::SpanSink sink(got);
            good = written && state && state->phase == EventPhase::Complete &&
                   provider.read_buffer(**out, 8, sink) && got == bytes;
            released(provider.destroy_event(std::move(accepted->event)));
        }
    }
    for (auto* buffer : {&in, &out})
        if (*buffer) released(provider.free_buffer(std::move(**buffer)));
    if (program) released(provider.unload_program(std::move(*program)));
    released(provider.destroy_queue(std::move(queue)));
    released(provider.destroy_context(std::move(*context)));
    return good;
}

TEST_CASE("xdna: whichever call of XRT fails, nothing stays and the next life is a good one") {
    const std::uint64_t alive = xrt_double::count("live");
    for (const std::string kind : {"runtime", "alloc", "foreign", "12", "19", "-22"}) {
        std::uint64_t bad = 0;
        for (std::uint64_t call = 1;; ++call) {
            CAPTURE(kind);
            CAPTURE(call);
            const std::string word = "any#" + std::to_string(call) + "=" + kind;
            const xrt_double::Script script(word);
            Options options = naming({});
            options.raw_binaries = true;
            options.self_test = false;
            bool good = false;
            if (auto opened = xdna::open(options)) good = lives(**opened);
            CHECK(xrt_double::count("live") == alive);
            if (xrt_double::count("any") < call) {  // none failed
                CHECK(good);
                break;
            }
            if (!good) ++bad;
        }
        CHECK(bad > 20);
    }
}

}  // namespace
}  // namespace xdna::test
