#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "experiments/cost_fit.hpp"
#include "harness/measure.hpp"
#include "harness/records.hpp"
#include "harness/session.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::bench {
namespace {

using Sums = std::vector<std::uint64_t>;

const std::unique_ptr<ExecutionSpace> here = host_space();

TEST(Checker, AcceptsCorrectSums) {
  check_sums(*here, Sums{1, 2, miss_sum}, Sums{1, 2, miss_sum}, "x");
}

TEST(Checker, RejectsAWrongSumAnywhere) {
  const Sums right(100000, 7);
  for (const std::size_t lookup : {0U, 1U, 50000U, 99999U}) {
    Sums wrong = right;
    wrong[lookup] = 8;
    try {
      check_sums(*here, wrong, right, "sorted");
      ADD_FAILURE() << "lookup " << lookup << " was not rejected";
    } catch (const WrongAnswer& error) {
      EXPECT_NE(std::string(error.what()).find("lookup " + std::to_string(lookup) + " "),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(Checker, RejectsMissingSums) {
  EXPECT_THROW(check_sums(*here, Sums{1}, Sums{1, 2}, "x"), WrongAnswer);
  EXPECT_THROW(check_sums(*here, Sums{miss_sum}, Sums{0}, "x"), WrongAnswer);
}

TEST(Measure, DetectsAnIndexOverOtherKeys) {
  const Column column = uniform_column(*here, 1000, 32, 1);
  const Column other = uniform_column(*here, 1000, 32, 3);
  const Lookups lookups = hits_in(column, 100, 2);
  const Index right = build(column.keys.view(), "sorted");
  EXPECT_EQ(time_lookups(right, column, lookups, {.runs = 2}).runs("lookup_ms").size(), 2U);
  const Index wrong = build(other.keys.view(), "sorted");
  EXPECT_THROW((void)time_lookups(wrong, column, lookups, {}), WrongAnswer);
}

TEST(Measure, DetectsOneWrongRow) {
  const Column column = dense_column(*here, 1000, 32, 1);
  const Lookups lookups = hits_in(column, 20000, 2);
  const Index index = build(column.keys.view(), "rx:native@cpu");
  column.values[500] ^= 1;
  EXPECT_THROW((void)time_lookups(index, column, lookups, {}), WrongAnswer);
}

TEST(Measure, AcceptsAnyRowWithTheKeyAndNoOther) {
  const Column column = repeated_column(*here, 1000, 4, 1);
  const Lookups lookups = rows_in(column, 20000, 2);
  const Index index = build(column.keys.view(), "rx:native@cpu");
  for (const bool sorted : {false, true})
    EXPECT_EQ(time_lookups(index, column, lookups, {}, {.sorted = sorted, .any = true}).status,
              "ok");
  // A key that no row holds.
  lookups.lower.set(7, lookups.lower[7] ^ 1);
  lookups.expected[7] = lookups.lower[7];
  EXPECT_THROW((void)time_lookups(index, column, lookups, {}, {.any = true}), WrongAnswer);
}

TEST(Measure, DetectsOneWrongKeyOfARow) {
  const Column column = dense_column(*here, 1000, 32, 1);
  const Lookups lookups = rows_in(column, 20000, 2);
  const Index index = build(column.keys.view(), "rx:native@cpu");
  column.keys.set(500, column.keys[500] ^ 1);
  EXPECT_THROW((void)time_lookups(index, column, lookups, {}, {.any = true}), WrongAnswer);
}

TEST(Measure, SortedBatchesReportTheSortToo) {
  const Column column = uniform_column(*here, 1000, 64, 1);
  const Lookups lookups = hits_in(column, 1000, 2);
  const Index index = build(column.keys.view(), "btree");
  const Outcome outcome = time_lookups(index, column, lookups, {}, {.sorted = true, .batches = 7});
  ASSERT_EQ(outcome.status, "ok");
  for (int run = 0; run < 5; ++run)
    EXPECT_DOUBLE_EQ(outcome.runs("total_ms").at(run),
                     outcome.runs("sort_ms").at(run) + outcome.runs("lookup_ms").at(run));
}

TEST(Measure, AbandonsBatchesBeyondTheLimit) {
  const Column column = uniform_column(*here, 1000, 32, 1);
  const Lookups lookups = hits_in(column, 10000, 2);
  const Index index = build(column.keys.view(), "sorted");
  const Outcome outcome = time_lookups(index, column, lookups, {.limit_s = 1e-12});
  EXPECT_EQ(outcome.status, "timed out");
  EXPECT_NE(outcome.reason.find("9 of 10000 lookups"), std::string::npos) << outcome.reason;
  EXPECT_TRUE(outcome.measured.empty());
}

TEST(Measure, UsesTheFirstRunIfAllWouldTakeTooLong) {
  const Column column = uniform_column(*here, 1000, 32, 1);
  const Lookups lookups = hits_in(column, 10000, 2);
  const Index index = build(column.keys.view(), "sorted");
  const Effort effort{.runs = 1'000'000'000, .runs_limit_s = 100};
  EXPECT_EQ(time_lookups(index, column, lookups, effort).runs("lookup_ms").size(), 1U);
  const auto built = time_builds(
      column, [&] { return build(column.keys.view(), "sorted"); }, effort);
  EXPECT_EQ(built.outcome.runs("build_ms").size(), 1U);
  EXPECT_EQ(built.last.size(), column.size());
}

// Every run starts from an index that was built anew, and building counts towards the limit.
TEST(Measure, UpdatesIndexesBuiltAnew) {
  const Column column = dense_column(*here, 1000, 32, 1);
  int builds = 0;
  std::vector<std::uint32_t> before;  // the row of the first key, as each update finds it
  const auto made = [&] {
    ++builds;
    return build(column.keys.view(), "sorted@cpu");
  };
  const std::vector<std::uint32_t> rows = {0, 1};
  const std::vector<std::uint64_t> new_keys = {column.keys[1], column.keys[0]};
  const std::vector<std::uint64_t> first_key = {column.keys[0]};
  const auto swap = [&](Index& index) {
    before.push_back(index.lookup(first_key, Answer::first).first()[0]);
    index.update(rows, new_keys);
  };
  const Updates updates = time_updates(column, made, swap, {.runs = 3});
  EXPECT_EQ(builds, 4);  // one to warm up
  EXPECT_EQ(before, std::vector<std::uint32_t>(4, 0));
  EXPECT_EQ(updates.outcome.runs("update_ms").size(), 3U);
  EXPECT_EQ(updates.last.lookup(first_key, Answer::first).first()[0], 1U);

  const Effort long_runs{.runs = 1'000'000'000, .runs_limit_s = 100};
  EXPECT_EQ(time_updates(
                column, made, [](Index&) {}, long_runs)
                .outcome.runs("update_ms")
                .size(),
            1U);
  EXPECT_EQ(builds, 5);
}

TEST(Measure, RecordsUnsupportedQueries) {
  const Column column = uniform_column(*here, 1000, 32, 1);
  const Lookups lookups = ranges_of_hits(Ranked(column), 10, 2, 2);
  const Index index = build(column.keys.view(), "hash");
  EXPECT_EQ(time_lookups(index, column, lookups, {}).status, "unsupported");
}

TEST(Fit, FindsTheCostsOfExactData) {
  const std::vector<double> hits = {1, 4, 16, 64};
  const std::vector<double> times = {13, 22, 58, 202};
  const CostFit fit = fit_costs(hits, times);
  EXPECT_NEAR(fit.fixed, 10, 1e-9);
  EXPECT_NEAR(fit.per_hit, 3, 1e-9);
}

// Section 4.9 prints 102.85 ms and 36.01 ms for the curve of fig:range_queries.
TEST(Fit, ReproducesThePublishedCosts) {
  std::vector<double> hits, times;
  for (const Record& record : published_records()) {
    if (record.experiment != "ranges" || record.series != "RX" || record.metric != "lookup_ms" ||
        record.machine.value("gpu", "") != "RTX 4090")
      continue;
    hits.push_back(std::exp2(*record.x));
    times.push_back(*record.value);
  }
  ASSERT_EQ(hits.size(), 6U);
  const CostFit fit = fit_costs(hits, times);
  EXPECT_NEAR(fit.fixed, 102.85, 0.01);
  EXPECT_NEAR(fit.per_hit, 36.01, 0.01);
}

TEST(Fit, HasNoNegativeCosts) {
  const CostFit fit = fit_costs(std::vector<double>{1, 2, 3}, std::vector<double>{1, 3, 5});
  EXPECT_EQ(fit.fixed, 0);
  EXPECT_NEAR(fit.per_hit, 22.0 / 14, 1e-9);
  const CostFit falling = fit_costs(std::vector<double>{1, 2, 3}, std::vector<double>{3, 2, 1});
  EXPECT_NEAR(falling.fixed, 2, 1e-9);
  EXPECT_EQ(falling.per_hit, 0);
}

Experiment counting_experiment(int& measured) {
  return {.name = "counting", .metrics = {lookup_ms()}, .run = [&measured](Session& session) {
            for (const double x : {1.0, 2.0, 3.0})
              session.point({.series = "a", .x = x}, [&] {
                ++measured;
                return Outcome{.index = "i", .measured = {{"lookup_ms", {x, x + 2}}}};
              });
          }};
}

TEST(Session, CountsBeforeItMeasures) {
  int measured = 0;
  const Experiment experiment = counting_experiment(measured);
  Records records("", "test");
  Session session({}, records, {}, {});
  EXPECT_EQ(session.points_to_measure(experiment), 3U);
  EXPECT_EQ(measured, 0);
  session.run(experiment);
  EXPECT_EQ(measured, 3);
  EXPECT_EQ(session.results("counting").at(1).value, 3);
}

TEST(Session, SkipsPointsWithRecords) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "r.jsonl").string();
  int measured = 0;
  const Experiment experiment = counting_experiment(measured);
  {
    Records records(path, "test");
    Session(Settings{}, records, {}, {}).run(experiment);
  }
  // An interrupted run may leave half a line behind.
  std::string text;
  std::getline(std::ifstream(path), text);
  std::ofstream(path) << text << '\n' << text.substr(0, text.size() / 2);
  measured = 0;
  Records records(path, "test");
  Session session({}, records, read_records(path), {});
  EXPECT_EQ(session.points_to_measure(experiment), 2U);
  session.run(experiment);
  EXPECT_EQ(measured, 2);
  EXPECT_EQ(read_records(path).size(), 3U);
}

TEST(Session, RecordsUnsupportedPoints) {
  const Experiment experiment = {
      .name = "rejected", .metrics = {lookup_ms()}, .run = [](Session& session) {
        session.point({.series = "a", .category = "c"},
                      []() -> Outcome { throw Error("too wide for naive mode"); });
      }};
  Records records("", "test");
  Session session({}, records, {}, {});
  session.run(experiment);
  const Record record = session.results("rejected").at(0);
  EXPECT_EQ(record.status, "unsupported");
  EXPECT_EQ(record.reason, "too wide for naive mode");
  EXPECT_FALSE(record.value.has_value());
}

// An update that took its time stays measured, even where the lookups behind it take too long.
TEST(Session, KeepsMeasurementsBeforeATimeout) {
  const Experiment experiment = {
      .name = "late", .metrics = {lookup_ms()}, .run = [](Session& session) {
        session.point({.series = "a", .category = "c"}, [] {
          return Outcome{.status = "timed out", .reason = "slow", .measured = {{"update_ms", {3}}}};
        });
      }};
  Records records("", "test");
  Session session({}, records, {}, {});
  session.run(experiment);
  const std::vector<Record> results = session.results("late");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].metric, "lookup_ms");
  EXPECT_EQ(results[0].status, "timed out");
  EXPECT_FALSE(results[0].value.has_value());
  EXPECT_EQ(results[1].metric, "update_ms");
  EXPECT_EQ(results[1].status, "ok");
  EXPECT_EQ(results[1].reason, "");
  EXPECT_EQ(results[1].value, 3);
}

TEST(Records, RoundTrip) {
  Record record{.experiment = "e", .index = "i", .series = "s", .x = 0.5, .metric = "m"};
  record.value = 2;
  record.runs = {1, 2, 3};
  record.workload = {{"keys", "dense"}};
  EXPECT_EQ(to_json(record_from(to_json(record))), to_json(record));
  EXPECT_EQ(to_json(record)["median"], 2);
}

TEST(Records, RejectInvalidLines) {
  EXPECT_THROW((void)records_in("{\"experiment\":\"e\"}\n", "f"), Error);
  EXPECT_THROW((void)records_in("hello\n", "f"), Error);
}

}  // namespace
}  // namespace rtindex::bench
