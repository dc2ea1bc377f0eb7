#include "workload/swaps.hpp"

#include <numeric>

#include <rtindex/error.hpp>

#include "workload/random.hpp"

namespace rtindex::bench {

namespace {

// The rows in the order in which neighbours are looked for.
std::vector<std::uint32_t> rows_in_order(const Column& column, Neighbours neighbours) {
  std::vector<std::uint32_t> rows(column.size());
  std::iota(rows.begin(), rows.end(), 0U);
  if (neighbours == Neighbours::positions) return rows;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    const std::uint64_t rank = column.keys[row];
    if (rank >= rows.size()) throw Error("neighbouring keys are swapped in dense columns only");
    rows[rank] = row;
  }
  return rows;
}

}  // namespace

Swaps random_swaps(const Column& column, std::size_t pairs, Neighbours neighbours,
                   std::uint64_t seed) {
  const std::size_t available = column.size() / 2;
  if (pairs > available) throw Error("there are fewer pairs of rows than swaps asked for");
  const std::vector<std::uint32_t> rows = rows_in_order(column, neighbours);
  const Permutation choice(available, seed);
  Swaps swaps;
  swaps.rows.resize(2 * pairs);
  swaps.new_keys = KeyArray(column.keys.bits(), 2 * pairs);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const std::size_t first = 2 * choice(pair);
    swaps.rows[2 * pair] = rows[first];
    swaps.rows[2 * pair + 1] = rows[first + 1];
    swaps.new_keys.set(2 * pair, column.keys[rows[first + 1]]);
    swaps.new_keys.set(2 * pair + 1, column.keys[rows[first]]);
  }
  return swaps;
}

void apply(const Swaps& swaps, Column& column) {
  for (std::size_t i = 0; i < swaps.rows.size(); ++i)
    column.keys.set(swaps.rows[i], swaps.new_keys[i]);
}

}  // namespace rtindex::bench
