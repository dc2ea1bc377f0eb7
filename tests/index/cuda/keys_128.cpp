// Keys of 128 bits on a GPU, against an index of the CPU: at the ends of their types, at any
// address, in large columns, and what only buffers in device memory can show.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/buffer.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/intervals.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr Uint128 all_bits = ~Uint128{0};
constexpr Type types_128[] = {Type::i128, Type::u128, Type::decimal128, Type::binary16};

// Where words and types end, and their neighbours; some keys twice, some bytes in another order.
std::vector<Uint128> edge_keys() {
  std::vector<Uint128> keys = {0x0102030405060708U, Uint128{0x0102030405060708U} << 64};
  for (const int bits : {0, 8, 32, 63, 64, 65, 120, 127})
    for (int step = -1; step <= 1; ++step) keys.push_back((Uint128{1} << bits) + Uint128(step));
  for (const Uint128 key :
       {Uint128{0}, all_bits, all_bits - 1, all_bits / 2, all_bits / 2 + 1, all_bits << 64})
    keys.insert(keys.end(), 2, key);
  return keys;
}

std::vector<std::vector<std::uint32_t>> sorted_rows(const Answers& found) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::size_t i = 0; i < found.size(); ++i) {
    rows.emplace_back(found.rows(i).begin(), found.rows(i).end());
    std::sort(rows.back().begin(), rows.back().end());
  }
  return rows;
}

// Expects the rows of an index of the CPU, for lookups in host and in device memory.
void expect_same_rows(const Index& index, const Index& on_cpu, const ColumnView& lower,
                      const ColumnView& upper) {
  for (const MemorySpace space : memory_spaces) {
    const PlacedColumn low(space, lower);
    const PlacedColumn high(space, upper);
    ASSERT_EQ(sorted_rows(index.lookup(low.view(), Answer::rows)),
              sorted_rows(on_cpu.lookup(lower, Answer::rows)))
        << name_of(space);
    if (!index.supports(Answer::rows, QueryKind::range)) continue;
    for (const Ends ends : every_ends)
      ASSERT_EQ(
          sorted_rows(index.answer(Query::range(low.view(), high.view(), ends), Answer::rows)),
          sorted_rows(on_cpu.answer(Query::range(lower, upper, ends), Answer::rows)))
          << name_of(space) << " " << name_of(ends);
  }
}

using Keys128OnGpu = GpuIndexTest;

TEST_P(Keys128OnGpu, AnswerAtTheEndsOfTheirTypes) {
  const std::vector<Uint128> keys = edge_keys();
  std::vector<std::uint8_t> validity((keys.size() + 7) / 8, 0xff);
  validity[0] = 0xed;
  std::vector<Uint128> lower;
  std::vector<Uint128> upper;
  for (const Uint128 low : keys)
    for (const Uint128 high : keys) {
      lower.push_back(low);
      upper.push_back(high);
    }
  for (const Type type : types_128) {
    SCOPED_TRACE(name_of(type));
    const ColumnView column =
        ColumnView::of(type, keys.data(), keys.size()).with_validity(validity.data());
    const Index on_cpu = build(column, "sorted@cpu");
    for (const MemorySpace space : memory_spaces) {
      const Index index = build(PlacedColumn(space, column).view(), GetParam());
      EXPECT_EQ(index.type(), type);
      ASSERT_NO_FATAL_FAILURE(expect_same_rows(index, on_cpu,
                                               ColumnView::of(type, lower.data(), lower.size()),
                                               ColumnView::of(type, upper.data(), upper.size())));
    }
  }
}

// Lookups of fewer bits, of another sign, and of values that the column's type does not have.
TEST_P(Keys128OnGpu, AreFoundByOtherIntegers) {
  const std::vector<Uint128> keys = edge_keys();
  const std::vector<std::int64_t> narrow = {0, 1, -1, 256, INT64_MIN, INT64_MAX};
  const std::vector<std::int64_t> from_narrow = {INT64_MIN, -1, 0, 1, 0, -7};
  for (const Type type : {Type::i128, Type::u128}) {
    SCOPED_TRACE(name_of(type));
    const Type other = type == Type::i128 ? Type::u128 : Type::i128;
    const ColumnView column = ColumnView::of(type, keys.data(), keys.size());
    const Index index = build(column, GetParam());
    const Index on_cpu = build(column, "sorted@cpu");
    const ColumnView others = ColumnView::of(other, keys.data(), keys.size());
    ASSERT_NO_FATAL_FAILURE(expect_same_rows(index, on_cpu, others, others));
    ASSERT_NO_FATAL_FAILURE(expect_same_rows(index, on_cpu, from_narrow, narrow));
  }
}

// Many blocks of threads. The low bits that are compared in full have 64 bits, 24 or none, or all
// but one of the bits that differ.
TEST_P(Keys128OnGpu, AnswerInLargeColumns) {
  constexpr std::size_t size = 100'003;
  constexpr std::size_t lookups = 1'000;
  Random random(7);
  const auto any_key = [&] { return Uint128{random.bits()} << 64 | random.bits(); };
  const std::vector<std::function<Uint128()>> sources = {
      any_key, [&] { return any_key() >> 40; }, [&] { return any_key() >> 90; },
      [&] { return (random.one_in(2) ? all_bits << 64 : 0) | random.below(50'000); }};
  for (std::size_t source = 0; source < sources.size(); ++source) {
    SCOPED_TRACE(source);
    std::vector<Uint128> keys(size);
    for (Uint128& key : keys) key = sources[source]();
    for (std::size_t i = 0; i < size; i += 5) keys[i] = keys[random.below(size)];
    std::vector<Uint128> lower(keys.begin(), keys.begin() + lookups);
    std::vector<Uint128> upper(lookups);
    for (std::size_t i = 0; i < lookups; ++i) {
      if (i % 2 == 0) lower[i] += random.below(3);
      upper[i] = i % 3 == 0 ? keys[random.below(size)] : lower[i] + random.below(100);
      // Ranges of most keys take long where rays collect them.
      if (i > 10 && i % 3 == 0) upper[i] = lower[i];
    }
    const ColumnView column = ColumnView::of(Type::u128, keys.data(), keys.size());
    const Index index = build(column, GetParam());
    ASSERT_NO_FATAL_FAILURE(expect_same_rows(index, build(column, "sorted@cpu"),
                                             ColumnView::of(Type::u128, lower.data(), lookups),
                                             ColumnView::of(Type::u128, upper.data(), lookups)));
    // A column of the GPU has the same keys and full keys.
    const ColumnOnGpu on_gpu(column);
    EXPECT_EQ(build(on_gpu.view(), GetParam()).serialize(), index.serialize());
  }
}

// Binaries at any address, integers at multiples of 8.
TEST_P(Keys128OnGpu, AreReadAtAnyAddress) {
  const std::vector<Uint128> keys = edge_keys();
  std::vector<std::byte> bytes(16 * keys.size() + 8);
  for (const std::size_t shift : {1, 8}) {
    std::memcpy(bytes.data() + shift, keys.data(), 16 * keys.size());
    const OnGpu memory(bytes.data(), bytes.size());
    for (const Type type : {Type::binary16, Type::i128}) {
      SCOPED_TRACE(std::string(name_of(type)) + " " + std::to_string(shift));
      const ColumnView column = ColumnView::of(type, keys.data(), keys.size());
      const ColumnView shifted =
          ColumnView::of(type, memory.as<std::byte>() + shift, keys.size()).on_device();
      const auto counts = [&](const ColumnView& built, const ColumnView& lookups) {
        const Answers found = build(built, GetParam()).lookup(lookups, Answer::count);
        return std::vector(found.count().begin(), found.count().end());
      };
      if (type == Type::i128 && shift == 1) {
        EXPECT_EQ(error_of([&] { static_cast<void>(counts(shifted, column)); }),
                  ErrorKind::invalid_argument);
        continue;
      }
      EXPECT_EQ(counts(shifted, shifted), counts(column, column));
    }
  }
}

// Rows and keys of neighbours, for buffers in both memory spaces.
TEST_P(Keys128OnGpu, HaveNeighbours) {
  const std::vector<Uint128> keys = edge_keys();
  std::vector<Uint128> lookups = keys;
  for (std::size_t i = 0; i < lookups.size(); ++i) lookups[i] = lookups[i] + i % 3 - 1;
  for (const Type type : types_128)
    for (const Direction direction :
         {Direction::backward, Direction::forward, Direction::nearest}) {
      if (type == Type::binary16 && direction == Direction::nearest) continue;
      SCOPED_TRACE(std::string(name_of(type)) + " " + std::string(name_of(direction)));
      const ColumnView column = ColumnView::of(type, keys.data(), keys.size());
      const ColumnView wanted = ColumnView::of(type, lookups.data(), lookups.size());
      const Index index = build(column, GetParam());
      if (!index.supports(Answer::any, QueryKind::nearest)) GTEST_SKIP() << "keeps no order";
      const NearestOptions nearest{direction, false, {}};
      const Answers found =
          build(column, "sorted@cpu")
              .nearest(wanted, nearest, Answer::any | Answer::key | Answer::count);
      for (const MemorySpace space : memory_spaces) {
        const std::size_t n = lookups.size();
        Buffer any(space, 4 * n), count(space, 4 * n), key(space, 16 * n);
        Outputs outputs;
        outputs.any = any.as<std::uint32_t>();
        outputs.count = count.as<std::uint32_t>();
        outputs.key = key.as<void>();
        outputs.memory_space = space;
        index.answer_into(Query::nearest(PlacedColumn(space, wanted).view(), nearest), {}, outputs);
        require(cudaStreamSynchronize(nullptr));
        EXPECT_EQ(any.read<std::uint32_t>(), std::vector(found.any().begin(), found.any().end()));
        EXPECT_EQ(count.read<std::uint32_t>(),
                  std::vector(found.count().begin(), found.count().end()));
        const std::vector<std::uint64_t> words = key.read<std::uint64_t>();
        const auto* const expected = static_cast<const std::uint64_t*>(found.keys().data());
        for (std::size_t i = 0; i < n; ++i) {
          if (!found.keys().valid(i)) continue;
          ASSERT_EQ(words[2 * i], expected[2 * i]) << i;
          ASSERT_EQ(words[2 * i + 1], expected[2 * i + 1]) << i;
        }
      }
    }
}

TEST_P(Keys128OnGpu, AreLookupsAndValues) {
  const std::vector<std::uint64_t> elements = {7, 0, 7, 1};
  const std::vector<std::int32_t> keys = {7, 7};
  const std::vector<std::uint64_t> prices = {5, 0, 6, 0};
  const ColumnView values = ColumnView::decimals(Type::decimal128, prices.data(), 2, 1);
  const Index index = build(keys, GetParam());
  const Answers found = index.lookup(ColumnView::of(Type::i128, elements.data(), 2),
                                     Answer::count | Answer::sum, values);
  EXPECT_EQ(found.count()[0], 2U);
  EXPECT_EQ(found.sum_as<std::int64_t>()[0], 11);
  EXPECT_EQ(found.count()[1], 0U);
}

INSTANTIATE_TEST_SUITE_P(Cuda, Keys128OnGpu,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda", "rx:optix@cuda,bucket=3"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
