#pragma once

/// \file
/// Partitions: a column split into ranges of keys, each with an index of its own, because it has
/// more rows than one index holds or lies on several machines. These functions route keys to
/// partitions and bring answers back into the order of the lookups. All arrays are in host memory;
/// `threads` is the most threads to use, 0 for all.

#include <cstddef>
#include <cstdint>
#include <span>

#include <rtindex/column.hpp>
#include <rtindex/export.hpp>

namespace rtindex {

/// The most bounds between partitions; partitions are numbered in 16 bits.
inline constexpr std::size_t max_partition_bounds = 65535;

/// Where partitions begin, in the order of keys and then of rows: partition 0 holds what is before
/// the first bound, partition i + 1 begins with bound i.
struct PartitionBounds {
  /// 1 to `max_partition_bounds` keys of a native type, ascending, without nulls.
  ColumnView keys;
  /// Among rows with the key of bound i, partition i + 1 begins at rows[i]. Empty: keys alone
  /// decide, and a partition holds all rows with the key of its bound.
  std::span<const std::uint64_t> rows = {};
};

/// The partition of each key. `keys[i]`, of the type of the bounds and not null, is in row
/// `first_row + i`. `partitions` has an entry for each key.
RTINDEX_API void find_partitions(const ColumnView& keys, const PartitionBounds& bounds,
                                 std::uint64_t first_row, std::span<std::uint16_t> partitions,
                                 int threads = 0);

/// Copies elements of a native type in the order of their partitions, those of one partition in
/// their own order: partition i is at [starts[i], starts[i + 1]). `starts` has one entry more than
/// there are partitions, and each of `partitions` must be less than their number. `to` receives the
/// elements, `positions` where each of them was; a null pointer: not wanted.
RTINDEX_API void group_by_partition(std::span<const std::uint16_t> partitions,
                                    const ColumnView& elements, void* to, std::uint32_t* positions,
                                    std::span<std::uint64_t> starts, int threads = 0);

/// The elements of adjacent partitions, one partition after the other.
struct PartitionSlice {
  ColumnView elements;         ///< of a native type
  std::size_t partitions = 0;  ///< how many partitions
};

/// What to do with rowIDs of 32 bits that are copied into an array of 64 bits.
enum class Widen : std::uint8_t {
  numbers,  ///< keep their value
  rows,     ///< keep their value, but `miss_row` becomes 2^64 - 1
};

/// The reverse of `group_by_partition`: to[i] is the next element of partition `partitions[i]`. The
/// slices are those of all partitions, in order, and have elements of one width: `width` bytes, as
/// `to`, or 4 bytes where `to` has 8.
RTINDEX_API void ungroup_partitions(std::span<const std::uint16_t> partitions,
                                    std::span<const PartitionSlice> slices, void* to,
                                    std::size_t width, Widen widen = Widen::numbers,
                                    int threads = 0);

/// RowIDs as numbers of 64 bits; `miss_row` becomes 2^64 - 1.
RTINDEX_API void widen_rows(std::span<const std::uint32_t> rows, std::span<std::uint64_t> to,
                            int threads = 0);

/// RowIDs of the index of a partition as rows of the whole column: to[i] = rows[local[i]], or the
/// largest number of its type where local[i] is `miss_row`. `rows` are uint32 or uint64, and `to`
/// is an array of the same type.
RTINDEX_API void global_rows(std::span<const std::uint32_t> local, const ColumnView& rows, void* to,
                             int threads = 0);

}  // namespace rtindex
