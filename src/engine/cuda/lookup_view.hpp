#pragma once

#include <cstddef>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "answers/cuda/deleted_positions.hpp"
#include "answers/values.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/interval.hpp"
#include "rows/row_bits.hpp"

namespace rtindex::cuda {

class LaunchTimes;
struct DeviceBoxes;
struct FullLookups;
struct NativeQueries;

// Lookups of a batch in device memory, in one of two forms; passed to kernels by value.
struct DeviceLookups {
  // Elements of the column's own type, an integer of 4 or 8 bytes: the encoded key of element e is
  // (e ^ flip) - base, and the column has none above the span. Encoding needs no pass over the
  // batch. For points, and for ranges of which find_edges() needs one end.
  const void* elements = nullptr;
  std::uint32_t element_bytes = 0;
  std::uint64_t flip = 0;
  std::uint64_t base = 0;
  std::uint64_t span = 0;
  // Elements or pairs that are ends of ranges are excluded.
  bool open = false;
  // Pairs of elements whose neighbours are searched, in place of intervals; in host memory.
  const PairMap* pair = nullptr;
  // KeyInterval<Key>s, in the width of the index's keys.
  const void* intervals = nullptr;
  // Of queries of intervals, whose starts lie in `intervals`: KeyInterval<Key>s in which the ends
  // lie.
  const void* ends = nullptr;
  // In place of both: queries of native intervals that kernels encode, in host memory. Lookup 0 is
  // number `first_query` there.
  const NativeQueries* queries = nullptr;
  std::size_t first_query = 0;
  // Of box queries, in host memory. Lookup 0 is number `first_box` there.
  const DeviceBoxes* boxes = nullptr;
  std::size_t first_box = 0;

  std::size_t count = 0;
  // What is compared in full, in host memory; null: nothing. Lookup 0 is number `first_full` there.
  const FullLookups* full = nullptr;
  std::size_t first_full = 0;
  RowBits deleted;               // rows that no lookup matches
  bool any_row = false;          // find_rows() need not find the first row of a key
  Counters* counters = nullptr;  // in device memory; null: nothing is counted
  LaunchTimes* times = nullptr;  // in host memory, for searchers that cast rays

  // Lookups [begin, begin + size).
  [[nodiscard]] DeviceLookups part(std::size_t begin, std::size_t size,
                                   std::size_t interval_bytes) const {
    DeviceLookups result = *this;
    result.count = size;
    result.first_full += begin;
    result.first_box += begin;
    result.first_query += begin;
    if (intervals != nullptr)
      result.intervals = static_cast<const std::byte*>(intervals) + begin * interval_bytes;
    if (ends != nullptr) result.ends = static_cast<const std::byte*>(ends) + begin * interval_bytes;
    if (elements != nullptr)
      result.elements = static_cast<const std::byte*>(elements) + begin * element_bytes;
    return result;
  }
};

// The output of sums over a value column, one per lookup.
struct SumTarget {
  const void* values = nullptr;
  Type type = Type::u64;
  MissValues miss;
  void* sums = nullptr;
};

// The output of sums of included values of integer types.
struct IncludedSumTarget {
  const unsigned long long* before = nullptr;  // the sum of the values before each position
  DeletedPositions deleted;
  const unsigned long long* deleted_sums = nullptr;  // OrderedView::deleted_sums
  Type type = Type::u64;
  MissValues miss;
  void* sums = nullptr;
};

// The output of ranks, one per query of intervals, or per element, which is then an encoded key.
struct RankTarget {
  std::uint32_t* ranks = nullptr;
  // The number of keys before the ends of its matches is subtracted; 0 remains where there are
  // none. Else ranks are set to the number of keys up to the last of their starts, or to the
  // element.
  bool subtracts = false;
};

// The output of edges of ranges, one per lookup.
struct EdgeTarget {
  Edge edge = Edge::first;
  DeletedPositions deleted;
  std::uint32_t* rows = nullptr;  // miss_row where a range has no valid row
  std::uint64_t* keys = nullptr;  // the encoded keys of these rows; null: not requested
};

}  // namespace rtindex::cuda
