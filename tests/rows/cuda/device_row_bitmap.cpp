// Row bitmaps on the GPU, against those of the host.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/engine_of.hpp"

namespace rtindex::test {
namespace {

using Rows = std::vector<std::uint32_t>;

std::string sentence_of(const std::function<void()>& call) {
  try {
    call();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

class DeviceRowBitmaps : public GpuTest {
 protected:
  static Engine on_gpu() { return engine_of("rx:native@cuda"); }
  static Engine on_host() { return engine_of("sorted@cpu"); }

  // In the memory of the engine.
  static RowBitmapPtr bitmap(const Engine& engine, const Rows& rows, std::size_t row_count) {
    if (rows.empty()) return nullptr;
    Array<std::uint32_t> words(RowBits::words_of(row_count));
    std::fill(words.begin(), words.end(), 0);
    for (const std::uint32_t row : rows) words[row / 32] |= 1U << (row % 32);
    return engine.segments->load_bitmap(std::move(words), row_count);
  }

  static Rows rows_in(const RowBitmapPtr& bitmap) {
    Rows rows;
    if (bitmap == nullptr) return rows;
    const Array<std::uint32_t> words = bitmap->words();
    for (std::uint32_t row = 0; row < bitmap->bits().rows; ++row)
      if ((words[row / 32] >> (row % 32) & 1) != 0) rows.push_back(row);
    EXPECT_EQ(rows.size(), bitmap->count());
    return rows;
  }

  static Rows some_of(std::size_t row_count, double share, std::mt19937& random) {
    std::bernoulli_distribution is_in(share);
    Rows rows;
    for (std::uint32_t row = 0; row < row_count; ++row)
      if (is_in(random)) rows.push_back(row);
    return rows;
  }
};

TEST_F(DeviceRowBitmaps, HaveTheUnionAndDifferenceOfThoseOfTheHost) {
  std::mt19937 random(5);
  const Engine gpu = on_gpu();
  const Engine host = on_host();
  for (const std::size_t a_size : {1U, 31U, 32U, 33U, 1000U, 300'001U})
    for (const std::size_t b_size : {1U, 64U, 999U, 300'001U})
      for (const double share : {0.0, 0.3, 1.0}) {
        const Rows a = some_of(a_size, 0.5, random);
        const Rows b = some_of(b_size, share, random);
        const auto run = [&](const Engine& engine) {
          const RowBitmapPtr first = bitmap(engine, a, a_size);
          const RowBitmapPtr second = bitmap(engine, b, b_size);
          return std::pair(rows_in(union_of(first, second)), rows_in(difference(first, second)));
        };
        EXPECT_EQ(run(gpu), run(host)) << a_size << " " << b_size << " " << share;
      }
}

TEST_F(DeviceRowBitmaps, HoldTheRowsThatAChangeNames) {
  std::mt19937 random(6);
  constexpr std::size_t row_count = 100'003;
  const Engine gpu = on_gpu();
  const Rows nulls = some_of(row_count, 0.2, random);
  const RowStates states{row_count, nullptr, bitmap(gpu, nulls, row_count)};
  Rows named = some_of(row_count, 0.6, random);
  Rows shuffled = named;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  Rows null_rows;
  std::set_intersection(named.begin(), named.end(), nulls.begin(), nulls.end(),
                        std::back_inserter(null_rows));
  const ColumnOnGpu on_device{ColumnView(shuffled)};
  for (const ColumnView& rows : {ColumnView(shuffled), on_device.view()}) {
    const CheckedRows checked = gpu.segments->check_rows(rows, states, {});
    EXPECT_EQ(rows_in(checked.named), named);
    EXPECT_EQ(checked.nulls, null_rows.size());
  }
}

// Lists that one kernel marks, and a longer one; bitmaps that have fewer rows than the index, and
// some of the rows already.
TEST_F(DeviceRowBitmaps, GetTheRowsOfAChange) {
  std::mt19937 random(7);
  const Engine gpu = on_gpu();
  const Engine host = on_host();
  for (const std::size_t row_count : {5000U, 131'072U, 300'001U})
    for (const std::size_t count : {1U, 31U, 32U, 33U, 1023U, 1024U, 4095U, 4096U, 4097U}) {
      Rows listed(row_count);
      std::iota(listed.begin(), listed.end(), 0U);
      std::shuffle(listed.begin(), listed.end(), random);
      listed.resize(count);
      const Rows nulls = some_of(row_count, 0.1, random);
      const Rows some = some_of(row_count - 1000, 0.3, random);
      const Rows few = some_of(40, 0.5, random);
      const auto run = [&](const Engine& engine, const ColumnView& rows) {
        const RowBitmapPtr before[] = {nullptr, bitmap(engine, some, row_count - 1000),
                                       bitmap(engine, few, 40)};
        const MarkedRows marked = engine.segments->mark_rows(
            rows, {row_count, nullptr, bitmap(engine, nulls, row_count)}, before, {});
        std::vector<Rows> found = {{static_cast<std::uint32_t>(marked.nulls)}};
        for (const RowBitmapPtr& after : marked.bitmaps) found.push_back(rows_in(after));
        return found;
      };
      const std::vector<Rows> expected = run(host, listed);
      const ColumnOnGpu on_device{ColumnView(listed)};
      EXPECT_EQ(run(gpu, listed), expected) << row_count << " " << count;
      EXPECT_EQ(run(gpu, on_device.view()), expected) << row_count << " " << count;
    }
}

TEST_F(DeviceRowBitmaps, RejectWrongRowsInTheWordsOfTheHost) {
  constexpr std::size_t row_count = 1000;
  const Rows erased = {7, 500};
  const auto run = [&](const Engine& engine, const ColumnView& rows) {
    return sentence_of([&] {
      static_cast<void>(engine.segments->mark_rows(
          rows, {row_count, bitmap(engine, erased, row_count), nullptr}, {}, {}));
    });
  };
  for (const Rows& rows : {Rows{1, 2, 1}, Rows{1000}, Rows{0xffffffffU}, Rows{3, 7},
                           Rows{9, 500, 9}, Rows{4, 4, 2000}, Rows{2000, 4, 4}}) {
    const std::string expected = run(on_host(), rows);
    EXPECT_NE(expected, "no error");
    EXPECT_EQ(run(on_gpu(), rows), expected);
    const ColumnOnGpu on_device{ColumnView(rows)};
    EXPECT_EQ(run(on_gpu(), on_device.view()), expected);
  }
  EXPECT_EQ(run(on_gpu(), Rows{0, 999, 501}), "no error");
}

}  // namespace
}  // namespace rtindex::test
