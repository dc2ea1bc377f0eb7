#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace rtindex {

// A value, or a function that loads it when it is read for the first time. Any number of threads
// may read it.
template <class T>
class Loaded {
 public:
  Loaded() : Loaded(T()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a value is a loaded one
  Loaded(T value) : state_(std::make_unique<State>()) { state_->set(std::move(value)); }
  explicit Loaded(std::function<T()> load) : state_(std::make_unique<State>()) {
    state_->load = std::move(load);
  }

  [[nodiscard]] const T& get() const {
    if (const T* const there = if_there()) return *there;
    const std::scoped_lock lock(state_->mutex);
    if (!state_->value) state_->set(state_->load());
    return *state_->value;
  }
  // Null if it is not loaded yet.
  [[nodiscard]] const T* if_there() const { return state_->there.load(std::memory_order_acquire); }

 private:
  struct State {
    void set(T made) {
      value.emplace(std::move(made));
      there.store(&*value, std::memory_order_release);
    }

    std::mutex mutex;
    std::function<T()> load;
    std::optional<T> value;
    std::atomic<const T*> there = nullptr;
  };

  std::unique_ptr<State> state_;
};

}  // namespace rtindex
