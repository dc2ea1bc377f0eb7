// Loops of a call that can be stopped: what they report, and when they throw.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/call_control.hpp"
#include "base/parallel.hpp"

namespace rtindex::test {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t blocks = 200;

TEST(CallControl, LoopStopsBetweenBlocks) {
  std::stop_source source;
  const Control control{.stop = source.get_token()};
  std::atomic<std::size_t> done = 0;
  const auto work = [&] {
    parallel_for(blocks, 1, [&](std::size_t, std::size_t) {
      if (++done == 10) source.request_stop();
    });
  };
  EXPECT_THROW(run_call("testing", &control, work), Error);
  EXPECT_GE(done, 10U);
  EXPECT_LT(done, blocks);
}

TEST(CallControl, StopReachesLoopsInLoops) {
  std::stop_source source;
  const Control control{.stop = source.get_token()};
  std::atomic<std::size_t> done = 0;
  const auto work = [&] {
    parallel_for(4, 1, [&](std::size_t, std::size_t) {
      parallel_for(blocks, 1, [&](std::size_t, std::size_t) {
        if (++done == 10) source.request_stop();
      });
    });
  };
  EXPECT_THROW(run_call("testing", &control, work), Error);
  EXPECT_LT(done, blocks);
}

TEST(CallControl, ReportsSharesOfStagesAndLoops) {
  std::vector<double> reported;
  const Control control{.progress = [&](double share) { reported.push_back(share); },
                        .interval = milliseconds(0)};
  const auto loop = [] { parallel_for(blocks, 1, [](std::size_t, std::size_t) {}); };
  run_call("testing", &control, [&] {
    {
      const ProgressStage half(0.5, 1);
      loop();
    }
    EXPECT_LE(reported.back(), 0.5);
    serial_for(10, 5, [&](std::size_t first, std::size_t) {
      loop();
      EXPECT_LE(reported.back(), first == 0 ? 0.75 : 1.0);
    });
  });
  EXPECT_TRUE(std::is_sorted(reported.begin(), reported.end()));
  EXPECT_EQ(reported.back(), 1);
}

TEST(CallControl, ExceptionOfTheCallbackWins) {
  for (int round = 0; round < 50; ++round) {
    const Control control{.progress = [](double) { throw std::out_of_range("callback"); },
                          .interval = milliseconds(0)};
    const auto work = [] {
      parallel_for(blocks, 1, [](std::size_t, std::size_t) {
        std::this_thread::yield();
        check_stop();
      });
    };
    EXPECT_THROW(run_call("testing", &control, work), std::out_of_range);
  }
}

TEST(CallControl, UnstoppableWorkIsNotStopped) {
  std::stop_source source;
  const Control control{.stop = source.get_token()};
  std::atomic<std::size_t> done = 0;
  const auto work = [&] {
    const UnstoppableScope shared;
    source.request_stop();
    parallel_for(blocks, 1, [&](std::size_t, std::size_t) { ++done; });
  };
  EXPECT_THROW(run_call("testing", &control, work), Error);  // at its end
  EXPECT_EQ(done, blocks);
}

TEST(CallControl, CallsInsideOfCallsBelongToThem) {
  std::vector<double> reported;
  const ControlledCalls controlled({.progress = [&](double share) { reported.push_back(share); }});
  run_call("testing", [&] { run_call("testing inside", [] {}); });
  EXPECT_EQ(reported, std::vector{1.0});
}

// A loop of another call, on other threads, does not see the stop.
TEST(CallControl, LoopsOfOtherCallsGoOn) {
  std::stop_source source;
  const Control control{.stop = source.get_token()};
  std::atomic<std::size_t> done = 0;
  std::thread other([&] {
    for (int round = 0; round < 20; ++round)
      parallel_for(blocks, 1, [&](std::size_t, std::size_t) { ++done; });
  });
  EXPECT_THROW(run_call("testing", &control,
                        [&] {
                          parallel_for(blocks, 1,
                                       [&](std::size_t, std::size_t) { source.request_stop(); });
                        }),
               Error);
  other.join();
  EXPECT_EQ(done, 20 * blocks);
}

}  // namespace
}  // namespace rtindex::test
