#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rtindex::test {

// Ends the program if it does not end itself: with a deadlock, or a thread that never gets its
// turn, the name of the test would be missing from the output.
class Watchdog {
 public:
  explicit Watchdog(std::function<std::string()> report)
      : report_(std::move(report)), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  static constexpr std::chrono::minutes patience{5};

  void watch() {
    std::unique_lock lock(mutex_);
    if (over_.wait_for(lock, patience, [this] { return is_over_; })) return;
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "%s.%s does not end: %s\n", test->test_suite_name(), test->name(),
                 report_().c_str());
    std::abort();
  }

  std::function<std::string()> report_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

// Runs each task in a thread of its own, again and again until all have reached their minimum.
class Crew {
 public:
  // The task returns "" or what is wrong.
  void add(int least, std::function<std::string()> task) {
    members_.emplace_back(least, std::move(task));
  }

  void run() {
    std::atomic<std::size_t> unfinished = members_.size();
    const Watchdog watchdog([&] {
      std::string text = "passes of each thread:";
      for (const Member& member : members_) text += " " + std::to_string(member.passes);
      return text;
    });
    std::vector<std::thread> threads;
    for (Member& member : members_)
      threads.emplace_back([&] {
        while (unfinished != 0 && member.wrong.empty()) {
          try {
            member.wrong = member.task();
          } catch (const std::exception& error) {
            member.wrong = error.what();
          }
          if (++member.passes == member.least) --unfinished;
        }
        if (!member.wrong.empty()) unfinished = 0;
      });
    for (std::thread& thread : threads) thread.join();
    for (const Member& member : members_) EXPECT_EQ("", member.wrong);
  }

 private:
  struct Member {
    Member(int wanted, std::function<std::string()> work) : least(wanted), task(std::move(work)) {}
    int least;
    std::function<std::string()> task;
    std::string wrong = {};
    std::atomic<int> passes = 0;
  };
  std::deque<Member> members_;
};

}  // namespace rtindex::test
