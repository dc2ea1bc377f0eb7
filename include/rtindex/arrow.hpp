#pragma once

/// \file
/// Arrow: columns from arrays of Arrow's C Data Interface, and columns and answers as such arrays.
/// Arrow C++, pyarrow, Polars, DuckDB and many others exchange them without a copy.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <rtindex/arrow.h>
#include <rtindex/answer.hpp>
#include <rtindex/column.hpp>
#include <rtindex/device.hpp>
#include <rtindex/export.hpp>
#include <rtindex/index.hpp>

namespace rtindex {

/// A column in the memory of Arrow arrays.
struct ArrowColumn {
  /// One view for each array, in their order; at least one. A struct or table is a composite.
  std::vector<ColumnView> chunks;
  /// Owns the arrays: the views are valid as long as it lives.
  std::shared_ptr<const void> owner;
};

/// Views an array in place. Bools are copied, from bits to bytes; strings without offsets get an
/// array of views; elements that are not aligned are copied. In device memory only arrays are
/// viewed that need none of this, and their `sync_event` is left to the caller.
///
/// Both structs are moved from: `owner` releases the array, and a call that throws releases both.
/// Throws `Error` where the type is unsupported, where the array has been released, or where its
/// buffers and children are not those of its type. The sizes of buffers are trusted: Arrow does not
/// say how long they are.
[[nodiscard]] RTINDEX_API ArrowColumn import_arrow(ArrowSchema* schema, ArrowArray* array,
                                                   MemorySpace space = MemorySpace::host);
/// \overload Reads all arrays of a stream, which is moved from and released.
[[nodiscard]] RTINDEX_API ArrowColumn import_arrow(ArrowArrayStream* stream);

/// Exports a column. Elements stay where they are; strings, bools and validity bitmaps that do not
/// start at a byte are copied to Arrow's layout. The receiver releases both structs; the array
/// keeps `owner` of the column's memory until then. A null `schema`: not wanted. `time_zone` is the
/// zone of a column of timestamps, empty for none.
RTINDEX_API void export_arrow(const ColumnView& column, const std::shared_ptr<const void>& owner,
                              ArrowSchema* schema, ArrowArray* array,
                              std::string_view time_zone = {});
/// \overload Lists of rowIDs as large_list<uint32>: list i is `rows[offsets[i] .. offsets[i+1])`.
RTINDEX_API void export_arrow(std::span<const std::uint64_t> offsets,
                              std::span<const std::uint32_t> rows,
                              const std::shared_ptr<const void>& owner, ArrowSchema* schema,
                              ArrowArray* array);
/// \overload Answers of an index as a struct with a field for each answer, by its name. With
/// `AnswerOptions::matched`, queries without a match are null in `any`, `first`, `sum`, `min` and
/// `max`. `key` has the time units of the index. `min` and `max` of decimals, dates, times and
/// durations have the type of the values, and so has `sum` of decimals and durations; decimals have
/// 128 bits. In dates and times of 32 bits a miss value is clamped to int32.
RTINDEX_API void export_arrow(const Index& index, Answers answers, ArrowSchema* schema,
                              ArrowArray* array);

}  // namespace rtindex
