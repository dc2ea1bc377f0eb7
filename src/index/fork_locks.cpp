#include <pthread.h>

#include <new>
#include <unordered_set>

#include "index/index_state.hpp"

namespace rtindex {

// Holds locks of all indexes while the process forks: a child may look up in the indexes of its
// parent and change them, and does not have the parent's other threads. Locks that are held while a
// call runs are not waited for: such a call may wait for what the forking thread has, such as
// Python's GIL. A change that is under way has no effect in the child.
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
  // the former come first. A refit changes keys in place, and is waited for.
  void lock() {
    mutex_.lock();
    for (State* const state : states_) {
      state->merge_thread_.lock();
      state->merge_failure_mutex_.lock();
      state->metadata_mutex_.lock();
    }
    for (State* const state : states_) state->refit_mutex_.lock_shared();
    for (State* const state : states_) state->version_mutex_.lock();
  }
  void unlock(bool in_child) {
    for (State* const state : states_) {
      state->version_mutex_.unlock();
      if (in_child)
        state->reset_threads();
      else
        state->refit_mutex_.unlock_shared();
      state->metadata_mutex_.unlock();
      state->merge_failure_mutex_.unlock();
      state->merge_thread_.unlock(in_child);
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::unordered_set<State*> states_;
};

// In a child. What a thread of the parent may have held or written is made anew, without
// destructors.
void Index::State::reset_threads() {
  new (&refit_mutex_) std::shared_mutex;
  new (&turnstile_) std::mutex;
  new (&change_mutex_) std::mutex;
  changer_ = std::thread::id();
  new (&merging_) std::shared_ptr<const RunningMerge>;
}

Index::State::State() { ForkLocks::get().add(*this); }
Index::State::~State() { ForkLocks::get().remove(*this); }

}  // namespace rtindex
