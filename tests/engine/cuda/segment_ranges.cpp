// Ranges over many rows of two segments on a GPU, with deleted rows: answered by prefix sums, by
// trees and by all warps of the GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/engine_of.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

class LongRangesOfSegments : public GpuTestWithParam<std::string> {
 protected:
  // What a range matches, by a walk over the keys in order.
  struct Expected {
    std::uint32_t count = 0;
    std::uint32_t first = miss_row;
    std::int64_t sum = 0;
    std::int64_t min = std::numeric_limits<std::int64_t>::max();
    std::int64_t max = std::numeric_limits<std::int64_t>::min();
  };

  static constexpr std::uint32_t main_rows = 200'000;
  static constexpr std::uint32_t new_rows = 50'000;
  static constexpr std::uint32_t rows = main_rows + new_rows;
  static constexpr std::uint32_t largest = 100'000;

  static std::vector<std::uint32_t> random_keys(Random& random) {
    std::vector<std::uint32_t> keys(rows);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random.below(largest));
    return keys;
  }

  // `length`: of the ranges, in keys.
  void check(std::size_t lookups, std::uint32_t length, bool included) {
    Random random(lookups + length);
    const std::vector<std::uint32_t> keys = random_keys(random);
    std::vector<std::int32_t> values(rows);
    for (std::int32_t& value : values)
      value = static_cast<std::int32_t>(random.below(2'000'001)) - 1'000'000;
    std::vector<bool> deleted(rows);
    for (std::uint32_t row = 0; row < rows; ++row)
      deleted[row] = random.one_in(20) || (keys[row] >= 40'000 && keys[row] < 45'000);
    const std::vector<Segment> segments = make(keys, values, deleted, included);

    std::vector<std::uint32_t> lower(lookups), upper(lookups);
    for (std::size_t i = 0; i < lookups; ++i) {
      lower[i] = static_cast<std::uint32_t>(random.below(largest));
      upper[i] = lower[i] + length;
    }
    lower[0] = 40'000;  // every row of it is deleted
    upper[0] = 44'999;
    AnswerOptions options = full_options();
    options.answers = Answer::any | Answer::first | Answer::count | Answer::sum |
                      AnswerSet(Answer::min) | Answer::max;
    options.values = included ? ColumnView::of(Type::i32, nullptr, rows) : ColumnView(values);
    AnswersAccess access(options, lookups);
    access.request().included = included;
    const ColumnView low(lower);
    const ColumnView high(upper);
    const NearestOptions unused;
    engine_.batches->run(segments, {low, high, QueryKind::range, {}, unused}, access.request());
    const Answers answers = access.finish();

    std::vector<std::vector<std::uint32_t>> rows_of(largest);
    for (std::uint32_t row = 0; row < rows; ++row)
      if (!deleted[row]) rows_of[keys[row]].push_back(row);
    for (std::size_t i = 0; i < lookups; ++i) {
      Expected expected;
      for (std::uint32_t key = lower[i]; key <= std::min(upper[i], largest - 1); ++key)
        for (const std::uint32_t row : rows_of[key]) {
          ++expected.count;
          expected.first = std::min(expected.first, row);
          expected.sum += values[row];
          expected.min = std::min<std::int64_t>(expected.min, values[row]);
          expected.max = std::max<std::int64_t>(expected.max, values[row]);
        }
      ASSERT_EQ(answers.count()[i], expected.count) << lower[i] << ":" << upper[i];
      ASSERT_EQ(answers.first()[i], expected.first) << lower[i] << ":" << upper[i];
      ASSERT_EQ(answers.matched(i), expected.count != 0);
      const std::uint32_t any = answers.any()[i];
      if (expected.count == 0) {
        ASSERT_EQ(any, miss_row);
        ASSERT_EQ(answers.sum_as<std::int64_t>()[i], options.miss.i64);
        continue;
      }
      ASSERT_TRUE(!deleted[any] && keys[any] >= lower[i] && keys[any] <= upper[i]);
      ASSERT_EQ(answers.sum_as<std::int64_t>()[i], expected.sum) << lower[i] << ":" << upper[i];
      ASSERT_EQ(answers.min_as<std::int64_t>()[i], expected.min) << lower[i] << ":" << upper[i];
      ASSERT_EQ(answers.max_as<std::int64_t>()[i], expected.max) << lower[i] << ":" << upper[i];
    }
  }

 private:
  // Two segments with one set of deleted rows.
  std::vector<Segment> make(const std::vector<std::uint32_t>& keys,
                            const std::vector<std::int32_t>& values,
                            const std::vector<bool>& deleted, bool included) {
    engine_ = engine_of(GetParam());
    const auto part = [](const auto& all, std::size_t begin, std::size_t size) {
      return ColumnView(std::span(all).subspan(begin, size));
    };
    BuildOptions options;
    if (included) options.include = part(values, 0, main_rows);
    std::vector<Segment> segments = {
        engine_.segments->build(part(keys, 0, main_rows), options).segment};
    NewRows added;
    added.first = main_rows;
    added.count = new_rows;
    added.keys = part(keys, main_rows, new_rows);
    if (included) added.include = {part(values, main_rows, new_rows)};
    segments.push_back(engine_.segments->build_rows(added, segments, rows).segment);
    Array<std::uint32_t> words(RowBits::words_of(rows));
    std::fill(words.begin(), words.end(), 0);
    for (std::uint32_t row = 0; row < rows; ++row)
      if (deleted[row]) words[row / RowBits::word_bits] |= 1U << (row % RowBits::word_bits);
    const RowBitmapPtr bitmap = engine_.segments->load_bitmap(std::move(words), rows);
    for (Segment& segment : segments) segment.deleted = bitmap;
    return segments;
  }

  Engine engine_;
};

TEST_P(LongRangesOfSegments, OfOneLookup) { check(1, 90'000, false); }
TEST_P(LongRangesOfSegments, OfSomeLookups) { check(20, 60'000, false); }
TEST_P(LongRangesOfSegments, OfManyLookups) { check(20'000, 100, false); }
TEST_P(LongRangesOfSegments, OfIncludedValues) {
  check(20, 60'000, true);
  check(20'000, 100, true);
}

INSTANTIATE_TEST_SUITE_P(Cuda, LongRangesOfSegments,
                         testing::Values("rx:native@cuda", "rx:native@cuda,gather=on",
                                         "rx:native@cuda,gather=off", "sorted@cuda", "btree@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
