// Calls that are stopped change nothing, and calls report their progress: on every index.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/specs.hpp"
#include "support/temporary_folder.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using std::chrono::milliseconds;

std::optional<ErrorKind> kind_of(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return error.kind();
  }
}

std::vector<std::uint32_t> shuffled_keys(std::size_t size) {
  std::vector<std::uint32_t> keys(size);
  std::mt19937 random(7);
  for (std::uint32_t& key : keys) key = random() % (1U << 20);
  return keys;
}

// Stops a call when it reports `at` or more.
class StopAt {
 public:
  explicit StopAt(double at) : at_(at) {}

  [[nodiscard]] Control control() {
    return {.stop = source_.get_token(),
            .progress =
                [this](double fraction) {
                  reported_.push_back(fraction);
                  if (fraction >= at_) source_.request_stop();
                },
            .interval = milliseconds(0)};
  }
  [[nodiscard]] const std::vector<double>& reported() const { return reported_; }

 private:
  double at_;
  std::stop_source source_;
  std::vector<double> reported_;
};

constexpr double never = 2;

class StoppedCalls : public testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t size = affordable(std::size_t{1} << 18);
  const std::vector<std::uint32_t> keys = shuffled_keys(size);

  [[nodiscard]] std::vector<std::uint32_t> counts(const Index& index) const {
    return index.lookup(keys, Answer::count).count();
  }
};

void expect_progress(const std::vector<double>& reported) {
  ASSERT_FALSE(reported.empty());
  EXPECT_TRUE(std::is_sorted(reported.begin(), reported.end()));
  EXPECT_GE(reported.front(), 0);
  EXPECT_EQ(reported.back(), 1);
  EXPECT_EQ(std::count(reported.begin(), reported.end(), 1), 1);
}

TEST_P(StoppedCalls, ReportProgressUpToTheEnd) {
  StopAt build_progress(never);
  const Index index = build(keys, GetParam(), {.control = build_progress.control()});
  expect_progress(build_progress.reported());
  StopAt lookup_progress(never);
  static_cast<void>(
      index.lookup(keys, {.answers = Answer::count, .control = lookup_progress.control()}));
  expect_progress(lookup_progress.reported());
  StopAt join_progress(never);
  const JoinedRows pairs =
      index.join(Query::equal(keys), JoinKind::inner, {.control = join_progress.control()});
  EXPECT_GE(pairs.lookups.size(), size);
  expect_progress(join_progress.reported());
}

TEST_P(StoppedCalls, BuildNoIndex) {
  const std::vector<std::uint32_t> expected = counts(build(keys, GetParam()));
  for (const double at : {0.0, 0.3, 1.0}) {
    StopAt stop(at);
    EXPECT_EQ(
        kind_of([&] { static_cast<void>(build(keys, GetParam(), {.control = stop.control()})); }),
        ErrorKind::stopped)
        << at;
  }
  EXPECT_EQ(counts(build(keys, GetParam())), expected);
}

TEST_P(StoppedCalls, ReturnNoAnswers) {
  const Index index = build(keys, GetParam());
  const std::vector<std::uint32_t> expected = counts(index);
  for (const double at : {0.0, 0.3, 1.0}) {
    StopAt lookup(at);
    EXPECT_EQ(kind_of([&] {
                static_cast<void>(
                    index.lookup(keys, {.answers = Answer::count, .control = lookup.control()}));
              }),
              ErrorKind::stopped);
    StopAt join(at);
    EXPECT_EQ(kind_of([&] {
                static_cast<void>(
                    index.join(Query::equal(keys), JoinKind::inner, {.control = join.control()}));
              }),
              ErrorKind::stopped);
  }
  EXPECT_EQ(counts(index), expected);
}

TEST_P(StoppedCalls, ChangeNothing) {
  Index index = build(keys, GetParam());
  const std::vector<std::uint32_t> more = shuffled_keys(size / 2);
  index.insert(more);
  const std::vector<std::uint32_t> expected = counts(index);
  std::vector<std::uint32_t> rows(size / 4);
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = 2 * i;
  const std::vector<std::uint32_t> new_keys = shuffled_keys(rows.size());
  const std::vector<std::function<void()>> changes = {
      [&] { index.insert(more); }, [&] { index.erase(rows); }, [&] { index.erase_keys(new_keys); },
      [&] { index.update(rows, new_keys); }, [&] { index.merge(); }};
  for (const auto& change : changes)
    for (const double at : {0.0, 0.5, 1.0}) {
      StopAt stop(at);
      const ControlledCalls controlled(stop.control());
      EXPECT_EQ(kind_of(change), ErrorKind::stopped) << at;
    }
  EXPECT_EQ(index.size(), size + more.size());
  EXPECT_EQ(index.valid(), size + more.size());
  EXPECT_EQ(counts(index), expected);
  StopAt progress(never);
  {
    const ControlledCalls controlled(progress.control());
    index.erase(rows);
  }
  expect_progress(progress.reported());
  EXPECT_EQ(index.valid(), size + more.size() - rows.size());
}

TEST_P(StoppedCalls, WriteNoFile) {
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  const Index index = build(keys, GetParam());
  for (const double at : {0.0, 0.5, 1.0}) {
    StopAt stop(at);
    const ControlledCalls controlled(stop.control());
    EXPECT_EQ(kind_of([&] { index.save(folder.file("index")); }), ErrorKind::stopped);
    EXPECT_EQ(folder.count_files(), 0);
  }
  index.save(folder.file("index"));
  for (const double at : {0.0, 1.0}) {
    StopAt stop(at);
    EXPECT_EQ(kind_of([&] {
                static_cast<void>(load(folder.file("index"),
                                       {.verify = Verify::full, .control = stop.control()}));
              }),
              ErrorKind::stopped);
  }
  StopAt progress(never);
  const Index loaded =
      load(folder.file("index"), {.verify = Verify::full, .control = progress.control()});
  expect_progress(progress.reported());
  EXPECT_EQ(counts(loaded), counts(index));
}

INSTANTIATE_TEST_SUITE_P(Index, StoppedCalls, testing::ValuesIn(usable_and_bucketed()),
                         [](const auto& item) { return test_name(item.param); });

TEST(Stop, BeforeTheCall) {
  std::stop_source source;
  source.request_stop();
  const std::vector<std::uint32_t> keys = {1, 2, 3};
  EXPECT_EQ(kind_of([&] {
              static_cast<void>(build(keys, {}, {.control = {.stop = source.get_token()}}));
            }),
            ErrorKind::stopped);
}

TEST(Stop, FromAnotherThread) {
  const std::vector<std::uint32_t> keys = shuffled_keys(affordable(std::size_t{1} << 18));
  std::stop_source source;
  const auto stop_elsewhere = [&](double) { std::thread([&] { source.request_stop(); }).join(); };
  EXPECT_EQ(kind_of([&] {
              static_cast<void>(build(keys, {},
                                      {.control = {.stop = source.get_token(),
                                                   .progress = stop_elsewhere,
                                                   .interval = milliseconds(0)}}));
            }),
            ErrorKind::stopped);
}

TEST(Stop, ByAnExceptionOfTheCallback) {
  const std::vector<std::uint32_t> keys = shuffled_keys(affordable(std::size_t{1} << 18));
  const auto fail_at = [&](double at) {
    return Control{.progress =
                       [at](double fraction) {
                         if (fraction >= at) throw std::out_of_range("of the callback");
                       },
                   .interval = milliseconds(0)};
  };
  for (const double at : {0.0, 0.5, 1.0})
    EXPECT_THROW(static_cast<void>(build(keys, {}, {.control = fail_at(at)})), std::out_of_range);
}

// The callback may query the index; its calls are not those that it reports.
TEST(Stop, CallbackMayQueryTheIndex) {
  const std::vector<std::uint32_t> keys = shuffled_keys(affordable(std::size_t{1} << 18));
  const Index index = build(keys);
  std::size_t calls = 0;
  const Control control{.progress =
                            [&](double) {
                              ++calls;
                              static_cast<void>(index.lookup(keys, Answer::count));
                            },
                        .interval = milliseconds(0)};
  static_cast<void>(index.lookup(keys, {.control = control}));
  EXPECT_GE(calls, 1U);
}

TEST(Stop, OnlyCallsOfItsThreadAndScope) {
  const std::vector<std::uint32_t> keys = {1, 2, 3};
  std::stop_source source;
  source.request_stop();
  const Control stopped{.stop = source.get_token()};
  const auto build_it = [&] { static_cast<void>(build(keys)); };
  {
    const ControlledCalls outer(stopped);
    EXPECT_EQ(kind_of(build_it), ErrorKind::stopped);
    {
      const ControlledCalls inner(Control{});
      EXPECT_EQ(kind_of(build_it), std::nullopt);
    }
    EXPECT_EQ(kind_of(build_it), ErrorKind::stopped);
    std::thread([&] { EXPECT_EQ(kind_of(build_it), std::nullopt); }).join();
  }
  EXPECT_EQ(kind_of(build_it), std::nullopt);
}

// Several threads share the arena of an index with few threads: another one may run their work.
TEST(Stop, OneOfSeveralCallersOfAnArena) {
  const std::vector<std::uint32_t> keys = shuffled_keys(affordable(std::size_t{1} << 18));
  const Index index = build(keys, Spec("rx:native@cpu,threads=2"));
  const std::vector<std::uint32_t> expected = index.lookup(keys, Answer::count).count();
  std::stop_source source;
  std::vector<std::thread> others;
  for (int thread = 0; thread < 3; ++thread)
    others.emplace_back([&] {
      for (int round = 0; round < 4; ++round)
        EXPECT_EQ(index.lookup(keys, Answer::count).count(), expected);
    });
  source.request_stop();
  for (int round = 0; round < 4; ++round)
    EXPECT_EQ(kind_of([&] {
                static_cast<void>(index.lookup(keys, {.control = {.stop = source.get_token()}}));
              }),
              ErrorKind::stopped);
  for (std::thread& other : others) other.join();
}

TEST(Stop, EndsTheWaitForABackgroundMergeNotTheMerge) {
  const std::vector<std::uint32_t> keys = shuffled_keys(affordable(std::size_t{1} << 20));
  Index index = build(keys, Spec("rx:native@cpu,delta=1000"));
  for (std::uint32_t key = 0; key < 20; ++key)
    index.insert(shuffled_keys(500));  // more than the delta: merged in the background
  std::stop_source source;
  source.request_stop();
  {
    const ControlledCalls controlled(Control{.stop = source.get_token()});
    EXPECT_EQ(kind_of([&] { index.merge(); }), ErrorKind::stopped);
  }
  index.merge();
  EXPECT_EQ(index.valid(), keys.size() + std::size_t{20} * 500);
  EXPECT_EQ(index.describe().find("merge: failed"), std::string::npos);
}

TEST(Stop, ProgressOfAChangeCannotChangeTheIndex) {
  const std::vector<std::uint32_t> keys = shuffled_keys(affordable(std::size_t{1} << 16));
  for (const std::string spec : {"rx:native@cpu", "sorted@cpu,delta=100"}) {
    Index index = build(keys, Spec(spec));
    Index other = build(keys, Spec(spec));
    index.insert(keys);
    int refused = 0;
    bool is_first = true;
    const auto change = [&](const std::function<void()>& call) {
      is_first = true;
      const ControlledCalls controlled(Control{.progress = [&](double) {
        if (!std::exchange(is_first, false)) return;
        other.insert(std::vector<std::uint32_t>{1});
        for (const auto& inner : {std::function<void()>([&] { index.insert(keys); }),
                                  std::function<void()>([&] { index.merge(); })})
          try {
            inner();
          } catch (const Error& error) {
            refused += static_cast<int>(error.kind() == ErrorKind::invalid_argument);
          }
      }});
      call();
    };
    change([&] { index.insert(keys); });
    change([&] { index.merge(); });
    std::size_t erased = 0;
    change([&] { erased = index.erase_keys(std::vector<std::uint32_t>{keys[0]}); });
    EXPECT_EQ(refused, 6) << spec;
    EXPECT_GE(erased, 3U) << spec;
    EXPECT_EQ(index.valid(), 3 * keys.size() - erased) << spec;
    index.insert(keys);  // has its turn again
  }
}

TEST(Stop, JoinInBatchesReportsTheWholeJoin) {
  const std::vector<std::uint32_t> keys = shuffled_keys(affordable(std::size_t{1} << 16));
  const Index index = build(keys);
  StopAt progress(never);
  std::size_t pairs = 0;
  index.join_batches(Query::equal(keys), JoinKind::inner, 1000,
                     [&](const JoinedRows& batch) { pairs += batch.lookups.size(); },
                     {.control = progress.control()});
  EXPECT_GE(pairs, keys.size());
  EXPECT_EQ(progress.reported().back(), 1);
  EXPECT_TRUE(std::is_sorted(progress.reported().begin(), progress.reported().end()));
  StopAt stop(0.5);
  std::size_t some = 0;
  EXPECT_EQ(kind_of([&] {
              index.join_batches(Query::equal(keys), JoinKind::inner, 1000,
                                 [&](const JoinedRows& batch) { some += batch.lookups.size(); },
                                 {.control = stop.control()});
            }),
            ErrorKind::stopped);
  EXPECT_LT(some, pairs);
  EXPECT_GT(some, 0U);
}

}  // namespace
}  // namespace rtindex::test
