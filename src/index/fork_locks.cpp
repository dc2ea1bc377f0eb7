#include <pthread.h>

#include <new>
#include <unordered_set>

#include "index/index_state.hpp"

namespace rtindex {

// Holds the locks of all indexes while the process forks: a child may look up in the indexes of its
// parent, whose other threads it does not have.
class Index::State::ForkLocks {
 public:
  // Never freed: a process may fork while static objects are destroyed.
  static ForkLocks& get() {
    static auto* const locks = new ForkLocks;
    return *locks;
  }

  void add(State& state) {
    const std::lock_guard lock(mutex_);
    states_.insert(&state);
  }
  void remove(State& state) {
    const std::lock_guard lock(mutex_);
    states_.erase(&state);
  }

 private:
  ForkLocks() {
    static_cast<void>(pthread_atfork([] { get().lock(); }, [] { get().unlock(false); },
                                     [] { get().unlock(true); }));
  }

  // A reader holds the refit lock of one index while it publishes the version of another: all of
  // the former come first. A merge thread waits for a change that is under way.
  void lock() {
    mutex_.lock();
    for (State* const state : states_) {
      state->merge_publish_mutex_.lock();
      state->merge_thread_.lock();
      state->merge_failure_mutex_.lock();
    }
    for (State* const state : states_) {
      state->turnstile_.lock();
      state->refit_mutex_.lock();
    }
    for (State* const state : states_) state->version_mutex_.lock();
  }
  void unlock(bool in_child) {
    for (State* const state : states_) {
      state->version_mutex_.unlock();
      // A lock for readers and writers remembers the thread, which has another number in a child.
      if (in_child)
        new (&state->refit_mutex_) std::shared_mutex;
      else
        state->refit_mutex_.unlock();
      state->turnstile_.unlock();
      state->merge_failure_mutex_.unlock();
      if (in_child) state->merging_ = nullptr;
      state->merge_thread_.unlock(in_child);
      state->merge_publish_mutex_.unlock();
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::unordered_set<State*> states_;
};

Index::State::State() { ForkLocks::get().add(*this); }
Index::State::~State() { ForkLocks::get().remove(*this); }

}  // namespace rtindex
