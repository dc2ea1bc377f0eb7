#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/index.hpp>

#include "answers/request.hpp"
#include "answers/row_positions.hpp"
#include "file/stored.hpp"
#include "keys/encoded_column.hpp"
#include "keys/lookup_batch.hpp"
#include "keys/owned_column.hpp"
#include "order/columns.hpp"

namespace rtindex {

// The values of all included columns and the rows that they belong to, ascending.
struct IncludedRows {
  Array<std::uint32_t> rows;
  std::vector<OwnedColumn> columns;
};

// A column of values that is kept in key order.
struct IncludedValuesInfo {
  Type type;
  bool has_nulls = false;  // whether any of them is null
};

class SortedPairs;

// The encoded keys of a segment with their rows: exported to change and merge segments, saved,
// described. They never change, but for update=refit.
class SegmentKeys {
 public:
  virtual ~SegmentKeys() = default;
  SegmentKeys(const SegmentKeys&) = delete;
  SegmentKeys& operator=(const SegmentKeys&) = delete;

  // The number of keys.
  [[nodiscard]] std::size_t size() const { return size_; }
  // The included columns.
  [[nodiscard]] const std::vector<IncludedValuesInfo>& included() const { return included_; }
  // The keys as sorted pairs in host memory, which can be merged; null where they are not.
  [[nodiscard]] const SortedPairs* sorted_pairs() const { return sorted_pairs_; }
  // The positions of its rows, made when a change first needs them; null where it has none.
  [[nodiscard]] const Lazy<RowPositions>* row_positions() const { return row_positions_; }
  // What the last build or update consisted of: Index::build_profile.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& build_profile() const {
    return build_profile_;
  }

  // The encoded keys in row order, with the rowIDs of the index.
  [[nodiscard]] virtual EncodedColumn column() const = 0;
  // The included values by row, of rows without a key too.
  [[nodiscard]] virtual IncludedRows included_rows() const { return {}; }
  // Those of `rows`, which ascend, that it has: as in column() and in included_rows().
  [[nodiscard]] virtual EncodedColumn column_of(std::span<const std::uint32_t> rows) const;
  [[nodiscard]] virtual IncludedRows included_rows_of(std::span<const std::uint32_t> rows) const;
  // The rows at these positions in key order, miss_row beyond the last. By default the keys are
  // sorted for it.
  virtual void select(const KeyCodec& codec, std::span<const std::uint64_t> positions,
                      std::uint32_t* rows) const;
  // Writes what can be opened again as it is. By default that is the column, to be built again.
  // What is written must stay where it is until the file is complete.
  virtual void save(FileWriter file) const;
  [[nodiscard]] virtual MemoryUsage memory_usage() const = 0;
  // Lines "name: value" for describe().
  [[nodiscard]] virtual std::string describe() const = 0;

 protected:
  SegmentKeys() = default;

  std::size_t size_ = 0;
  std::vector<IncludedValuesInfo> included_;
  const SortedPairs* sorted_pairs_ = nullptr;
  const Lazy<RowPositions>* row_positions_ = nullptr;
  std::vector<std::pair<std::string, double>> build_profile_;
};

// What a searcher can do; fixed when it is made.
struct Capabilities {
  bool ranges = true;      // finds ranges; else points only
  bool key_order = false;  // finds edges of ranges, returns rows in the order of keys
  bool counters = false;   // fills Request::counters
  bool ray_times = false;  // fills Request::ray_ms
  bool pairs = false;      // fills Request::pairs
  // The largest key that refit() accepts; none: the searcher cannot refit.
  std::optional<std::uint64_t> max_refit_key;
};

class Searcher;

// The starts and the ends of intervals as keys, each in an order of its own.
struct IntervalPoints {
  std::shared_ptr<Searcher> starts, ends;
};

// What a kind makes over the keys of a segment, to find those of an interval: a grid, a tree, a
// table, a scene of rays. Many threads search at once.
class Searcher : public SegmentKeys {
 public:
  [[nodiscard]] const Capabilities& capabilities() const { return capabilities_; }

  // Answers every lookup of the batch.
  virtual void answer(const LookupBatch& batch, const Request& request) const = 0;
  // The first or last valid row of every range of the batch, miss_row where it has none, and the
  // row's encoded key. Needs key_order; counters may be null.
  virtual void find_edges(const LookupBatch& batch, Edge edge, const RowBits& deleted,
                          std::uint32_t* rows, std::uint64_t* keys, Counters* counters) const;
  // Of intervals; null where the searcher keeps no such orders.
  [[nodiscard]] virtual IntervalPoints interval_points() const { return {}; }
  // Throws where the batch would cast too many rays; called before anything is written.
  virtual void require_answerable(const LookupBatch&) const {}
  // Changes keys in place, none above max_refit_key, while no thread searches. `span`: the largest
  // key from now on.
  virtual void refit(const Changes& changes, std::uint64_t span);

 protected:
  Capabilities capabilities_;
};

}  // namespace rtindex
