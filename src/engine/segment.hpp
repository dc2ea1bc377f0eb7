#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <rtindex/column.hpp>
#include <rtindex/device.hpp>

#include "engine/searcher.hpp"
#include "keys/codec.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex {

// Some rows of an index: their keys as a codec encodes them, in a searcher. rowIDs are those of the
// index.
struct Segment {
  std::shared_ptr<KeyCodec> codec;
  std::shared_ptr<Searcher> searcher;
  // Rows of the searcher that were erased or superseded since: every query skips them, and a merge
  // drops them.
  RowBitmapPtr deleted;

  [[nodiscard]] std::size_t keys() const { return searcher->size(); }
};

// A new segment, and those of its rows whose keys are null.
struct NewSegment {
  Segment segment;
  RowBitmapPtr nulls;
};

// Rows that get keys, included values or both. All columns lie in one memory space.
struct NewRows {
  // Row rows[i], or row first + i where rows are not set, gets element i. Checked: see CheckedRows.
  ColumnView rows;
  std::uint32_t first = 0;
  std::size_t count = 0;
  // Of the column's type, or one that compares with it; not set: every row keeps its key.
  ColumnView keys;
  // Of the types of the included columns, one for each, or none; not set: every row keeps its
  // value.
  std::vector<ColumnView> include;
  // The change that adds the segment also merges it: it is never searched.
  bool merged_at_once = false;
  Stream stream;  // on which all of them may still be written, in device memory
};

// The current states of all rows of an index.
struct RowStates {
  std::size_t rows = 0;  // their number, erased and null ones included
  RowBitmapPtr erased;
  RowBitmapPtr nulls;  // not erased, but without a key
};

}  // namespace rtindex
