// Random changes of random columns of intervals and of points against the full scan. The seed is
// random and printed where a run fails; RTINDEX_SEED=<seed> repeats that run alone, and
// RTINDEX_RUNS=<n> makes more of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/boxes.hpp"
#include "support/intervals.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t usual_interval_runs = 20;

template <class Run>
void run_with_seeds(const Run& run) {
  if (const char* seed = std::getenv("RTINDEX_SEED")) return run(std::stoull(seed));
  std::random_device device;
  const char* requested = std::getenv("RTINDEX_RUNS");
  const std::size_t runs =
      requested != nullptr ? std::stoull(requested) : affordable(usual_interval_runs);
  for (std::size_t i = 0; i < runs && !testing::Test::HasFailure(); ++i)
    run(static_cast<std::uint64_t>(device()) << 20 ^ device());
}

[[nodiscard]] std::vector<std::uint32_t> valid_rows(const std::vector<bool>& erased,
                                                    std::size_t count, Random& random) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < erased.size(); ++row)
    if (!erased[row]) rows.push_back(row);
  random.shuffle(rows);
  rows.resize(std::min(rows.size(), count));
  return rows;
}

void change_intervals(Index& index, IntervalTable& table, Random& random) {
  const auto new_keys = [&](std::size_t size) {
    std::vector<Key> keys;
    for (std::size_t i = 0; i < size; ++i)
      keys.push_back(random_interval(*table.values, *table.leading, random));
    return keys;
  };
  switch (random.below(4)) {
    case 0: {
      const std::vector<Key> added = new_keys(random.below(12));
      const TestColumn column = table.column(added);
      index.insert(IntervalTable::view(column, table.ends));
      table.rows.insert(table.rows.end(), added.begin(), added.end());
      table.erased.resize(table.rows.size(), false);
      return;
    }
    case 1: {
      const std::vector<std::uint32_t> rows = valid_rows(table.erased, random.below(8), random);
      index.erase(rows);
      for (const std::uint32_t row : rows) table.erased[row] = true;
      return;
    }
    case 2: {
      const std::vector<std::uint32_t> rows = valid_rows(table.erased, random.below(8), random);
      const std::vector<Key> keys = new_keys(rows.size());
      const TestColumn column = table.column(keys);
      index.update(rows, IntervalTable::view(column, table.ends));
      for (std::size_t i = 0; i < rows.size(); ++i) table.rows[rows[i]] = keys[i];
      return;
    }
    default:
      if (random.one_in(2)) return index.merge();
      index = deserialize(index.serialize());
  }
}

void run_intervals(std::uint64_t seed) {
  SCOPED_TRACE("RTINDEX_SEED=" + std::to_string(seed));
  Random random(seed);
  const std::string spec = random.pick(interval_specs()) +
                           random.pick(std::vector<std::string>{"", ",delta=0", ",delta=20"});
  const std::vector<PointValues> values = every_values();
  const std::vector<LeadingValues> leading = every_leading();
  const Ends ends = every_ends[random.below(std::size(every_ends))];
  IntervalTable table =
      random_table(random.pick(values), random.pick(leading), ends, random.below(120), random);
  SCOPED_TRACE(spec + " " + table.values->name + table.leading->name);
  const TestColumn column = table.column(table.rows);
  Index index = build(IntervalTable::view(column, ends), spec);
  for (int step = 0; step < 6; ++step) {
    ASSERT_NO_FATAL_FAILURE(
        expect_answers(index, table, random_values(table.rows.size(), random), random));
    change_intervals(index, table, random);
  }
}

TEST(RandomIntervals, AnswerLikeTheScan) { run_with_seeds(run_intervals); }

void change_points(Index& index, boxes::PointTable& table, Random& random) {
  const auto new_rows = [&](std::size_t size) {
    boxes::Points rows;
    for (std::size_t i = 0; i < size; ++i) rows.push_back(table.random_row(random));
    return rows;
  };
  switch (random.below(4)) {
    case 0: {
      const boxes::Points added = new_rows(random.below(12));
      index.insert(boxes::PointColumns(table.sources, added).view());
      table.rows.insert(table.rows.end(), added.begin(), added.end());
      table.erased.resize(table.rows.size(), false);
      return;
    }
    case 1: {
      const std::vector<std::uint32_t> rows = valid_rows(table.erased, random.below(8), random);
      index.erase(rows);
      for (const std::uint32_t row : rows) table.erased[row] = true;
      return;
    }
    case 2: {
      const std::vector<std::uint32_t> rows = valid_rows(table.erased, random.below(8), random);
      const boxes::Points moved = new_rows(rows.size());
      index.update(rows, boxes::PointColumns(table.sources, moved).view());
      for (std::size_t i = 0; i < rows.size(); ++i) table.rows[rows[i]] = moved[i];
      return;
    }
    default:
      if (random.one_in(2)) return index.merge();
      index = deserialize(index.serialize());
  }
}

// Kinds that hold points, those by rays of two or three columns.
std::string random_point_spec(std::size_t columns, Random& random) {
  std::vector<std::string> specs = point_specs();
  for (const std::string tracer : {"rx:embree@cpu", "rx:optix@cuda"})
    if (columns <= 3 && is_available(tracer)) specs.push_back(tracer);
  return random.pick(specs) + random.pick(std::vector<std::string>{"", ",delta=0", ",delta=20"});
}

void run_points(std::uint64_t seed) {
  SCOPED_TRACE("RTINDEX_SEED=" + std::to_string(seed));
  Random random(seed);
  const std::size_t columns = random.one_in(3) ? 4 + random.below(5) : 2 + random.below(2);
  const std::string spec = random_point_spec(columns, random);
  std::vector<boxes::ValueSource> sources;
  std::string names = spec;
  for (std::size_t c = 0; c < columns; ++c) {
    sources.push_back(random.pick(boxes::every_source()));
    names += (c == 0 ? " " : ", ") + sources.back().name;
  }
  SCOPED_TRACE(names);
  boxes::PointTable table = boxes::random_points(sources, random.below(200), random);
  Index index = build(boxes::PointColumns(table.sources, table.rows).view(), spec);
  for (int step = 0; step < 8; ++step) {
    const TestColumn values = boxes::random_values(table.rows.size(), random, random.one_in(2));
    for (const std::size_t size : {std::size_t{1}, 1 + random.below(30)})
      ASSERT_NO_FATAL_FAILURE(boxes::expect_answers(index, table, values, size, random));
    change_points(index, table, random);
  }
}

TEST(RandomPoints, AnswerLikeTheScan) { run_with_seeds(run_points); }

}  // namespace
}  // namespace rtindex::test
