// Random changes of random columns of intervals and of points against the full scan. The seed is
// random and printed where a run fails; RTINDEX_SEED=<seed> repeats that run alone, and
// RTINDEX_RUNS=<n> makes more of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

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

// A row of points: a number and a text, each of which may be null.
struct PointRow {
  std::optional<int> number;
  std::optional<std::string> text;
};

class PointColumns {
 public:
  explicit PointColumns(const std::vector<PointRow>& rows)
      : numbers_(rows.size()),
        texts_(rows.size()),
        number_bits_(rows.size() / 8 + 1),
        text_bits_(rows.size() / 8 + 1) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      numbers_[i] = rows[i].number.value_or(0);
      texts_[i] = rows[i].text.value_or("");
      const auto bit = static_cast<std::uint8_t>(1U << (i % 8));
      if (rows[i].number) number_bits_[i / 8] |= bit;
      if (rows[i].text) text_bits_[i / 8] |= bit;
    }
  }
  [[nodiscard]] ColumnView view() const {
    return ColumnView::points({ColumnView(numbers_).with_validity(number_bits_.data()),
                               ColumnView(texts_).with_validity(text_bits_.data())});
  }

 private:
  std::vector<int> numbers_;
  std::vector<std::string> texts_;
  std::vector<std::uint8_t> number_bits_, text_bits_;
};

[[nodiscard]] std::vector<PointRow> random_points(std::size_t size, Random& random) {
  std::vector<PointRow> rows(size);
  for (PointRow& row : rows) {
    if (!random.one_in(8)) row.number = static_cast<int>(random.below(40)) - 20;
    if (!random.one_in(8)) row.text = std::string(1, static_cast<char>('a' + random.below(6)));
  }
  return rows;
}

void expect_boxes(const Index& index, const std::vector<PointRow>& rows,
                  const std::vector<bool>& erased, Random& random) {
  const std::vector<int> low = {static_cast<int>(random.below(40)) - 20};
  const std::vector<int> high = {low.front() + static_cast<int>(random.below(15))};
  const std::vector<std::string> texts = {"a",
                                          std::string(1, static_cast<char>('a' + random.below(6)))};
  const auto count = [&](const auto& matches) {
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!erased[i] && matches(rows[i])) ++found;
    return found;
  };
  const auto in_range = [&](const PointRow& row) {
    return row.number && *row.number >= low.front() && *row.number <= high.front();
  };
  const auto counted = [&](const Query& query) {
    return index.answer(query, {.answers = Answer::count}).count()[0];
  };
  const Condition range = Condition::range(low, high);
  ASSERT_EQ(counted(Query::box({range})), count(in_range));
  ASSERT_EQ(counted(Query::box({range, Condition::isin(texts)})), count([&](const PointRow& row) {
              return in_range(row) && row.text && (*row.text == texts[0] || *row.text == texts[1]);
            }));
  ASSERT_EQ(counted(Query::box({{}, Condition::is_null()})),
            count([&](const PointRow& row) { return !row.text; }));
}

void run_points(std::uint64_t seed) {
  SCOPED_TRACE("RTINDEX_SEED=" + std::to_string(seed));
  Random random(seed);
  std::vector<PointRow> rows = random_points(random.below(200), random);
  std::vector<bool> erased(rows.size(), false);
  Index index =
      build(PointColumns(rows).view(),
            "rx:native@cpu" + random.pick(std::vector<std::string>{"", ",delta=0", ",delta=20"}));
  for (int step = 0; step < 8; ++step) {
    ASSERT_NO_FATAL_FAILURE(expect_boxes(index, rows, erased, random));
    const std::vector<std::uint32_t> some = valid_rows(erased, random.below(8), random);
    const std::vector<PointRow> added = random_points(some.size(), random);
    switch (random.below(4)) {
      case 0:
        index.insert(PointColumns(added).view());
        rows.insert(rows.end(), added.begin(), added.end());
        erased.resize(rows.size(), false);
        break;
      case 1:
        index.erase(some);
        for (const std::uint32_t row : some) erased[row] = true;
        break;
      case 2:
        index.update(some, PointColumns(added).view());
        for (std::size_t i = 0; i < some.size(); ++i) rows[some[i]] = added[i];
        break;
      default: index = deserialize(index.serialize());
    }
  }
}

TEST(RandomPoints, AnswerLikeTheScan) { run_with_seeds(run_points); }

}  // namespace
}  // namespace rtindex::test
