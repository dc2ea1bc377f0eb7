#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/call_control.hpp"
#include "base/fork_mutex.hpp"

namespace rtindex {

// A value, or a function that makes it when it is read for the first time. Any number of threads
// may read it.
template <class T>
class Lazy {
 public:
  Lazy() : Lazy(T()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a value is a lazy one
  Lazy(T value) : state_(std::make_unique<State>()) { state_->set(std::move(value)); }
  explicit Lazy(std::function<T()> make) : state_(std::make_unique<State>()) {
    state_->make = std::move(make);
  }

  [[nodiscard]] const T& get() const {
    if (const T* const there = if_there()) return *there;
    const UnstoppableScope for_all_calls;  // which wait for it
    const ForkLock lock(state_->mutex, [&] { new (&state_->value) std::optional<T>; });
    if (!state_->value) state_->set(state_->make());
    return *state_->value;
  }
  // Null if it is not made yet.
  [[nodiscard]] const T* if_there() const { return state_->there.load(std::memory_order_acquire); }

 private:
  struct State {
    void set(T made) {
      value.emplace(std::move(made));
      there.store(&*value, std::memory_order_release);
    }

    ForkMutex mutex;
    std::function<T()> make;
    std::optional<T> value;
    std::atomic<const T*> there = nullptr;
  };

  std::unique_ptr<State> state_;
};

}  // namespace rtindex
