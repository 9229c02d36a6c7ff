// SPDX-License-Identifier: MIT
#include "xdna/store/direct.hpp"

#include <cerrno>
#include <format>
#include <utility>

#include <sys/eventfd.h>

namespace xdna {

namespace {

std::unexpected<NoBinary> none(const std::string& key, const Spec& spec, const char* besides) {
    return std::unexpected(
        NoBinary{.error = ErrorKind::Unsupported,
                 .why = std::format("no compiled kernel for '{}' (key {}), and {}", to_text(spec),
                                    key, besides)});
}

}  // namespace

std::expected<std::unique_ptr<DirectStore>, std::string> DirectStore::open(
    const StoreOptions& options) {
    if (options.compiler.empty() != options.cache.empty())
        return std::unexpected(
            "a compiler needs a cache for what it makes, and a cache a compiler");
    std::unique_ptr<DirectStore> store(new DirectStore);
    store->log_ = options.log;
    if (!options.catalogue.empty()) {
        auto catalogue = Catalogue::open(options.catalogue);
        if (!catalogue) return std::unexpected(catalogue.error());
        store->catalogue_ = std::move(*catalogue);
    }
    if (options.compiler.empty()) return store;
    auto cache = Cache::open(options.cache, options.cache_bytes);
    if (!cache) return std::unexpected(cache.error());
    store->cache_ = std::move(*cache);
    store->stop_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!store->stop_) return failure("eventfd", errno);
    store->compiler_.emplace(options.compiler, store->cache_->path(), options.limits,
                             store->stop_.value(), options.log);
    return store;
}

std::expected<Binary, NoBinary> DirectStore::find(const Spec& spec, Effort effort) {
    const std::string key = catalogue_key(spec);
    if (catalogue_)
        if (auto binary = catalogue_->get(key, spec)) return std::move(*binary);
    if (!compiler_) return none(key, spec, "no compiler is configured");
    const auto made_by = toolchain();
    if (!made_by) return std::unexpected(made_by.error());
    if (auto binary = cache_->get(cache_key(spec, *made_by), spec)) return std::move(*binary);
    if (effort == Effort::Look) return none(key, spec, "none was compiled before");
    return compile(spec);
}

std::expected<Binary, NoBinary> DirectStore::compile(const Spec& spec) {
    const std::lock_guard lock(compiling_);
    const auto made_by = toolchain();
    if (!made_by) return std::unexpected(made_by.error());
    const std::string key = cache_key(spec, *made_by);
    // Somebody may have had it compiled while this one waited.
    if (auto binary = cache_->get(key, spec)) return std::move(*binary);
    auto binary = compiler_->compile(spec, *made_by);
    if (!binary) {
        // Perhaps it is not what it was.
        const std::lock_guard measured(toolchain_mutex_);
        toolchain_.reset();
        return binary;
    }
    if (!cache_->put(key, *binary)) log_("xdna: a kernel cannot be kept in the cache");
    return binary;
}

std::expected<Toolchain, NoBinary> DirectStore::toolchain() {
    const std::lock_guard lock(toolchain_mutex_);
    if (toolchain_) return *toolchain_;
    auto measured = compiler_->measure();
    if (measured) toolchain_ = *measured;
    return measured;
}

void DirectStore::stop() {
    if (stop_) ::eventfd_write(stop_.value(), 1);
}

}  // namespace xdna
