#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <rtindex/column.hpp>

#include "base/cuda/device_array.hpp"
#include "keys/composite_map.hpp"
#include "keys/interval.hpp"
#include "keys/native_map.hpp"

namespace rtindex::cuda {

// Elements in device memory, with a validity bitmap or without.
struct DeviceElements {
  const void* data = nullptr;
  ElementType type{};
  const std::uint8_t* validity = nullptr;
  std::size_t validity_offset = 0;
  std::size_t size = 0;
};

// The rowIDs of elements: element i is row `first + i`, or the i-th of the rows that are listed.
struct RowIds {
  const std::uint32_t* rows = nullptr;
  std::uint32_t first = 0;

  // Whether element i is row i.
  [[nodiscard]] bool is_identity() const { return rows == nullptr && first == 0; }
#if defined(__CUDACC__)
  [[nodiscard]] __device__ std::uint32_t operator[](std::size_t i) const {
    return rows == nullptr ? first + static_cast<std::uint32_t>(i) : rows[i];
  }
#endif
};

// The ordered_bits() of the smallest and largest valid key; smallest > largest if there is none.
struct DeviceExtent {
  std::uint64_t smallest, largest;
  std::size_t valid;
  // 0: no key is null or less than the one before it.
  std::uint32_t descends = 1;
};

// Blocks until it is computed.
[[nodiscard]] DeviceExtent extent_of(const DeviceElements& column, const Queue& queue);

// The encoded keys of some rows of an index, and their rowIDs.
struct DeviceColumn {
  DeviceArray<std::uint32_t> narrow;  // keys of 4 bytes, or
  DeviceArray<std::uint64_t> wide;    // of 8, both maybe with room after them, or
  DeviceArray<std::uint64_t> pairs;   // keys of 4 bytes with their rows: key << 32 | row
  DeviceArray<std::uint32_t> rows;    // empty: key i is row i
  std::size_t size = 0;               // keys
  std::size_t row_count = 0;          // of the index; no rowID is as large
  std::uint64_t span = 0;
  bool rows_ascend = true;

  [[nodiscard]] bool is_wide() const { return rtindex::is_wide(span); }
};

// Room for more keys behind those of a column. With their rows, keys of 4 bytes become pairs, and
// those of 8 get the memory of as many KeyBlocks.
struct KeyRoom {
  std::size_t keys = 0;
  bool with_rows = false;
};

// The valid elements of a column, as rows of an index with `row_count` rows.
[[nodiscard]] DeviceColumn encode_column(const DeviceElements& column, const NativeMap& map,
                                         std::size_t valid, RowIds ids, std::size_t row_count,
                                         KeyRoom room, const Queue& queue);

// Keys of another type as those of a column.
struct NewKeys {
  // Their ordered_bits() in the column minus a base; unspecified for nulls.
  DeviceArray<std::uint64_t> keys;
  DeviceExtent extent;
  std::optional<std::size_t> unfit;  // the first that the column's type cannot hold
};

// Blocks until it is computed.
[[nodiscard]] NewKeys convert_keys(const DeviceElements& keys, ElementType column,
                                   std::uint64_t base, const Queue& queue);

// The null elements of a column, ascending; `count` is their number.
[[nodiscard]] DeviceArray<std::uint32_t> null_elements(const DeviceElements& column,
                                                       std::size_t count, const Queue& queue);

// Lookups on a native column. `upper` is `lower` for points; an end without data is unlimited.
struct NativeLookups {
  DeviceElements lower, upper;
  RangeEnds ends;
  NativeMap map;
};

// Lookups [0, size) as intervals.
template <class Key>
void encode_lookups(const NativeLookups& lookups, KeyInterval<Key>* intervals, cudaStream_t stream);

// Lookups on several columns, all of one size, by one kernel: the intervals of one column behind
// those of the one before.
inline constexpr std::size_t max_encoded_columns = 8;
void encode_lookups(std::span<const NativeLookups> columns, KeyInterval<std::uint64_t>* intervals,
                    cudaStream_t stream);

// Tuples of native parts, strings and keys of 128 bits in device memory; without parts: an
// unlimited end.
struct DeviceTuples {
  PackedEnd end;
  // The validity of the tuples and of their parts, where they have bitmaps.
  struct Validity {
    const std::uint8_t* bits;
    std::size_t offset;
  };
  Validity validity[PackedMap::max_fields + 1] = {};
  std::size_t validity_count = 0;
  std::size_t size = 0;
};

// Tuples [first, first + count) of a column, which has one part if it is not composite. Strings are
// in Arrow's layout.
[[nodiscard]] DeviceTuples device_tuples(const ColumnView& column, std::size_t first,
                                         std::size_t count);

// Encodes tuples; `checks` (Check flags) may be null where no key is compared in full.
template <class Key>
void encode_lookups(const DeviceTuples& lower, const DeviceTuples& upper, RangeEnds ends,
                    const PackedMap& map, KeyInterval<Key>* intervals, std::uint8_t* checks,
                    bool are_points, cudaStream_t stream);

}  // namespace rtindex::cuda
