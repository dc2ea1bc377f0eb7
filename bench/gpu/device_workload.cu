#include "gpu/device_workload.hpp"

#include <rtindex/answer.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "base/cuda/launch.cuh"
#include "gpu/device_algorithms.hpp"

namespace rtindex::bench {

namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::check;
using cuda::check_launch;
using cuda::thread_number;

constexpr std::uint64_t no_row = ~std::uint64_t{0};
constexpr std::uint64_t high_bit = std::uint64_t{1} << 63;

[[nodiscard]] __device__ std::uint64_t shuffle(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

[[nodiscard]] __device__ std::uint64_t clustered_rows(const KeyRule& rule) {
  return rule.rows - rule.rows / 10;
}

// Of few_twice: the row after every so many has the key of the one before it.
constexpr std::uint64_t twice_step = 1000;

[[nodiscard]] __device__ bool is_second(const KeyRule& rule, std::uint64_t row) {
  return rule.spread == KeySpread::few_twice && row < rule.rows && row % twice_step == 1;
}

// How many rows have the key of the first of them.
[[nodiscard]] __device__ std::uint64_t rows_like(const KeyRule& rule, std::uint64_t row) {
  return is_second(rule, row + 1) ? 2 : rule.multiplicity;
}

// The key number `i` of the rule; numbers from `rows` on are keys that no row holds.
[[nodiscard]] __device__ std::uint64_t key_of(const KeyRule& rule, std::uint64_t i) {
  switch (rule.spread) {
    case KeySpread::dense: return BitMix(rule.row_bits)(i);
    case KeySpread::clustered:
      return i < clustered_rows(rule) ? BitMix(57)(i) : high_bit | BitMix(63)(i);
    case KeySpread::repeated: return BitMix(8 * rule.key_bytes)(i / rule.multiplicity);
    default: return BitMix(8 * rule.key_bytes)(is_second(rule, i) ? i - 1 : i);
  }
}

// The first row that holds a key, or no_row.
[[nodiscard]] __device__ std::uint64_t row_of(const KeyRule& rule, std::uint64_t key) {
  std::uint64_t row = no_row;
  switch (rule.spread) {
    case KeySpread::dense:
      row = key < rule.rows ? BitMix(rule.row_bits).inverse(key) : no_row;
      break;
    case KeySpread::clustered:
      if (key < high_bit) {
        row = key >> 57 != 0 ? no_row : BitMix(57).inverse(key);
        if (row >= clustered_rows(rule)) row = no_row;
      } else {
        row = BitMix(63).inverse(key & ~high_bit);
        if (row < clustered_rows(rule)) row = no_row;
      }
      break;
    case KeySpread::repeated:
      row = BitMix(8 * rule.key_bytes).inverse(key);
      row = row > rule.rows / rule.multiplicity ? no_row : row * rule.multiplicity;
      break;
    default:
      row = BitMix(8 * rule.key_bytes).inverse(key);
      if (is_second(rule, row)) row = no_row;
  }
  return row < rule.rows ? row : no_row;
}

[[nodiscard]] __device__ std::uint32_t value_of_row(std::uint64_t row) {
  return static_cast<std::uint32_t>(shuffle(row + 12345));
}

__device__ void store(const KeyRule& rule, void* keys, std::size_t i, std::uint64_t key) {
  if (rule.key_bytes == 4)
    static_cast<std::uint32_t*>(keys)[i] = static_cast<std::uint32_t>(key);
  else
    static_cast<std::uint64_t*>(keys)[i] = key;
}

[[nodiscard]] __device__ std::uint64_t load(const KeyRule& rule, const void* keys, std::size_t i) {
  return rule.key_bytes == 4 ? static_cast<const std::uint32_t*>(keys)[i]
                             : static_cast<const std::uint64_t*>(keys)[i];
}

__global__ void column_kernel(KeyRule rule, void* keys) {
  const std::size_t i = thread_number();
  if (i < rule.rows) store(rule, keys, i, key_of(rule, i));
}

__global__ void values_kernel(std::size_t rows, std::uint32_t* values) {
  const std::size_t i = thread_number();
  if (i < rows) values[i] = value_of_row(i);
}

__global__ void lookups_kernel(KeyRule rule, LookupPattern pattern, std::uint64_t seed,
                               std::size_t count, void* keys) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint64_t random = shuffle(i + seed * 0x9e3779b97f4a7c15ULL);
  std::uint64_t number = random % rule.rows;
  if (pattern == LookupPattern::misses) number += rule.rows;
  if (pattern == LookupPattern::zipf) {
    // The k-th most frequent with a probability of about k^-1.5.
    const double u = (static_cast<double>(random >> 11) + 1) * 0x1p-53;
    const double rank = 1 / (u * u);
    number = rank < static_cast<double>(rule.rows) ? static_cast<std::uint64_t>(rank) - 1
                                                   : rule.rows - 1;
  }
  store(rule, keys, i, key_of(rule, number));
}

__global__ void ranges_kernel(KeyRule rule, std::uint64_t hits, std::size_t count, void* lower,
                              void* upper) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint64_t first = shuffle(i + 99) % (rule.rows - hits + 1);
  store(rule, lower, i, first);
  store(rule, upper, i, first + hits - 1);
}

__global__ void check_sums(KeyRule rule, const void* keys, std::size_t count,
                           const std::uint64_t* sums, unsigned long long* wrong) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint64_t row = row_of(rule, load(rule, keys, i));
  std::uint64_t wanted = ~std::uint64_t{0};
  if (row != no_row) {
    wanted = 0;
    for (std::uint64_t k = 0; k < rows_like(rule, row); ++k) wanted += value_of_row(row + k);
  }
  if (sums[i] != wanted) atomicAdd(wrong, 1ULL);
}

__global__ void check_rows(KeyRule rule, const void* keys, std::size_t count,
                           const std::uint32_t* rows, unsigned long long* wrong) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint64_t row = row_of(rule, load(rule, keys, i));
  const bool right =
      row == no_row ? rows[i] == miss_row : rows[i] >= row && rows[i] < row + rows_like(rule, row);
  if (!right) atomicAdd(wrong, 1ULL);
}

struct ValueInKeyOrder {
  KeyRule rule;
  __device__ unsigned long long operator()(std::uint64_t key) const {
    return value_of_row(row_of(rule, key));
  }
};

__global__ void check_ranges(KeyRule rule, const void* lower, std::uint64_t hits, std::size_t count,
                             const unsigned long long* prefix, const std::uint64_t* sums,
                             unsigned long long* wrong) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint64_t first = load(rule, lower, i);
  const std::uint64_t before = first == 0 ? 0 : prefix[first - 1];
  if (sums[i] != prefix[first + hits - 1] - before) atomicAdd(wrong, 1ULL);
}

// What a check counts.
class WrongCount {
 public:
  WrongCount() : count_(sizeof(unsigned long long)) {
    check(cudaMemset(count_.data(), 0, count_.bytes()), "filling memory");
  }
  [[nodiscard]] unsigned long long* get() const { return count_.as<unsigned long long>(); }
  [[nodiscard]] std::uint64_t value() const {
    check_launch("checking answers");
    unsigned long long wrong = 0;
    check(cudaMemcpy(&wrong, count_.data(), sizeof(wrong), cudaMemcpyDeviceToHost),
          "checking answers");
    return wrong;
  }

 private:
  DeviceBuffer count_;
};

}  // namespace

KeyRule key_rule(KeySpread spread, int key_bytes, int row_bits, std::uint64_t multiplicity) {
  return {spread, key_bytes, std::uint64_t{1} << row_bits, multiplicity, row_bits};
}

void make_column(const KeyRule& rule, void* keys) {
  column_kernel<<<blocks_for(rule.rows), block_threads>>>(rule, keys);
  check_launch("making a column");
}

void make_values(std::size_t rows, std::uint32_t* values) {
  values_kernel<<<blocks_for(rows), block_threads>>>(rows, values);
  check_launch("making values");
}

void make_lookups(const KeyRule& rule, LookupPattern pattern, std::uint64_t seed, std::size_t count,
                  void* keys) {
  lookups_kernel<<<blocks_for(count), block_threads>>>(rule, pattern, seed, count, keys);
  check_launch("making lookups");
}

void sort_lookups(const KeyRule& rule, std::size_t count, void* keys) {
  DeviceSorter sorter(count, rule.key_bytes);
  sorter.sort(keys, count);
  check(cudaDeviceSynchronize(), "sorting lookups");
}

void make_ranges(const KeyRule& rule, std::uint64_t hits, std::size_t count, void* lower,
                 void* upper) {
  ranges_kernel<<<blocks_for(count), block_threads>>>(rule, hits, count, lower, upper);
  check_launch("making ranges");
}

std::uint64_t wrong_sums(const KeyRule& rule, const void* keys, std::size_t count,
                         const std::uint64_t* sums) {
  const WrongCount wrong;
  check_sums<<<blocks_for(count), block_threads>>>(rule, keys, count, sums, wrong.get());
  return wrong.value();
}

std::uint64_t wrong_rows(const KeyRule& rule, const void* keys, std::size_t count,
                         const std::uint32_t* rows) {
  const WrongCount wrong;
  check_rows<<<blocks_for(count), block_threads>>>(rule, keys, count, rows, wrong.get());
  return wrong.value();
}

std::uint64_t wrong_range_sums(const KeyRule& rule, const void* lower, std::uint64_t hits,
                               std::size_t count, const std::uint64_t* sums) {
  const DeviceBuffer prefix(rule.rows * sizeof(unsigned long long));
  const auto in = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0),
                                                  ValueInKeyOrder{rule});
  std::size_t bytes = 0;
  check(
      cub::DeviceScan::InclusiveSum(nullptr, bytes, in, prefix.as<unsigned long long>(), rule.rows),
      "adding up values");
  const DeviceBuffer scratch(bytes);
  check(cub::DeviceScan::InclusiveSum(scratch.data(), bytes, in, prefix.as<unsigned long long>(),
                                      rule.rows),
        "adding up values");
  const WrongCount wrong;
  check_ranges<<<blocks_for(count), block_threads>>>(
      rule, lower, hits, count, prefix.as<unsigned long long>(), sums, wrong.get());
  return wrong.value();
}

template <class Key>
std::vector<double> time_sort(const Key* keys, std::size_t rows, int runs) {
  const DeviceBuffer key_copy(rows * sizeof(Key));
  const DeviceBuffer key_other(rows * sizeof(Key));
  const DeviceBuffer row_copy(rows * sizeof(std::uint32_t));
  const DeviceBuffer row_other(rows * sizeof(std::uint32_t));
  std::vector<double> times;
  const DeviceClock clock;
  for (int run = 0; run <= runs; ++run) {
    check(cudaMemcpy(key_copy.data(), keys, rows * sizeof(Key), cudaMemcpyDeviceToDevice), "");
    check(cudaMemset(row_copy.data(), 0, rows * sizeof(std::uint32_t)), "");
    cub::DoubleBuffer<Key> key_buffers(key_copy.as<Key>(), key_other.as<Key>());
    cub::DoubleBuffer<std::uint32_t> row_buffers(row_copy.as<std::uint32_t>(),
                                                 row_other.as<std::uint32_t>());
    std::size_t bytes = 0;
    check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, key_buffers, row_buffers, rows), "");
    const DeviceBuffer scratch(bytes);
    clock.start();
    check(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, key_buffers, row_buffers, rows),
          "sorting");
    const double time = clock.stop();
    if (run != 0) times.push_back(time);
  }
  return times;
}

std::vector<double> time_cub_sort(const KeyRule& rule, const void* keys, int runs) {
  if (rule.key_bytes == 4)
    return time_sort(static_cast<const std::uint32_t*>(keys), rule.rows, runs);
  return time_sort(static_cast<const unsigned long long*>(keys), rule.rows, runs);
}

}  // namespace rtindex::bench
