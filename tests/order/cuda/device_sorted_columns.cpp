// Columns that are sorted already, which a GPU neither sorts again nor stores with rowIDs, and
// columns that are sorted but for one key, against an index on the host.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

class DeviceSortedColumns : public GpuIndexTest {
 protected:
  template <class Key>
  static void expect_like_host(const std::vector<Key>& keys, const std::vector<Key>& more) {
    const ColumnOnGpu on_device{ColumnView(keys)};
    Index index = build(on_device.view(), GetParam());
    Index host = build(keys, "sorted@cpu");
    index.insert(more);
    host.insert(more);
    std::vector<Key> wanted = keys;
    wanted.insert(wanted.end(), more.begin(), more.end());
    for (std::size_t i = 0; i < keys.size(); i += 7) wanted.push_back(keys[i] + 1);
    const AnswerSet answers = Answer::first | Answer::last | Answer::count;
    const Answers found = index.lookup(wanted, answers);
    const Answers expected = host.lookup(wanted, answers);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(found.count()[i], expected.count()[i]) << wanted[i];
      ASSERT_EQ(found.first()[i], expected.first()[i]) << wanted[i];
      ASSERT_EQ(found.last()[i], expected.last()[i]) << wanted[i];
    }
  }

  // Key i is (first + i / equal) * scale.
  template <class Key>
  static void run(Key first, std::size_t equal, Key scale) {
    for (const std::size_t size : {1U, 2U, 31U, 33U, 256U, 257U, 4097U, 100'003U}) {
      SCOPED_TRACE(std::to_string(size) + " rows");
      std::vector<Key> all(size + 5000);
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<Key>((first + static_cast<Key>(i / equal)) * scale);
      const std::vector<Key> keys(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
      const std::vector<Key> more(all.begin() + static_cast<std::ptrdiff_t>(size), all.end());
      expect_like_host(keys, more);
      if (size < 2) continue;
      for (const std::size_t at : {std::size_t{0}, size / 2, size - 2}) {
        std::vector<Key> almost = keys;
        almost[at + 1] = static_cast<Key>(almost[at] - scale);
        expect_like_host(almost, more);
      }
    }
  }
};

TEST_P(DeviceSortedColumns, OfKeysOfFourBytes) {
  run<std::uint32_t>(1, 1, 1);
  run<std::uint32_t>(1, 3, 1000);
  run<std::int32_t>(-50'000, 1, 7);
  run<float>(-1000, 2, 0.5F);
}

TEST_P(DeviceSortedColumns, OfKeysOfEightBytes) {
  run<std::uint64_t>(1, 1, 1);
  run<std::uint64_t>(5, 1, std::uint64_t{1} << 40);
  run<std::int64_t>(-50'000, 3, std::int64_t{1} << 40);
  run<double>(-1000, 2, 1e12);
}

TEST_P(DeviceSortedColumns, WithIncludedValues) {
  if (GetParam().starts_with("hash")) GTEST_SKIP() << "a hash table includes no values";
  for (const std::uint64_t scale : {std::uint64_t{3}, std::uint64_t{1} << 40}) {
    std::vector<std::uint64_t> keys(50'021), values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = i / 2 * scale;
      values[i] = i * 7919 % 1000;
    }
    const Index index = build(keys, GetParam(), {.include = values});
    const Answers found = index.lookup(keys, Answer::sum);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t first = i / 2 * 2;
      const std::uint64_t sum = values[first] + (first + 1 < keys.size() ? values[first + 1] : 0);
      ASSERT_EQ(found.sum_as<std::uint64_t>()[i], sum) << i;
    }
  }
}

// Answers of a GPU and of the host, in the order of keys where they have one.
void expect_same(const Answers& found, const Answers& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found.count()[i], expected.count()[i]) << i;
    ASSERT_EQ(found.first()[i], expected.first()[i]) << i;
    ASSERT_EQ(found.last()[i], expected.last()[i]) << i;
    ASSERT_EQ(found.sum_as<std::uint64_t>()[i], expected.sum_as<std::uint64_t>()[i]) << i;
    ASSERT_EQ(found.offsets()[i + 1], expected.offsets()[i + 1]) << i;
  }
  for (std::size_t i = 0; i < found.rows().size(); ++i)
    ASSERT_EQ(found.rows()[i], expected.rows()[i]) << i;
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs_of(const Index& index,
                                                              const ColumnView& keys) {
  const JoinedRows joined = index.join(Query::equal(keys));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
  for (std::size_t i = 0; i < joined.rows.size(); ++i)
    pairs.emplace_back(joined.lookups[i], joined.rows[i]);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<bool> bits_in(const Index& index, const ColumnView& from, const ColumnView& to) {
  const Answers answers = index.range(from, to, Answer::bitmap);
  const BitmapView bitmap = answers.bitmap();
  std::vector<bool> bits;
  for (std::size_t row = 0; row < index.size(); ++row) bits.push_back(bitmap.has(row));
  return bits;
}

// All queries of an index with ranges: points, ranges, neighbours, ranks, joins and bitmaps.
void expect_same_answers(const Index& index, const Index& host,
                         const std::vector<std::uint64_t>& points,
                         const std::vector<std::uint64_t>& values) {
  std::vector<std::uint64_t> to = points;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += i % 5 * 40;
  const AnswerOptions all{
      .answers = Answer::first | Answer::last | Answer::count | Answer::sum | Answer::rows,
      .values = values,
      .order = RowOrder::ascending};
  expect_same(index.lookup(points, all), host.lookup(points, all));
  expect_same(index.range(points, to, all), host.range(points, to, all));
  const AnswerOptions sum{.answers = Answer::sum, .values = values};
  const Answers found = index.lookup(points, sum);
  const Answers expected = host.lookup(points, sum);
  for (std::size_t i = 0; i < points.size(); ++i)
    ASSERT_EQ(found.sum_as<std::uint64_t>()[i], expected.sum_as<std::uint64_t>()[i]) << i;
  for (const Direction direction : {Direction::backward, Direction::forward})
    for (const bool exact : {false, true}) {
      const NearestOptions nearest{.direction = direction, .exact = exact};
      ASSERT_EQ(index.nearest(points, nearest, Answer::first).first(),
                host.nearest(points, nearest, Answer::first).first());
    }
  ASSERT_EQ(index.rank(points), host.rank(points));
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 0; i < index.valid(); i += 1 + index.valid() / 50) ranks.push_back(i);
  ASSERT_EQ(index.select(ranks), host.select(ranks));
  ASSERT_EQ(pairs_of(index, points), pairs_of(host, points));
  const std::vector<std::uint64_t> low = {points[1], points[points.size() / 2]};
  const std::vector<std::uint64_t> high = {points[1] + 90, points[points.size() / 2] + 5000};
  ASSERT_EQ(bits_in(index, low, high), bits_in(host, low, high));
}

// Large enough for more than one block of threads in each kernel.
TEST_P(DeviceSortedColumns, AnswersEveryQueryBesideANewerSegment) {
  if (GetParam().starts_with("hash")) GTEST_SKIP() << "a hash table has no ranges";
  using MakeKey = std::uint64_t (*)(std::uint64_t);
  const MakeKey of_row[] = {
      [](std::uint64_t row) { return 1000 + row; },                       // a sequence
      [](std::uint64_t row) { return row * 11 + row % 3; },               // unique
      [](std::uint64_t row) { return row / 4 * 5; },                      // equal keys
      [](std::uint64_t row) { return (row / 1000 << 34) + row % 1000; },  // bursts
      [](std::uint64_t row) { return (row << 20) + row % 3; },            // wide
  };
  constexpr std::uint64_t size = 200'001;
  constexpr std::uint64_t more = 3000;
  std::vector<std::uint64_t> values(size + more);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * 7919 % 1000;
  for (const MakeKey& key_of : of_row) {
    SCOPED_TRACE(&key_of - of_row);
    std::vector<std::uint64_t> keys(size), new_keys(more), points;
    for (std::uint64_t row = 0; row < size; ++row) keys[row] = key_of(row);
    for (std::uint64_t row = 0; row < more; ++row) new_keys[row] = key_of(size + row);
    for (std::uint64_t row = 0; row < size + more; row += 61) {
      points.push_back(key_of(row));
      points.push_back(key_of(row) + 1);
    }
    points.push_back(0);
    points.push_back(~std::uint64_t{0} - 1000);
    const ColumnOnGpu on_device{ColumnView(keys)};
    Index index = build(on_device.view(), GetParam());
    Index host = build(keys, "sorted@cpu");
    values.resize(size);
    expect_same_answers(index, host, points, values);
    values.resize(size + more, 17);
    for (Index* const changed : {&index, &host}) changed->insert(new_keys);
    expect_same_answers(index, host, points, values);
    const std::vector<std::uint32_t> erased = {0, 61, 62, 4000, 150'000, size + 5};
    for (Index* const changed : {&index, &host}) changed->erase(erased);
    expect_same_answers(index, host, points, values);
    for (Index* const changed : {&index, &host}) changed->merge();
    expect_same_answers(index, host, points, values);
    for (Index* const changed : {&index, &host})
      changed->update(std::vector<std::uint32_t>{7, 9}, std::vector{keys[1], keys[100'000]});
    expect_same_answers(index, host, points, values);
  }
}

// Included values of a sequence and of keys without rowIDs, with erased rows.
TEST_P(DeviceSortedColumns, SumsIncludedValuesWithoutErasedRows) {
  if (GetParam().starts_with("hash")) GTEST_SKIP() << "a hash table includes no values";
  for (const std::uint64_t scale : {std::uint64_t{1}, std::uint64_t{9}, std::uint64_t{1} << 40}) {
    std::vector<std::uint64_t> keys(50'021), values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = i * scale;
      values[i] = i * 7919 % 1000;
    }
    Index index = build(keys, GetParam(), {.include = values});
    Index host = build(keys, "sorted@cpu", {.include = values});
    const auto expect_same_sums = [&] {
      std::vector<std::uint64_t> to = keys;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += i % 100 * scale;
      ASSERT_EQ(index.lookup(keys, Answer::sum).sum_as<std::uint64_t>(),
                host.lookup(keys, Answer::sum).sum_as<std::uint64_t>());
      ASSERT_EQ(index.range(keys, to, Answer::sum).sum_as<std::uint64_t>(),
                host.range(keys, to, Answer::sum).sum_as<std::uint64_t>());
    };
    expect_same_sums();
    for (Index* const changed : {&index, &host}) {
      changed->erase(std::vector<std::uint32_t>{0, 3, 20'000});
      changed->insert(std::vector{keys.back() + scale}, std::vector<std::uint64_t>{4});
    }
    expect_same_sums();
    for (Index* const changed : {&index, &host}) changed->merge();
    expect_same_sums();
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceSortedColumns,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda,bucket=16"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
