// Row bitmaps in device memory: as answers, as filters, and combined, against those of the host.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/checker.hpp"
#include "support/cuda/buffer.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// Bytes of the host, copied to the GPU.
class BytesOnGpu {
 public:
  explicit BytesOnGpu(const std::vector<std::uint8_t>& bytes) : copy_(bytes.data(), bytes.size()) {}
  [[nodiscard]] BitmapView view(std::size_t rows, std::size_t offset) const {
    return {copy_.as<std::uint8_t>(), rows, offset, MemorySpace::device};
  }

 private:
  OnGpu copy_;
};

class DeviceBitmaps : public GpuTest {};

TEST_F(DeviceBitmaps, AreCombinedAndCountedLikeThoseOfTheHost) {
  for (const std::size_t rows : {1, 7, 8, 9, 64, 1000, 70001})
    for (const std::size_t offset : {0, 1, 7, 13}) {
      const std::vector<std::uint8_t> a = random_bytes((rows + offset) / 8 + 2, 1);
      const std::vector<std::uint8_t> b = random_bytes((rows + offset) / 8 + 2, 2);
      const BytesOnGpu a_there(a);
      const BytesOnGpu b_there(b);
      const auto expect_same = [&](auto operation) {
        std::vector<std::uint8_t> wanted(bitmap_bytes(rows));
        operation(BitmapView{a.data(), rows, offset}, BitmapView{b.data(), rows, offset},
                  wanted.data());
        Buffer out(MemorySpace::device, bitmap_bytes(rows));
        operation(a_there.view(rows, offset), b_there.view(rows, offset), out.as<std::uint8_t>());
        ASSERT_EQ(out.read<std::uint8_t>(), wanted) << rows << " rows from bit " << offset;
      };
      expect_same([](const auto& x, const auto& y, auto* out) { bitmap_and(x, y, out); });
      expect_same([](const auto& x, const auto& y, auto* out) { bitmap_or(x, y, out); });
      expect_same([](const auto& x, const auto& y, auto* out) { bitmap_and_not(x, y, out); });
      ASSERT_EQ(bitmap_count(a_there.view(rows, offset)),
                bitmap_count(BitmapView{a.data(), rows, offset}));
    }
}

class BitmapsOfDeviceQueries : public GpuTest, public testing::WithParamInterface<std::string> {};

TEST_P(BitmapsOfDeviceQueries, EqualThoseOfTheHost) {
  std::mt19937 random(5);
  std::vector<std::uint32_t> keys(5003);
  for (std::uint32_t& key : keys) key = random() % 1000;
  std::vector<std::uint32_t> lower(77);
  std::vector<std::uint32_t> upper(77);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    lower[i] = random() % 1100;
    upper[i] = lower[i] + random() % 20;
  }
  const std::vector<std::uint8_t> bits = random_bytes(keys.size() / 8 + 2, 9);
  const BytesOnGpu bits_there(bits);
  Index there = build(keys, GetParam());
  Index here = build(keys, "sorted@cpu");
  const PlacedColumn lower_there(MemorySpace::device, lower);
  const PlacedColumn upper_there(MemorySpace::device, upper);
  std::vector<std::pair<Query, Query>> queries = {
      {Query::equal(lower), Query::equal(lower_there.view())}};
  if (there.supports(Answer::any, QueryKind::range))
    queries.emplace_back(Query::range(lower, upper),
                         Query::range(lower_there.view(), upper_there.view()));
  if (there.supports(Answer::any, QueryKind::nearest))
    queries.emplace_back(Query::nearest(lower), Query::nearest(lower_there.view()));
  for (int changed = 0; changed < 2; ++changed) {
    const std::size_t rows = there.size();
    for (auto [on_host, on_gpu] : queries)
      for (const bool is_filtered : {false, true}) {
        if (is_filtered) {
          on_host.filter = BitmapView{bits.data(), rows, 3};
          on_gpu.filter = bits_there.view(rows, 3);
        }
        const Answers wanted =
            here.answer(on_host, {.answers = Answer::bitmap | Answer::bitmaps | Answer::count});
        Buffer bitmap(MemorySpace::device, bitmap_bytes(rows));
        Buffer bitmaps(MemorySpace::device, lower.size() * bitmap_bytes(rows));
        Buffer count(MemorySpace::device, 4 * lower.size());
        Outputs outputs{.count = count.as<std::uint32_t>(),
                        .memory_space = MemorySpace::device,
                        .bitmap = bitmap.as<std::uint8_t>(),
                        .bitmaps = bitmaps.as<std::uint8_t>(),
                        .bitmap_rows = rows};
        there.answer_into(on_gpu, {}, outputs);
        const std::vector<std::uint8_t> found = bitmap.read<std::uint8_t>();
        const std::vector<std::uint8_t> each = bitmaps.read<std::uint8_t>();
        ASSERT_EQ(rows_of({found.data(), rows}), rows_of(wanted.bitmap()));
        for (std::size_t i = 0; i < lower.size(); ++i)
          ASSERT_EQ(rows_of({each.data() + i * bitmap_bytes(rows), rows}),
                    rows_of(wanted.bitmap(i)));
        const std::vector<std::uint32_t> counts = count.read<std::uint32_t>();
        ASSERT_TRUE(std::equal(counts.begin(), counts.end(), wanted.count().begin()));
      }
    if (changed == 1) break;
    const std::vector<std::uint32_t> erased = {1, 2, 3, 500, 5002};
    for (Index* index : {&there, &here}) {
      index->erase(erased);
      index->update(std::vector<std::uint32_t>{7, 8}, std::vector<std::uint32_t>{5, 2000});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, BitmapsOfDeviceQueries,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda",
                                         "hash@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
