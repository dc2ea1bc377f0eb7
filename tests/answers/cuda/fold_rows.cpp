// Rows of lookups that the GPU folds, against a fold on the host.

#include "answers/cuda/fold_rows.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "answers/counted_aggregate.hpp"
#include "base/cuda/pooled_stream.hpp"
#include "base/cuda/transfer.hpp"
#include "order/cuda/device_columns.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/random.hpp"

namespace rtindex::cuda {
namespace {

using test::Random;

template <class T>
[[nodiscard]] std::vector<T> contents_of(const DeviceArray<T>& array, const Queue& queue) {
  std::vector<T> elements(array.size());
  copy_to_host(elements.data(), array.data(), array.bytes(), queue);
  return elements;
}

// Two segments over the same rows, and lookups whose runs end at the sizes at which kernels differ.
template <class T>
class Folds {
 public:
  using Class = value_class_t<T>;

  Folds() {
    for (std::uint32_t row = 0; row < size; ++row) {
      values_.push_back(some_value());
      valid_.push_back(random_.one_in(3) ? 0 : 1);
      rows_.push_back(row);
    }
    random_.shuffle(rows_);
    for (const std::uint32_t length : {0U, 1U, 31U, 32U, 33U, 500U, 8191U, 8192U, 8193U, 30000U})
      for (int i = 0; i < 9; ++i) {
        runs_[0].push_back(some_run(length));
        runs_[1].push_back(some_run(i % 3 == 0 ? 0 : length / 2));
      }
    // A run without any valid value.
    for (std::uint32_t at = 0; at < 40; ++at) valid_[rows_[at]] = 0;
    runs_[0].push_back({0, 40});
    runs_[1].push_back({0, 0});
  }

  void expect_like_host(bool is_included, bool has_nulls) {
    const PooledStream stream;
    const std::shared_ptr<DeviceMemory> memory = current_memory();
    const Queue queue(memory, stream.get());
    const DeviceArray<std::uint32_t> rows = uploaded(rows_.data(), rows_.size(), queue);
    const DeviceArray<T> values = uploaded(values_.data(), values_.size(), queue);
    const DeviceArray<std::uint8_t> bytes = uploaded(valid_.data(), valid_.size(), queue);
    const std::vector<std::uint8_t> bits = bitmap();
    const DeviceArray<std::uint8_t> bitmap = uploaded(bits.data(), bits.size(), queue);
    const OrderedWants all{.sum = true, .min = true, .max = true};
    const OrderedValues included(values.data(), type_of<T>(), RowsView{rows.data()}, size, {}, all,
                                 true, nullptr, queue);
    const OrderedValues included_valid(bytes.data(), Type::u8, RowsView{rows.data()}, size, {},
                                       {.sum = true}, true, nullptr, queue);
    RowValues from{.data = values.data(), .type = type_of<T>()};
    if (has_nulls) from.validity = bitmap.data();
    from.validity_offset = offset;
    from.is_included = is_included;
    for (IncludedSource& source : from.included)
      source = {&included, has_nulls ? &included_valid : nullptr};

    const std::size_t lookups = runs_[0].size();
    const DeviceArray<Run> runs[2] = {uploaded(runs_[0].data(), lookups, queue),
                                      uploaded(runs_[1].data(), lookups, queue)};
    RowSources sources;
    for (const DeviceArray<Run>& some : runs)
      sources.sources[sources.count++] = {some.data(), RowsView{rows.data()}, {}, {}};
    const DeviceArray<std::uint32_t> last(queue, lookups);
    const DeviceArray<std::uint32_t> counts(queue, lookups);
    const DeviceArray<Class> sum(queue, lookups);
    const DeviceArray<Class> min(queue, lookups);
    const DeviceArray<Class> max(queue, lookups);
    const DeviceArray<double> mean(queue, lookups);
    const DeviceArray<std::uint8_t> validity(queue, (lookups + 7) / 8);
    RowFolds out{last.data(), sum.data(), min.data(), max.data(), mean.data(), counts.data(), {}};
    out.miss.f64 = -3;
    fold_rows(sources, lookups, from, out, queue);
    write_validity(counts.data(), lookups, validity.data(), queue);

    const auto found_last = contents_of(last, queue);
    const auto found_counts = contents_of(counts, queue);
    const auto found_sum = contents_of(sum, queue);
    const auto found_min = contents_of(min, queue);
    const auto found_max = contents_of(max, queue);
    const auto found_mean = contents_of(mean, queue);
    const auto found_validity = contents_of(validity, queue);
    for (std::size_t i = 0; i < lookups; ++i) {
      CountedAggregate<Class> wanted;
      std::uint32_t wanted_last = miss_row;
      for (const std::vector<Run>& some : runs_)
        for (std::uint32_t at = some[i].begin; at < some[i].end; ++at) {
          wanted_last = Last{}(wanted_last, rows_[at]);
          if (!has_nulls || valid_[rows_[at]] != 0) wanted.add(to_class(values_[rows_[at]]));
        }
      const auto aggregates = wanted.values.or_miss(wanted.count != 0, miss_as<Class>(out.miss));
      ASSERT_EQ(found_last[i], wanted_last) << i;
      ASSERT_EQ(found_counts[i], wanted.count) << i;
      ASSERT_EQ(found_sum[i], aggregates.sum) << i;
      ASSERT_EQ(found_min[i], aggregates.min) << i;
      ASSERT_EQ(found_max[i], aggregates.max) << i;
      ASSERT_EQ(found_mean[i], wanted.count == 0 ? -3.0 : mean_of<Class>(wanted.sum, wanted.count))
          << i;
      ASSERT_EQ(is_matched(found_validity.data(), i), wanted.count != 0) << i;
    }
  }

 private:
  static constexpr std::uint32_t size = 40000;
  static constexpr std::size_t offset = 3;

  // Integers close to the limits, so that sums wrap; floats whose sums are exact.
  [[nodiscard]] T some_value() {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(random_.below(1000));
    else
      return static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(random_.below(50)));
  }
  [[nodiscard]] Run some_run(std::uint32_t length) {
    const auto begin = static_cast<std::uint32_t>(random_.below(size - length));
    return {begin, begin + length};
  }
  [[nodiscard]] std::vector<std::uint8_t> bitmap() const {
    std::vector<std::uint8_t> bits((size + offset + 7) / 8, 0);
    for (std::size_t row = 0; row < size; ++row)
      if (valid_[row] != 0)
        bits[(row + offset) / 8] =
            static_cast<std::uint8_t>(bits[(row + offset) / 8] | 1U << ((row + offset) % 8));
    return bits;
  }

  Random random_{21};
  std::vector<T> values_;
  std::vector<std::uint8_t> valid_;
  std::vector<std::uint32_t> rows_;
  std::vector<Run> runs_[2];
};

class FoldRows : public test::GpuTest {};

TEST_F(FoldRows, FoldsLikeTheHost) {
  for (const bool is_included : {false, true})
    for (const bool has_nulls : {false, true}) {
      Folds<std::int64_t>().expect_like_host(is_included, has_nulls);
      Folds<std::uint64_t>().expect_like_host(is_included, has_nulls);
      Folds<double>().expect_like_host(is_included, has_nulls);
      Folds<std::uint8_t>().expect_like_host(is_included, has_nulls);
    }
}

}  // namespace
}  // namespace rtindex::cuda
