// SPDX-License-Identifier: MIT
//
// A command in three steps, written as one function: admit, provider work, commit.
//
//     Task Device::execute(wire::LoadProgram command, Ports ports) {
//         ...                                          // admit: on the engine's thread
//         auto native = co_await provider_call([&] {   // on any thread
//             return provider_->load_program(...);
//         });
//         ...                                          // commit: on the engine's thread
//         co_return Reply::id(...);
//     }
//
// What lies between two steps may not be referred to across them: other commands run
// meanwhile. Indices stay valid, references into tables do not.
#pragma once

#include <coroutine>
#include <new>
#include <optional>
#include <utility>

#include "engine/reply.hpp"

namespace engine {

class Task {
 public:
    // The call that a suspended task waits for. It lives in the task's frame.
    class Call {
     public:
        virtual void run() noexcept = 0;

     protected:
        ~Call() = default;
    };

    struct promise_type {
        std::optional<Reply> reply;
        Call* call = nullptr;

        Task get_return_object() {
            return Task(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        static Task get_return_object_on_allocation_failure() { return Task(nullptr); }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(Reply value) { reply = value; }
        // Commands allocate only before they change anything.
        void unhandled_exception() {
            try {
                throw;
            } catch (const std::bad_alloc&) {
                reply = wire::Status::OutOfMemory;
            }
        }
    };

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task() {
        if (handle_) handle_.destroy();
    }

    [[nodiscard]] bool done() const { return !handle_ || handle_.done(); }
    [[nodiscard]] Reply reply() const {
        return handle_ ? *handle_.promise().reply : Reply(wire::Status::OutOfMemory);
    }
    // While not done: makes the provider call, then goes on behind it.
    void run_call() noexcept { handle_.promise().call->run(); }
    void resume() { handle_.resume(); }

 private:
    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

// Suspends the task; `co_await` yields what `call` returned. Calls to a provider throw
// nothing (provider.hpp).
template <class Function>
class ProviderCall final : public Task::Call {
 public:
    explicit ProviderCall(Function function) : function_(std::move(function)) {}

    void run() noexcept override { result_.emplace(function_()); }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<Task::promise_type> handle) noexcept {
        handle.promise().call = this;
    }
    auto await_resume() { return *std::move(result_); }

 private:
    Function function_;
    std::optional<decltype(std::declval<Function&>()())> result_;
};

template <class Function>
[[nodiscard]] ProviderCall<Function> provider_call(Function function) {
    return ProviderCall<Function>(std::move(function));
}

}  // namespace engine
