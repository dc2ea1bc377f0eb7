#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include <rtindex/index.hpp>

#include "base/array.hpp"
#include "engine/segment.hpp"
#include "file/stored.hpp"
#include "rows/check_rows.hpp"

namespace rtindex {

// A searcher from a file: opened as it was saved, or built again from its column.
struct LoadedSearcher {
  std::unique_ptr<Searcher> searcher;
  bool rebuilt;
};

// The keys of an update in place, encoded by the segment's codec.
struct Refit {
  Changes changes;
  std::uint64_t span = 0;         // the largest key of the segment from now on
  std::shared_ptr<void> storage;  // that `changes` points to
};

// Makes the segments of one index, in the memory of its engine. A call that throws has changed
// nothing.
class SegmentBuilder {
 public:
  virtual ~SegmentBuilder() = default;

  // The first segment of an index, over a whole column in host or device memory.
  [[nodiscard]] virtual NewSegment build(const ColumnView& column,
                                         const BuildOptions& options) const = 0;
  // A segment of rows that get new keys, new included values or both. A key or value that a row
  // keeps is copied from the current segments, in which the row must not be deleted yet.
  // `row_count`: of the index, the new rows included.
  [[nodiscard]] virtual NewSegment build_rows(const NewRows& rows, std::span<const Segment> current,
                                              std::size_t row_count) const = 0;
  // One segment in place of several neighbouring ones, without their deleted rows. `is_all`: they
  // are all segments of the index.
  [[nodiscard]] virtual Segment merge(std::span<const Segment> segments, std::size_t row_count,
                                      bool is_all) const = 0;
  // Loads a searcher that was saved.
  [[nodiscard]] virtual LoadedSearcher load(const FileReader& file, const KeyCodec& codec,
                                            std::size_t rows) const = 0;
  [[nodiscard]] virtual RowBitmapPtr load_bitmap(Array<std::uint32_t> words,
                                                 std::size_t rows) const = 0;
  // The rows of a change as a bitmap. Throws an Error for a row that does not exist, that is erased
  // or that is listed twice.
  [[nodiscard]] virtual CheckedRows check_rows(const ColumnView& rows, const RowStates& states,
                                               Stream stream) const = 0;
  // Checks the rows of a change in the same way, and adds them to bitmaps of the index.
  [[nodiscard]] virtual MarkedRows mark_rows(const ColumnView& rows, const RowStates& states,
                                             std::span<const RowBitmapPtr> bitmaps,
                                             Stream stream) const {
    const CheckedRows checked = check_rows(rows, states, stream);
    MarkedRows marked{{}, checked.nulls};
    for (const RowBitmapPtr& bitmap : bitmaps)
      marked.bitmaps.push_back(union_of(bitmap, checked.named));
    return marked;
  }
  // New keys for rows of a segment, to be refitted in place; none where its searcher cannot refit
  // them. All rows have keys.
  [[nodiscard]] virtual std::optional<Refit> plan_refit(const Segment& segment,
                                                        const ColumnView& rows,
                                                        const ColumnView& new_keys,
                                                        Stream stream) const = 0;
};

}  // namespace rtindex
