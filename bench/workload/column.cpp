#include "workload/column.hpp"

#include <utility>

#include <rtindex/error.hpp>

namespace rtindex::bench {

namespace {

// Keys by row, and their values.
template <class KeyRule>
Column filled(ExecutionSpace& space, std::size_t size, int bits, std::uint64_t seed,
              nlohmann::json about, const KeyRule& rule) {
  Column column;
  column.keys = KeyArray(space, bits, size);
  column.values = WorkloadArray<std::uint32_t>(space, size);
  space.run(FillKeys<KeyRule>{rule, column.keys.data()}, size);
  space.run(FillValues{seed, column.values.data()}, size);
  about.update({{"key_count", size}, {"key_bits", bits}, {"seed", seed}});
  column.about = std::move(about);
  return column;
}

WorkloadArray<std::uint32_t> rows_by_key(const KeyArray& keys) {
  WorkloadArray<std::uint32_t> rows(keys.space(), keys.size());
  keys.space().order_by_key(keys.data(), keys.size(), keys.size(), rows.data());
  return rows;
}

KeyArray gathered(const KeyArray& keys, const WorkloadArray<std::uint32_t>& rows) {
  KeyArray to(keys.space(), keys.bits(), rows.size());
  keys.space().run(GatherKeys{keys.data(), rows.data(), to.data()}, rows.size());
  return to;
}

template <class T>
WorkloadArray<T> gathered(const WorkloadArray<T>& values,
                          const WorkloadArray<std::uint32_t>& rows) {
  if (values.empty()) return {};
  WorkloadArray<T> to(values.space(), rows.size());
  values.space().run(Gather<T>{values.data(), rows.data(), to.data()}, rows.size());
  return to;
}

void add_sums_of_equal(Column& column) {
  const Ranked ranked(column);
  column.sums_of_equal = WorkloadArray<std::uint64_t>(column.space(), column.size());
  const EqualKeys rule{column.keys.data(), ranked.data()};
  column.space().run(FillLookups<EqualKeys>{rule, {}, {}, column.sums_of_equal.data()},
                     column.size());
}

}  // namespace

Column dense_column(ExecutionSpace& space, std::size_t size, int bits, std::uint64_t seed,
                    std::uint64_t stride) {
  return filled(space, size, bits, seed, {{"keys", "dense, shuffled"}, {"stride", stride}},
                DenseKeys{Permutation(size, seed), stride});
}

Column uniform_column(ExecutionSpace& space, std::size_t size, int bits, std::uint64_t seed) {
  return filled(space, size, bits, seed, {{"keys", "uniform"}}, UniformKeys{bits, seed, 0});
}

Column middle_column(ExecutionSpace& space, std::size_t size, std::uint64_t seed) {
  constexpr std::uint64_t quarter = std::uint64_t{1} << 30;
  return filled(space, size, 32, seed, {{"keys", "uniform, middle half"}},
                UniformKeys{31, seed, quarter});
}

Column clustered_column(ExecutionSpace& space, std::size_t size, double uniform_share,
                        std::uint64_t seed) {
  const auto uniform = static_cast<std::size_t>(uniform_share * static_cast<double>(size));
  const std::uint64_t dense = size - uniform;
  const std::uint64_t centre = (std::uint64_t{1} << 31) - dense / 2;
  const Permutation others((std::uint64_t{1} << 32) - dense, seed);
  return filled(space, size, 32, seed, {{"keys", "dense centre"}, {"uniform_share", uniform_share}},
                ClusteredKeys{Permutation(size, mixed(seed)), dense, centre, others});
}

Column repeated_column(ExecutionSpace& space, std::size_t size, std::size_t multiplicity,
                       std::uint64_t seed) {
  Column column =
      filled(space, size, 32, seed, {{"keys", "uniform"}, {"multiplicity", multiplicity}},
             RepeatedKeys{Permutation(size, seed + 1), multiplicity, seed});
  add_sums_of_equal(column);
  return column;
}

Column column_of(KeyArray keys, std::uint64_t seed) {
  Column column;
  column.keys = std::move(keys);
  column.values = WorkloadArray<std::uint32_t>(column.space(), column.size());
  column.space().run(FillValues{seed, column.values.data()}, column.size());
  column.about = {{"keys", "given"},
                  {"key_count", column.size()},
                  {"key_bits", column.keys.bits()},
                  {"seed", seed}};
  add_sums_of_equal(column);
  return column;
}

Column in_key_order(const Column& column) {
  const WorkloadArray<std::uint32_t> rows = rows_by_key(column.keys);
  Column sorted{gathered(column.keys, rows), gathered(column.values, rows),
                gathered(column.sums_of_equal, rows), column.about};
  sorted.about["inserts"] = "sorted";
  return sorted;
}

Column rows_of(const Column& column, const WorkloadArray<std::uint32_t>& rows) {
  return {gathered(column.keys, rows), gathered(column.values, rows), {}, column.about};
}

Ranked::Ranked(const Column& column) : sums_(column.space(), column.size() + 1) {
  const WorkloadArray<std::uint32_t> rows = rows_by_key(column.keys);
  keys_ = gathered(column.keys, rows);
  const WorkloadArray<std::uint32_t> values = gathered(column.values, rows);
  column.space().prefix_sums(values.data(), values.size(), sums_.data());
}

Swaps random_swaps(const Column& column, std::size_t pairs, Neighbours neighbours,
                   std::uint64_t seed) {
  const std::size_t available = column.size() / 2;
  if (pairs > available) throw Error("too many swaps: expected at most one per pair of rows");
  ExecutionSpace& space = column.space();
  WorkloadArray<std::uint32_t> order;
  if (neighbours == Neighbours::keys) {
    order = WorkloadArray<std::uint32_t>(space, column.size());
    space.order_by_key(column.keys.data(), column.size(), column.size(), order.data());
  }
  Swaps swaps{WorkloadArray<std::uint32_t>(space, 2 * pairs),
              KeyArray(space, column.keys.bits(), 2 * pairs)};
  space.run(FillSwaps{Permutation(available, seed), column.keys.data(), order.data(),
                      swaps.rows.data(), swaps.new_keys.data()},
            2 * pairs);
  return swaps;
}

void apply(const Swaps& swaps, Column& column) {
  column.space().run(ScatterKeys{swaps.new_keys.data(), swaps.rows.data(), column.keys.data()},
                     swaps.rows.size());
}

}  // namespace rtindex::bench
