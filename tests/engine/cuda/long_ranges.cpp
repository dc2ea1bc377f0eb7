// Long runs of matches, which all warps share, among short and empty ones, in device memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/random.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

constexpr std::uint32_t rows = 200'000;

// The value of a key; sums of them are exact in every type.
template <class T>
T value_of_key(std::uint32_t key) {
  return static_cast<T>(3) * static_cast<T>(key) - static_cast<T>(1000);
}

// Ranges as inclusive ends: some of the lengths at which another kernel is chosen, at random
// positions, and some beyond the column.
struct Ranges {
  std::vector<std::uint32_t> lower, upper;

  explicit Ranges(std::size_t count, Random& random) {
    constexpr std::uint32_t lengths[] = {0,    1,    31,     32,     33,     255,  256,
                                         1023, 1024, 65'536, 65'537, 99'999, rows, 2 * rows};
    for (std::size_t i = 0; i < count; ++i) {
      // Long ones are rare in a large batch.
      const bool any = count < 200 || random.one_in(200);
      const std::uint32_t length = lengths[random.below(any ? std::size(lengths) : 7)];
      const auto low =
          static_cast<std::uint32_t>(length > rows ? 0 : random.below(rows - length + 1));
      lower.push_back(length == 0 ? rows + 5 : low);
      upper.push_back(length == 0 ? rows + 9 : low + length - 1);
    }
  }
  [[nodiscard]] std::size_t size() const { return lower.size(); }
};

template <class T>
void expect_answers(const Index& index, const OnGpu& values, Type type, const Ranges& ranges) {
  const auto on_gpu = [](const std::vector<std::uint32_t>& keys) {
    return OnGpu(keys.data(), keys.size() * sizeof(keys[0]));
  };
  const OnGpu lower = on_gpu(ranges.lower);
  const OnGpu upper = on_gpu(ranges.upper);
  const OnGpu sums(ranges.size() * sizeof(T));
  const OnGpu least(ranges.size() * sizeof(T));
  const OnGpu greatest(ranges.size() * sizeof(T));
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.sum = sums.data();
  outputs.min = least.data();
  outputs.max = greatest.data();
  const AnswerOptions options{.values = ColumnView::of(type, values.data(), rows).on_device(),
                              .miss = {.u64 = 5, .i64 = 5, .f64 = 5}};
  index.answer_into(
      Query::range(ColumnView::of(Type::u32, lower.data(), ranges.size()).on_device(),
                   ColumnView::of(Type::u32, upper.data(), ranges.size()).on_device()),
      options, outputs);
  require(cudaDeviceSynchronize());
  const auto sum = sums.read<T>();
  const auto min = least.read<T>();
  const auto max = greatest.read<T>();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    SCOPED_TRACE(std::to_string(ranges.lower[i]) + " to " + std::to_string(ranges.upper[i]));
    if (ranges.lower[i] >= rows) {
      ASSERT_EQ(sum[i], T{5});
      ASSERT_EQ(min[i], T{5});
      continue;
    }
    const T first = value_of_key<T>(ranges.lower[i]);
    const std::uint32_t last_key = std::min(ranges.upper[i], rows - 1);
    const T last = value_of_key<T>(last_key);
    ASSERT_EQ(min[i], first);
    ASSERT_EQ(max[i], last);
    ASSERT_EQ(sum[i], (first + last) * static_cast<T>(last_key - ranges.lower[i] + 1) / T{2});
  }
}

class DeviceLongRanges : public GpuTestWithParam<std::string> {};

TEST_P(DeviceLongRanges, SumTheirValues) {
  Random random(3);
  std::vector<std::uint32_t> keys(rows);
  std::iota(keys.begin(), keys.end(), 0);
  for (std::size_t i = rows - 1; i > 0; --i) std::swap(keys[i], keys[random.below(i + 1)]);
  std::vector<std::int64_t> whole(rows);
  std::vector<double> real(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    whole[row] = value_of_key<std::int64_t>(keys[row]);
    real[row] = value_of_key<double>(keys[row]);
  }
  const OnGpu whole_values(whole.data(), rows * sizeof(whole[0]));
  const OnGpu real_values(real.data(), rows * sizeof(real[0]));
  const Index index = build(keys, GetParam());
  // One range, some, and more than one tile of 4096 holds.
  for (const std::size_t count : {1, 1, 1, 40, 150, 9000}) {
    const Ranges ranges(count, random);
    expect_answers<std::int64_t>(index, whole_values, Type::i64, ranges);
    expect_answers<double>(index, real_values, Type::f64, ranges);
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceLongRanges,
                         testing::Values("rx:native@cuda,gather=off", "rx:native@cuda",
                                         "sorted@cuda,gather=off", "btree@cuda,gather=off"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
