#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "answers/cuda/deleted_positions.hpp"
#include "answers/cuda/run.hpp"
#include "base/macros.hpp"

namespace rtindex::cuda {

// The rows that lookups match in one segment: run i, without the deleted ones.
struct RowSource {
  const Run* runs = nullptr;
  RowsView rows;
  DeletedPositions deleted;
  KeysView keys;  // set if rows are requested in key order; comparable between segments
  // Where runs are not of positions in key order: these, by position of the runs.
  const std::uint32_t* positions = nullptr;

  [[nodiscard]] RTINDEX_HD std::uint32_t valid_in(std::size_t lookup) const {
    const Run run = runs[lookup];
    return deleted.blocks == nullptr ? run.end - run.begin : deleted.valid_in(run);
  }
};

// The rows that lookups match in all segments.
struct RowSources {
  static constexpr std::uint32_t max_segments = 16;

  RowSource sources[max_segments];
  std::uint32_t count = 0;
  RowOrder order = RowOrder::any;

  [[nodiscard]] static RowSources of(const RowSource& only) {
    RowSources all;
    all.sources[all.count++] = only;
    return all;
  }
  // How many rows of a lookup are returned.
  [[nodiscard]] RTINDEX_HD std::uint32_t rows_of(std::size_t lookup, std::uint32_t limit) const {
    std::uint64_t rows = 0;
    for (std::uint32_t i = 0; i < count; ++i) rows += sources[i].valid_in(lookup);
    return rows < limit ? static_cast<std::uint32_t>(rows) : limit;
  }
};

// Iterates over the rows of one lookup, segment by segment, from the nth on. next() must not be
// called after the last row.
class RowCursor {
 public:
  RTINDEX_HD RowCursor(const RowSources& from, std::size_t lookup, std::uint32_t nth)
      : from_(&from), lookup_(lookup) {
    enter(nth);
  }

  [[nodiscard]] RTINDEX_HD std::uint32_t next() {
    if (left_ == 0) {
      ++source_;
      enter(0);
    }
    const RowSource& source = from_->sources[source_];
    const std::uint32_t row = source.rows[run_.begin];
    --left_;
    ++run_.begin;
    if (left_ != 0 && source.deleted.blocks != nullptr)
      run_.begin = source.deleted.first_valid(run_);
    return row;
  }

 private:
  // From the current segment on, to the nth row.
  RTINDEX_HD void enter(std::uint32_t nth) {
    for (;; ++source_) {
      const RowSource& source = from_->sources[source_];
      const std::uint32_t rows = source.valid_in(lookup_);
      if (nth < rows) {
        run_ = source.runs[lookup_];
        left_ = rows - nth;
        run_.begin = source.deleted.blocks == nullptr ? run_.begin + nth
                                                      : source.deleted.valid_at(run_, nth);
        return;
      }
      nth -= rows;
    }
  }

  const RowSources* from_;
  std::size_t lookup_;
  std::uint32_t source_ = 0;
  Run run_{0, 0};           // from the next row on
  std::uint32_t left_ = 0;  // valid rows of the run
};

// Iterates over the rows of one lookup in the order of keys and then of rows, or in the reverse
// order. Rows of several segments are merged, so that starting at the nth needs n steps.
class OrderedRowCursor {
 public:
  RTINDEX_HD OrderedRowCursor(const RowSources& from, std::size_t lookup, std::uint32_t nth)
      : from_(&from), is_descending_(from.order == RowOrder::descending) {
    for (std::uint32_t i = 0; i < from.count; ++i) {
      runs_[i] = from.sources[i].runs[lookup];
      skip_deleted(i);
    }
    if (from.count != 1) {
      for (; nth > 0; --nth) step();
    } else if (nth > 0) {
      const RowSource& source = from.sources[0];
      Run& run = runs_[0];
      if (source.deleted.blocks == nullptr)
        is_descending_ ? run.end -= nth : run.begin += nth;
      else if (is_descending_)
        run.end = source.deleted.valid_at(run, source.deleted.valid_in(run) - 1 - nth) + 1;
      else
        run.begin = source.deleted.valid_at(run, nth);
    }
  }

  struct Row {
    std::uint32_t row;
    std::uint64_t key;
  };
  [[nodiscard]] RTINDEX_HD Row next() {
    const std::uint32_t source = best();
    const Row row = head(source);
    advance(source);
    return row;
  }

 private:
  [[nodiscard]] RTINDEX_HD Row head(std::uint32_t i) const {
    const std::uint32_t at = is_descending_ ? runs_[i].end - 1 : runs_[i].begin;
    return {from_->sources[i].rows[at], from_->sources[i].keys(at)};
  }
  RTINDEX_HD void step() { advance(best()); }

  // The segment whose next row comes first.
  [[nodiscard]] RTINDEX_HD std::uint32_t best() const {
    std::uint32_t found = 0;
    if (from_->count == 1) return found;
    bool is_found = false;
    Row first{};
    for (std::uint32_t i = 0; i < from_->count; ++i) {
      if (runs_[i].begin >= runs_[i].end) continue;
      const Row other = head(i);
      const bool is_less = other.key != first.key ? other.key < first.key : other.row < first.row;
      if (is_found && is_less == is_descending_) continue;
      is_found = true;
      first = other;
      found = i;
    }
    return found;
  }
  RTINDEX_HD void advance(std::uint32_t i) {
    is_descending_ ? --runs_[i].end : ++runs_[i].begin;
    skip_deleted(i);
  }
  RTINDEX_HD void skip_deleted(std::uint32_t i) {
    const DeletedPositions& deleted = from_->sources[i].deleted;
    Run& run = runs_[i];
    if (deleted.blocks == nullptr || run.begin >= run.end) return;
    const std::uint32_t at = is_descending_ ? deleted.last_valid(run) : deleted.first_valid(run);
    if (at == run.end)
      run.begin = run.end;
    else
      is_descending_ ? run.end = at + 1 : run.begin = at;
  }

  const RowSources* from_;
  bool is_descending_;
  Run runs_[RowSources::max_segments];  // rows that are left
};

// Runs of lookups with at most one match: lookup i has position i, or none if rows[i] is miss_row.
void runs_of_rows(const std::uint32_t* rows, std::size_t count, Run* runs, cudaStream_t stream);

// The rowIDs at positions of a column with `size` keys; miss_row beyond the last.
void rows_at(const std::uint64_t* positions, std::size_t count, const RowsView& from,
             std::size_t size, std::uint32_t* rows, cudaStream_t stream);

// Adds the number of matches to a counter on the device: rowIDs that are not miss_row.
void count_hits(const std::uint32_t* rows, std::size_t count, std::uint64_t* hits,
                cudaStream_t stream);
// Adds the number of valid rows of runs.
void count_hits(const RowSource& from, std::size_t count, std::uint64_t* hits, cudaStream_t stream);

// offsets[i] = where the rowIDs of lookup i start, at most `limit` each; offsets[count] = their
// number.
void offsets_of(const RowSources& from, std::size_t count, std::uint32_t limit,
                std::uint64_t* offsets, const Queue& queue);
// The rowIDs from offset `begin` on, at most `capacity`; and their keys, of rows in an order, where
// `keys` is not null.
void collect_rows(const RowSources& from, std::size_t count, const std::uint64_t* offsets,
                  std::uint64_t begin, std::uint64_t capacity, std::uint32_t* out,
                  cudaStream_t stream, std::uint64_t* keys = nullptr);

}  // namespace rtindex::cuda
