#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <rtindex/column.hpp>

#include "engine/structure.hpp"
#include "keys/codec.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex {

// Some rows of an index: their keys as a codec encodes them, in a structure that never changes
// (but for update=refit). rowIDs are those of the index.
struct Segment {
  std::shared_ptr<KeyCodec> codec;
  std::shared_ptr<Structure> structure;
  // Rows that the structure holds but that were erased or got another key since: every lookup skips
  // them, and a merge drops them.
  RowBitmapPtr deleted;

  [[nodiscard]] std::size_t keys() const { return structure->size(); }
};

// Rows that get keys, included values or both. All columns lie in one memory space.
struct NewRows {
  // Row rows[i], or row first + i where no rows are given, gets element i. Checked: see
  // CheckedRows.
  ColumnView rows;
  std::uint32_t first = 0;
  std::size_t count = 0;
  // Of the column's type, or one that compares with it; not given: every row keeps its key.
  ColumnView keys;
  // Of the type of the included values; not given: every row keeps its value.
  ColumnView include;
  // The segment is merged with others at once: it needs nothing that only lookups need.
  bool only_merged = false;
  Stream stream;  // on which all of them may still be written, in device memory
};

// A new segment, and those of its rows whose keys are null.
struct NewSegment {
  Segment segment;
  RowBitmapPtr nulls;
};

// The rows of a change, which are there, are named once and are not erased.
struct CheckedRows {
  RowBitmapPtr named;
  std::size_t nulls = 0;  // how many of them have a null key
};

// What the rows of an index are at present.
struct RowStates {
  std::size_t rows = 0;  // their number, erased and null ones included
  RowBitmapPtr erased;
  RowBitmapPtr nulls;                    // not erased, but without a key
  std::shared_ptr<DeviceMemory> memory;  // of row bitmaps on a GPU; null: the default
};

}  // namespace rtindex
