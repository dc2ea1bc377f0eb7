#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "base/macros.hpp"
#include "workload/distribution_rules.hpp"
#include "workload/key_rules.hpp"
#include "workload/lookup_rules.hpp"
#include "workload/ranked_rules.hpp"

namespace rtindex::bench {

// Element-wise tasks of an execution space. Each is plain data with a call operator for host and
// device; a null array is not written.

template <class KeyRule>
struct FillKeys {
  KeyRule key_of;
  KeyData keys;
  RTINDEX_HD void operator()(std::size_t row) const { keys.set(row, key_of(row)); }
};

struct FillValues {
  std::uint64_t seed;
  std::uint32_t* values;
  RTINDEX_HD void operator()(std::size_t row) const { values[row] = value_at(seed, row); }
};

template <class LookupRule>
struct FillLookups {
  LookupRule draw;
  KeyData lower, upper;
  std::uint64_t* expected;
  RTINDEX_HD void operator()(std::size_t number) const {
    const Drawn drawn = draw(number);
    if (lower.data != nullptr) lower.set(number, drawn.lower);
    if (upper.data != nullptr) upper.set(number, drawn.upper);
    expected[number] = drawn.expected;
  }
};

// The rows of a changing table from a position on.
struct FillRows {
  TableOrder order;
  std::uint64_t first;
  std::uint32_t* rows;
  RTINDEX_HD void operator()(std::size_t i) const {
    rows[i] = static_cast<std::uint32_t>(order(first + i));
  }
};

// to[i] = from[order[i]]
template <class T>
struct Gather {
  const T* from;
  const std::uint32_t* order;
  T* to;
  RTINDEX_HD void operator()(std::size_t i) const { to[i] = from[order[i]]; }
};

// Rows as numbers that can be compared with expected ones.
struct WidenRows {
  const std::uint32_t* rows;
  std::uint64_t* numbers;
  RTINDEX_HD void operator()(std::size_t i) const { numbers[i] = rows[i]; }
};

// The keys of the rows that lookups found, to be compared with those looked up.
struct KeysOfRows {
  KeyData keys;
  std::uint64_t size;
  const std::uint32_t* rows;
  const std::uint64_t* expected;
  std::uint64_t* found;
  RTINDEX_HD void operator()(std::size_t i) const {
    found[i] = rows[i] < size ? keys[rows[i]] : ~expected[i];
  }
};

struct GatherKeys {
  KeyData from;
  const std::uint32_t* order;
  KeyData to;
  RTINDEX_HD void operator()(std::size_t i) const { to.set(i, from[order[i]]); }
};

// keys[rows[i]] = new_keys[i]
struct ScatterKeys {
  KeyData new_keys;
  const std::uint32_t* rows;
  KeyData keys;
  RTINDEX_HD void operator()(std::size_t i) const { keys.set(rows[i], new_keys[i]); }
};

// Swaps the keys of pairs of neighbours, chosen at random.
struct FillSwaps {
  Permutation choice;  // of pairs
  KeyData keys;
  const std::uint32_t* order;  // in which rows are neighbours; null: row order
  std::uint32_t* rows;
  KeyData new_keys;
  RTINDEX_HD void operator()(std::size_t i) const {
    const std::uint64_t mine = 2 * choice(i / 2) + i % 2;
    rows[i] = row_at(mine);
    new_keys.set(i, keys[row_at(mine ^ 1)]);
  }
  [[nodiscard]] RTINDEX_HD std::uint32_t row_at(std::uint64_t position) const {
    return order != nullptr ? order[position] : static_cast<std::uint32_t>(position);
  }
};

using Task = std::variant<
    FillKeys<DenseKeys>, FillKeys<UniformKeys>, FillKeys<ClusteredKeys>, FillKeys<RepeatedKeys>,
    FillKeys<TableKeys>, FillValues, FillRows, FillLookups<TableHits>, FillLookups<UniformHits>,
    FillLookups<ZipfHits>, FillLookups<SomeHits<InsideKeys>>, FillLookups<SomeHits<OutsideKeys>>,
    FillLookups<RangesOfHits>, FillLookups<RangesOverRows>, FillLookups<RangesOfSpan>,
    FillLookups<EqualKeys>, Gather<std::uint32_t>, Gather<std::uint64_t>, GatherKeys, ScatterKeys,
    FillSwaps, WidenRows, FillKeys<GroupKeys>, FillKeys<PairedKeys>, FillLookups<NeighbourRows>,
    FillKeys<LognormalKeys>, FillKeys<LongTailKeys>, FillKeys<ClusterKeys>, FillKeys<OutlierKeys>,
    FillKeys<ZipfKeys>, FillKeys<PieceKeys>, FillPieces, FillLookups<HitKeys>, KeysOfRows,
    FillKeys<RankedColumn>, FillRanks, DrawRanked, CheckRanked>;

}  // namespace rtindex::bench
