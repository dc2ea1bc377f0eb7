#include "index/merge_thread.hpp"

#include <chrono>
#include <new>
#include <utility>

#include "base/call_control.hpp"

namespace rtindex {

MergeThread::~MergeThread() {
  const UnstoppableScope until_the_end;
  wait();
  if (thread_.joinable()) thread_.join();
}

void MergeThread::start(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) thread_.join();  // it has ended, or does nothing more
  thread_ = std::thread([this, work = std::move(work)]() mutable {
    work();
    work = nullptr;  // what it holds is released before anyone who waits goes on
    const std::lock_guard ending(mutex_);
    is_running_ = false;
    is_done_.notify_all();
  });
  is_running_ = true;
}

void MergeThread::wait() {
  constexpr std::chrono::milliseconds between_checks{10};
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return !is_running_; };
  if (CallControl::current() == nullptr) return is_done_.wait(lock, is_over);
  while (!is_done_.wait_for(lock, between_checks, is_over)) {
    lock.unlock();
    check_stop();
    lock.lock();
  }
}

bool MergeThread::is_running() const {
  const std::lock_guard lock(mutex_);
  return is_running_;
}

void MergeThread::unlock(bool in_child) {
  if (in_child) {
    // Without the destructors, which would wait for a thread that is not there.
    new (&thread_) std::thread;
    new (&is_done_) std::condition_variable;
    is_running_ = false;
  }
  mutex_.unlock();
}

}  // namespace rtindex
