#include "workload/column.hpp"

#include <utility>

namespace rtindex::bench {

namespace {

// Keys by row, and their values.
template <class KeyRule>
Column filled(Place& place, std::size_t size, int bits, std::uint64_t seed, nlohmann::json about,
              const KeyRule& rule) {
  Column column;
  column.keys = KeyArray(place, bits, size);
  column.values = PlacedArray<std::uint32_t>(place, size);
  place.run(FillKeys<KeyRule>{rule, column.keys.data()}, size);
  place.run(FillValues{seed, column.values.data()}, size);
  about.update({{"key_count", size}, {"key_bits", bits}, {"seed", seed}});
  column.about = std::move(about);
  return column;
}

PlacedArray<std::uint32_t> rows_by_key(const KeyArray& keys) {
  PlacedArray<std::uint32_t> rows(keys.place(), keys.size());
  keys.place().order_by_key(keys.data(), keys.size(), keys.size(), rows.data());
  return rows;
}

KeyArray gathered(const KeyArray& keys, const PlacedArray<std::uint32_t>& rows) {
  KeyArray to(keys.place(), keys.bits(), keys.size());
  keys.place().run(GatherKeys{keys.data(), rows.data(), to.data()}, rows.size());
  return to;
}

template <class T>
PlacedArray<T> gathered(const PlacedArray<T>& values, const PlacedArray<std::uint32_t>& rows) {
  if (values.empty()) return {};
  PlacedArray<T> to(values.place(), values.size());
  values.place().run(Gather<T>{values.data(), rows.data(), to.data()}, rows.size());
  return to;
}

void add_sums_of_equal(Column& column) {
  const Ranked ranked(column);
  column.sums_of_equal = PlacedArray<std::uint64_t>(column.place(), column.size());
  const EqualKeys rule{column.keys.data(), ranked.data()};
  column.place().run(FillLookups<EqualKeys>{rule, {}, {}, column.sums_of_equal.data()},
                     column.size());
}

}  // namespace

Column dense_column(Place& place, std::size_t size, int bits, std::uint64_t seed,
                    std::uint64_t stride) {
  return filled(place, size, bits, seed, {{"keys", "dense, shuffled"}, {"stride", stride}},
                DenseKeys{Permutation(size, seed), stride});
}

Column uniform_column(Place& place, std::size_t size, int bits, std::uint64_t seed) {
  return filled(place, size, bits, seed, {{"keys", "uniform"}}, UniformKeys{bits, seed, 0});
}

Column middle_column(Place& place, std::size_t size, std::uint64_t seed) {
  constexpr std::uint64_t quarter = std::uint64_t{1} << 30;
  return filled(place, size, 32, seed, {{"keys", "uniform, middle half"}},
                UniformKeys{31, seed, quarter});
}

Column clustered_column(Place& place, std::size_t size, double uniform_share, std::uint64_t seed) {
  const auto uniform = static_cast<std::size_t>(uniform_share * static_cast<double>(size));
  const std::uint64_t dense = size - uniform;
  const std::uint64_t centre = (std::uint64_t{1} << 31) - dense / 2;
  const Permutation others((std::uint64_t{1} << 32) - dense, seed);
  return filled(place, size, 32, seed, {{"keys", "dense centre"}, {"uniform_share", uniform_share}},
                ClusteredKeys{Permutation(size, mixed(seed)), dense, centre, others});
}

Column repeated_column(Place& place, std::size_t size, std::size_t multiplicity,
                       std::uint64_t seed) {
  Column column =
      filled(place, size, 32, seed, {{"keys", "uniform"}, {"multiplicity", multiplicity}},
             RepeatedKeys{Permutation(size, seed + 1), multiplicity, seed});
  add_sums_of_equal(column);
  return column;
}

Column column_of(KeyArray keys, std::uint64_t seed) {
  Column column;
  column.keys = std::move(keys);
  column.values = PlacedArray<std::uint32_t>(column.place(), column.size());
  column.place().run(FillValues{seed, column.values.data()}, column.size());
  column.about = {{"keys", "given"},
                  {"key_count", column.size()},
                  {"key_bits", column.keys.bits()},
                  {"seed", seed}};
  add_sums_of_equal(column);
  return column;
}

Column in_key_order(const Column& column) {
  const PlacedArray<std::uint32_t> rows = rows_by_key(column.keys);
  Column sorted{gathered(column.keys, rows), gathered(column.values, rows),
                gathered(column.sums_of_equal, rows), column.about};
  sorted.about["inserts"] = "sorted";
  return sorted;
}

Ranked::Ranked(const Column& column) : sums_(column.place(), column.size() + 1) {
  const PlacedArray<std::uint32_t> rows = rows_by_key(column.keys);
  keys_ = gathered(column.keys, rows);
  const PlacedArray<std::uint32_t> values = gathered(column.values, rows);
  column.place().running_sums(values.data(), values.size(), sums_.data());
}

}  // namespace rtindex::bench
