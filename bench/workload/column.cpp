#include "workload/column.hpp"

#include <tbb/parallel_sort.h>

#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "workload/random.hpp"

namespace rtindex::bench {

namespace {

constexpr std::size_t grain = 1 << 14;
constexpr std::uint64_t value_seed = 0x76616c7565;

template <class Body>
void for_each_row(std::size_t size, const Body& body) {
  parallel_for(size, grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t row = first; row < first + count; ++row) body(row);
  });
}

// Fills keys by row, and values that any wrong row would give away.
template <class KeyOf>
Column filled(std::size_t size, int bits, std::uint64_t seed, nlohmann::json about,
              const KeyOf& key_of) {
  Column column;
  column.keys = KeyArray(bits, size);
  column.values.resize(size);
  about.update({{"key_count", size}, {"key_bits", bits}, {"seed", seed}});
  column.about = std::move(about);
  for_each_row(size, [&](std::size_t row) {
    column.keys.set(row, key_of(row));
    column.values[row] = static_cast<std::uint32_t>(random_at(seed ^ value_seed, row));
  });
  return column;
}

std::vector<std::uint32_t> rows_by_key(const KeyArray& keys) {
  std::vector<std::uint32_t> rows(keys.size());
  std::iota(rows.begin(), rows.end(), 0U);
  tbb::parallel_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });
  return rows;
}

// Sums over runs of rows with equal keys, `rows` being in key order.
void add_sums_of_equal(Column& column, const std::vector<std::uint32_t>& rows) {
  column.sums_of_equal.resize(column.size());
  for (std::size_t first = 0; first < rows.size();) {
    std::uint64_t sum = 0;
    std::size_t end = first;
    for (; end < rows.size() && column.keys[rows[end]] == column.keys[rows[first]]; ++end)
      sum += column.values[rows[end]];
    for (; first < end; ++first) column.sums_of_equal[rows[first]] = sum;
  }
}

}  // namespace

std::uint64_t uniform_key(std::uint64_t number, int bits, std::uint64_t seed) {
  if (bits == 64) return mixed(number + mixed(seed));
  return Permutation(std::uint64_t{1} << bits, seed)(number);
}

Column dense_column(std::size_t size, int bits, std::uint64_t seed, std::uint64_t stride) {
  const Permutation order(size, seed);
  return filled(size, bits, seed, {{"keys", "dense, shuffled"}, {"stride", stride}},
                [&](std::size_t row) { return order(row) * stride; });
}

Column uniform_column(std::size_t size, int bits, std::uint64_t seed) {
  return filled(size, bits, seed, {{"keys", "uniform"}},
                [&](std::size_t row) { return uniform_key(row, bits, seed); });
}

Column middle_column(std::size_t size, std::uint64_t seed) {
  constexpr std::uint64_t quarter = std::uint64_t{1} << 30;
  return filled(size, 32, seed, {{"keys", "uniform, middle half"}},
                [&](std::size_t row) { return quarter + uniform_key(row, 31, seed); });
}

Column clustered_column(std::size_t size, double uniform_share, std::uint64_t seed) {
  const auto uniform = static_cast<std::size_t>(uniform_share * static_cast<double>(size));
  const std::size_t dense = size - uniform;
  const std::uint64_t centre = (std::uint64_t{1} << 31) - dense / 2;
  // Uniform draws that fall into the centre are passed over; this stays sequential and exact.
  std::vector<std::uint64_t> keys(size);
  for (std::size_t i = 0; i < dense; ++i) keys[i] = centre + i;
  for (std::uint64_t i = dense, draw = 0; i < size; ++draw) {
    const std::uint64_t key = uniform_key(draw, 32, seed);
    if (key < centre || key >= centre + dense) keys[i++] = key;
  }
  const Permutation order(size, seed + 1);
  return filled(size, 32, seed, {{"keys", "dense centre"}, {"uniform_share", uniform_share}},
                [&](std::size_t row) { return keys[order(row)]; });
}

Column repeated_column(std::size_t size, std::size_t multiplicity, std::uint64_t seed) {
  const Permutation order(size, seed + 1);
  Column column =
      filled(size, 32, seed, {{"keys", "uniform"}, {"multiplicity", multiplicity}},
             [&](std::size_t row) { return uniform_key(order(row) / multiplicity, 32, seed); });
  std::vector<std::uint64_t> sums((size + multiplicity - 1) / multiplicity);
  for (std::size_t row = 0; row < size; ++row)
    sums[order(row) / multiplicity] += column.values[row];
  column.sums_of_equal.resize(size);
  for_each_row(
      size, [&](std::size_t row) { column.sums_of_equal[row] = sums[order(row) / multiplicity]; });
  return column;
}

Column column_of(KeyArray keys, std::uint64_t seed) {
  Column column = filled(keys.size(), keys.bits(), seed, {{"keys", "given"}},
                         [&](std::size_t row) { return keys[row]; });
  add_sums_of_equal(column, rows_by_key(column.keys));
  return column;
}

Column in_key_order(Column column) {
  const std::vector<std::uint32_t> rows = rows_by_key(column.keys);
  Column sorted;
  sorted.keys = KeyArray(column.keys.bits(), column.size());
  sorted.values.resize(column.size());
  sorted.sums_of_equal.resize(column.sums_of_equal.size());
  for_each_row(rows.size(), [&](std::size_t place) {
    sorted.keys.set(place, column.keys[rows[place]]);
    sorted.values[place] = column.values[rows[place]];
    if (!column.sums_of_equal.empty())
      sorted.sums_of_equal[place] = column.sums_of_equal[rows[place]];
  });
  sorted.about = std::move(column.about);
  sorted.about["inserts"] = "sorted";
  return sorted;
}

}  // namespace rtindex::bench
