// Positions of deleted rows, rows from several segments, joined answers and the filter of keys: the
// code of kernels, tested on the host.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "answers/cuda/deleted_positions.hpp"
#include "answers/cuda/join_answers.hpp"
#include "answers/cuda/runs.hpp"
#include "order/cuda/device_filter.hpp"
#include "support/random.hpp"

namespace rtindex::cuda {
namespace {

using test::Random;

// What DeletedPositionList builds on a GPU, computed on the host.
std::vector<DeletedBlock> blocks_of(const std::vector<bool>& deleted) {
  std::vector<DeletedBlock> blocks(deleted.size() / DeletedBlock::positions + 1, DeletedBlock{});
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < deleted.size(); ++i) {
    DeletedBlock& block = blocks[i / DeletedBlock::positions];
    const std::size_t within = i % DeletedBlock::positions;
    if (within == 0) block.before = count;
    if (!deleted[i]) continue;
    block.bits[within / DeletedBlock::word_bits] |= 1U << (within % DeletedBlock::word_bits);
    ++count;
  }
  if (deleted.size() % DeletedBlock::positions == 0) blocks.back().before = count;
  return blocks;
}

std::vector<bool> some_deleted(std::size_t size, std::size_t percent, Random& random) {
  std::vector<bool> deleted(size);
  for (std::size_t i = 0; i < size; ++i) deleted[i] = random.below(100) < percent;
  return deleted;
}

std::vector<std::uint32_t> valid_of(const std::vector<bool>& deleted, Run run) {
  std::vector<std::uint32_t> valid;
  for (std::uint32_t i = run.begin; i < run.end; ++i)
    if (!deleted[i]) valid.push_back(i);
  return valid;
}

void expect_like_scan(const std::vector<bool>& deleted, const DeletedPositions& positions,
                      Run run) {
  const std::vector<std::uint32_t> valid = valid_of(deleted, run);
  ASSERT_EQ(positions.valid_in(run), valid.size()) << run.begin << ".." << run.end;
  ASSERT_EQ(positions.first_valid(run), valid.empty() ? run.end : valid.front())
      << run.begin << ".." << run.end;
  ASSERT_EQ(positions.last_valid(run), valid.empty() ? run.end : valid.back())
      << run.begin << ".." << run.end;
  for (const std::size_t nth : {std::size_t{0}, valid.size() / 3, valid.size() - 1})
    if (nth < valid.size()) {
      ASSERT_EQ(positions.valid_at(run, static_cast<std::uint32_t>(nth)), valid[nth])
          << run.begin << ".." << run.end << " " << nth;
    }
}

TEST(DeletedPositions, AreCountedAndSkipped) {
  Random random(1);
  for (const std::size_t size : {1U, 31U, 32U, 223U, 224U, 225U, 448U, 5000U})
    for (const std::size_t percent : {0U, 5U, 50U, 98U, 100U}) {
      const std::vector<bool> deleted = some_deleted(size, percent, random);
      const std::vector<DeletedBlock> blocks = blocks_of(deleted);
      const DeletedPositions positions{blocks.data()};
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(positions.has(i), deleted[i]);
      std::uint32_t count = 0;
      for (std::uint32_t i = 0; i <= size; ++i) {
        ASSERT_EQ(positions.before(i), count) << i;
        if (i < size && deleted[i]) ++count;
      }
      for (int i = 0; i < 300; ++i) {
        const auto a = static_cast<std::uint32_t>(random.below(size + 1));
        const auto b = static_cast<std::uint32_t>(random.below(size + 1));
        expect_like_scan(deleted, positions, {std::min(a, b), std::max(a, b)});
      }
      expect_like_scan(deleted, positions, {0, static_cast<std::uint32_t>(size)});
    }
}

TEST(DeletedPositions, AreSkippedWhereManyNeighboursAreDeleted) {
  std::vector<bool> deleted(10'000, true);
  for (const std::uint32_t valid : {0U, 700U, 701U, 6'000U, 9'999U}) deleted[valid] = false;
  const std::vector<DeletedBlock> blocks = blocks_of(deleted);
  const DeletedPositions positions{blocks.data()};
  for (std::uint32_t begin = 0; begin < 10'000; begin += 37)
    for (std::uint32_t end = begin; end <= 10'000; end += 119)
      expect_like_scan(deleted, positions, {begin, end});
}

// Rows by position: 10 * position + the number of the segment.
TEST(RowsOfSegments, ComeOneSegmentAfterTheOther) {
  Random random(2);
  constexpr std::size_t segments = 3;
  constexpr std::uint32_t size = 600;
  constexpr std::size_t lookups = 200;
  std::vector<std::vector<std::uint32_t>> rows(segments);
  std::vector<std::vector<bool>> deleted(segments);
  std::vector<std::vector<DeletedBlock>> blocks(segments);
  std::vector<std::vector<cuda::Run>> runs(segments);
  RowSources sources;
  for (std::size_t s = 0; s < segments; ++s) {
    for (std::uint32_t i = 0; i < size; ++i)
      rows[s].push_back(10 * i + static_cast<std::uint32_t>(s));
    deleted[s] = some_deleted(size, s == 1 ? 0 : 40, random);
    blocks[s] = blocks_of(deleted[s]);
    for (std::size_t i = 0; i < lookups; ++i) {
      const auto begin = static_cast<std::uint32_t>(random.below(size));
      const auto length = random.one_in(3) ? 0 : random.below(size - begin);
      runs[s].push_back({begin, begin + static_cast<std::uint32_t>(length)});
    }
    const DeletedPositions positions{s == 1 ? nullptr : blocks[s].data()};
    sources.sources[sources.count++] = {runs[s].data(), {rows[s].data(), 1}, positions};
  }
  for (std::size_t lookup = 0; lookup < lookups; ++lookup) {
    std::vector<std::uint32_t> expected;
    for (std::size_t s = 0; s < segments; ++s)
      for (const std::uint32_t position : valid_of(deleted[s], runs[s][lookup]))
        expected.push_back(rows[s][position]);
    for (const std::uint32_t limit : {0U, 3U, no_limit})
      ASSERT_EQ(sources.rows_of(lookup, limit), std::min<std::size_t>(expected.size(), limit));
    for (const std::size_t first : {std::size_t{0}, expected.size() / 2}) {
      if (first >= expected.size()) continue;
      RowCursor cursor(sources, lookup, static_cast<std::uint32_t>(first));
      for (std::size_t i = first; i < expected.size(); ++i) ASSERT_EQ(cursor.next(), expected[i]);
    }
  }
}

// Keys by position: some neighbours are equal, in a segment and across segments.
TEST(RowsOfSegments, ComeInTheOrderOfTheirKeys) {
  Random random(4);
  constexpr std::uint32_t size = 500;
  constexpr std::size_t lookups = 60;
  for (const std::size_t segments : {1U, 2U, 4U}) {
    std::vector<std::vector<std::uint32_t>> rows(segments), keys(segments);
    std::vector<std::vector<bool>> deleted(segments);
    std::vector<std::vector<DeletedBlock>> blocks(segments);
    std::vector<std::vector<cuda::Run>> runs(segments);
    RowSources sources;
    for (std::size_t s = 0; s < segments; ++s) {
      for (std::uint32_t i = 0; i < size; ++i) {
        rows[s].push_back(10 * i + static_cast<std::uint32_t>(s));
        keys[s].push_back((i == 0 ? 0 : keys[s].back()) +
                          static_cast<std::uint32_t>(random.below(3)));
      }
      deleted[s] = some_deleted(size, s == 1 ? 0 : 60, random);
      blocks[s] = blocks_of(deleted[s]);
      for (std::size_t i = 0; i < lookups; ++i) {
        const auto begin = static_cast<std::uint32_t>(random.below(size));
        const auto length = random.one_in(3) ? 0 : random.below(size - begin);
        runs[s].push_back({begin, begin + static_cast<std::uint32_t>(length)});
      }
      RowSource& source = sources.sources[sources.count++];
      source = {runs[s].data(), {rows[s].data(), 1}, {s == 1 ? nullptr : blocks[s].data()}, {}};
      source.keys.narrow = keys[s].data();
      source.keys.shift = 1'000;
    }
    for (std::size_t lookup = 0; lookup < lookups; ++lookup) {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> expected;
      for (std::size_t s = 0; s < segments; ++s)
        for (const std::uint32_t position : valid_of(deleted[s], runs[s][lookup]))
          expected.emplace_back(1'000 + keys[s][position], rows[s][position]);
      std::sort(expected.begin(), expected.end());
      for (const RowOrder order : {RowOrder::ascending, RowOrder::descending}) {
        sources.order = order;
        for (const std::size_t first : {std::size_t{0}, expected.size() / 2}) {
          if (first >= expected.size()) continue;
          OrderedRowCursor cursor(sources, lookup, static_cast<std::uint32_t>(first));
          for (std::size_t i = first; i < expected.size(); ++i) {
            const OrderedRowCursor::Row row = cursor.next();
            ASSERT_EQ(row.key, expected[i].first);
            ASSERT_EQ(row.row, expected[i].second);
          }
        }
        std::reverse(expected.begin(), expected.end());
      }
    }
  }
}

// Every combination of sides that matched, with values that equal the miss value.
template <class Class>
void expect_joined(Class miss, Class a, Class b, const std::vector<Class>& both) {
  for (const bool left : {false, true})
    for (const bool right : {false, true}) {
      std::uint32_t any[2] = {left ? 5 : miss_row, right ? 3 : miss_row};
      std::uint32_t first[2] = {left ? 5 : miss_row, right ? 3 : miss_row};
      std::uint32_t count[2] = {left ? 2U : 0U, right ? 1U : 0U};
      Class values[2][3];
      std::fill_n(values[0], 3, left ? a : miss);
      std::fill_n(values[1], 3, right ? b : miss);
      std::uint8_t matched[2] = {static_cast<std::uint8_t>(left ? 1 : 0),
                                 static_cast<std::uint8_t>(right ? 1 : 0)};
      const auto side = [&](int i) {
        DeviceRequest request;
        request.any = &any[i];
        request.first = &first[i];
        request.count = &count[i];
        request.sum = &values[i][0];
        request.min = &values[i][1];
        request.max = &values[i][2];
        request.matched = &matched[i];
        return request;
      };
      join_lookup<Class>(side(0), side(1), 0);
      EXPECT_EQ(any[0], left ? 5U : right ? 3U : miss_row);
      EXPECT_EQ(first[0], right ? 3U : left ? 5U : miss_row);
      EXPECT_EQ(count[0], (left ? 2U : 0U) + (right ? 1U : 0U));
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(values[0][i], left && right ? both[i] : left ? a : right ? b : miss) << i;
    }
}

TEST(JoinedAnswers, AreJoinedByMatchNotByMissValue) {
  expect_joined<std::uint64_t>(7, 7, 3, {10, 3, 7});
  expect_joined<std::uint64_t>(7, 3, 7, {10, 3, 7});
  expect_joined<std::uint64_t>(7, 7, 7, {14, 7, 7});
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  expect_joined<std::uint64_t>(largest, largest, 2, {1, 2, largest});
  expect_joined<std::int64_t>(-7, -7, 3, {-4, -7, 3});
  expect_joined<double>(0.5, 0.5, -0.25, {0.25, -0.25, 0.5});
}

TEST(KeyFilter, HoldsItsKeysAndFewOthers) {
  Random random(3);
  constexpr std::size_t keys = 20'000;
  for (const bool wide : {false, true}) {
    std::vector<std::uint32_t> words(KeyFilter::words_for(keys));
    const KeyFilter filter{words.data(), static_cast<std::uint32_t>(words.size())};
    const auto holds = [&](std::uint64_t key) {
      const KeyFilter::Bits bits = filter.bits_of(key);
      return (words[bits.word] & bits.bits) == bits.bits;
    };
    const auto random_key = [&] { return wide ? random.bits() : random.bits() >> 32; };
    std::vector<std::uint64_t> inside;
    for (std::size_t i = 0; i < keys; ++i) inside.push_back(i % 2 == 0 ? i : random_key());
    for (const std::uint64_t key : inside)
      words[filter.bits_of(key).word] |= filter.bits_of(key).bits;
    for (const std::uint64_t key : inside) ASSERT_TRUE(holds(key));
    std::size_t others = 0;
    for (std::size_t i = 0; i < keys; ++i) others += holds(random_key()) ? 1 : 0;
    for (std::size_t i = 0; i < keys; ++i) others += holds(1'000'000 + 2 * i) ? 1 : 0;
    EXPECT_LT(others, 2 * keys / 10);
  }
}

}  // namespace
}  // namespace rtindex::cuda
