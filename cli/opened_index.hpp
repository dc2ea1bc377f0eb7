#pragma once

#include <chrono>
#include <optional>

#include <rtindex/index.hpp>

#include "cli/batch.hpp"
#include "cli/summary.hpp"
#include "column_files/loaded_column.hpp"

namespace rtindex::cli {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The index of a call: over a column, or from a file.
struct OpenedIndex {
  // Loads the column, or the saved index. Throws if options conflict.
  explicit OpenedIndex(const BatchOptions& options);
  // Throws if the index holds points, which only `rtindex filter` searches.
  void require_no_points() const;
  // Builds the index over the column, after all lookups were validated.
  void build(const BatchOptions& options);
  // The summary on stderr, unless the call is quiet.
  void print_summary(const BatchOptions& options) const;

  // What queries are compared with: the column, or the points of intervals.
  [[nodiscard]] const LoadedColumn& queried() const {
    return column.interval_ends() ? points_ : column;
  }

  LoadedColumn column;  // without elements if the index was saved
  std::optional<Index> index;
  Summary summary;

 private:
  LoadedColumn points_;
};

}  // namespace rtindex::cli
