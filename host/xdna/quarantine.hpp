// SPDX-License-Identifier: MIT
//
// Where the objects of a wedged device stay. Nobody knows what it still uses, and their
// destructors could block in the driver.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace xdna {

// The threads that the lane leaves behind keep it for ever, through its runtime.
class Quarantine {
 public:
    using Place = std::list<std::shared_ptr<void>>;

    void begin() { begun_ = true; }
    [[nodiscard]] bool begun() const { return begun_; }
    void take(Place& place) noexcept {
        const std::scoped_lock lock(mutex_);
        kept_.splice(kept_.end(), place);
    }
    [[nodiscard]] std::size_t kept() {
        const std::scoped_lock lock(mutex_);
        return kept_.size();
    }

 private:
    std::atomic<bool> begun_ = false;
    std::mutex mutex_;
    Place kept_;  // guarded by the mutex
};

// An object of the hardware, which ends with its owner unless there is a quarantine. Its
// place there is made beforehand: a destructor must not run out of memory.
template <class T>
class Native {
 public:
    Native(std::shared_ptr<T> object, std::shared_ptr<Quarantine> quarantine)
        : quarantine_(std::move(quarantine)), object_(object.get()) {
        place_.push_back(std::move(object));
    }
    ~Native() {
        if (quarantine_->begun()) quarantine_->take(place_);
    }
    Native(const Native&) = delete;
    Native& operator=(const Native&) = delete;

    [[nodiscard]] T* operator->() const { return object_; }
    [[nodiscard]] T& operator*() const { return *object_; }
    [[nodiscard]] std::shared_ptr<T> shared() const { return {place_.front(), object_}; }

 private:
    std::shared_ptr<Quarantine> quarantine_;
    T* object_;
    Quarantine::Place place_;
};

}  // namespace xdna
