// SPDX-License-Identifier: MIT
#include "vulkan/rig.hpp"

using namespace vulkan;
using namespace vulkan::test;

TEST_SUITE("vulkan/device" * doctest::skip(skipped())) {
    TEST_CASE("the list shows every device with its identity, and why it cannot be used") {
        const auto devices = list();
        REQUIRE(devices);
        REQUIRE(!devices->empty());
        for (std::uint32_t i = 0; i < devices->size(); ++i) {
            CHECK((*devices)[i].index == i);
            CHECK(!(*devices)[i].name.empty());
            CHECK(!(*devices)[i].driver.empty());
        }
        const auto named = choose(Options{.name = device_name()});
        REQUIRE(named);
        CHECK((*devices)[named->index].uuid == named->uuid);
        CHECK((*devices)[named->index].unusable.empty());
    }

    TEST_CASE("opening without a choice never opens a software device") {
        const auto choice = choose(Options{});
        const auto opened = open({});
        CHECK(opened.has_value() == choice.has_value());
        if (choice)
            CHECK(choice->type != DeviceType::Cpu);
        else
            CHECK(opened.error().contains("only when it is named"));
    }

    TEST_CASE("device information is stable, valid, and that of the device") {
        Rig rig;
        const auto chosen = choose(Options{.name = device_name()});
        const auto info = rig->device_info();
        CHECK(info == rig->device_info());
        CHECK(info.uuid == chosen->uuid);
        CHECK(info.device_class == (chosen->type == DeviceType::Cpu ? provider::DeviceClass::Other
                                                                    : provider::DeviceClass::Gpu));
        CHECK((info.capabilities & provider::kCapHostVisibleMemory) != 0);
        CHECK((info.capabilities & provider::kCapDeviceLocalMemory) != 0);
        CHECK((info.capabilities & provider::kCapEventCancellation) == 0);
        CHECK(info.max_contexts == 16);
        CHECK(info.max_buffers_per_context == 190);
        CHECK(info.max_bindings_per_submission >= 2);
        CHECK(info.max_bindings_per_submission <= 16);
        CHECK(info.max_buffer_bytes % 4 == 0);
        CHECK(info.max_buffer_bytes >= (1U << 27) - 4);
    }

    TEST_CASE("reserved flags create nothing") {
        Rig rig;
        CHECK(error_of(rig->create_context(1)) == ErrorKind::Unsupported);
        CHECK(error_of(rig->create_queue(*rig.context, 1)) == ErrorKind::Unsupported);
    }

    TEST_CASE("contexts, queues and programs end at their limits and come back") {
        Rig rig;
        std::vector<std::unique_ptr<provider::Context>> contexts;
        while (contexts.size() < 15)
            contexts.push_back(rig.make(rig->create_context(0)));
        CHECK(error_of(rig->create_context(0)) == ErrorKind::ResourceLimit);
        rig.released(rig->destroy_context(std::move(contexts.back())));
        contexts.back() = rig.make(rig->create_context(0));
        for (auto& context : contexts)
            rig.released(rig->destroy_context(std::move(context)));

        std::vector<std::unique_ptr<provider::Queue>> queues;
        while (queues.size() < 15)
            queues.push_back(rig.make(rig->create_queue(*rig.context, 0)));
        CHECK(error_of(rig->create_queue(*rig.context, 0)) == ErrorKind::ResourceLimit);
        for (auto& queue : queues)
            rig.released(rig->destroy_queue(std::move(queue)));
    }

    TEST_CASE("a context with children cannot be destroyed") {
        Rig rig;
        auto result = rig->destroy_context(std::move(rig.context));
        auto* rejected = std::get_if<provider::ReleaseRejected<provider::Context>>(&result);
        REQUIRE(rejected);
        CHECK(rejected->error.kind == ErrorKind::Busy);
        rig.context = std::move(rejected->resource);
        CHECK(rig.context);
    }

    TEST_CASE("objects that were never released may go after the provider, in any order") {
        std::vector<std::string> messages;
        Options options{.name = device_name()};
        options.on_validation_message = [&](std::string_view m) { messages.emplace_back(m); };
        auto opened = open(options);
        REQUIRE_MESSAGE(opened, opened.error_or(""));
        auto provider = std::move(*opened);
        auto context = *provider->create_context(0);
        auto queue = *provider->create_queue(*context, 0);
        auto buffer = *provider->allocate_buffer(
            *context, {.bytes = 64, .domain = MemoryDomain::Host, .usage = kEveryUsage});
        provider.reset();
        context.reset();
        buffer.reset();
        queue.reset();
        CHECK(messages.empty());
    }
}
