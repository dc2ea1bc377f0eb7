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
  // Loads the column, or the saved index. Conflicting options are an Error.
  explicit OpenedIndex(const BatchOptions& options);
  // Builds the index over the column, once all lookups are known to be valid.
  void build(const BatchOptions& options);
  // The summary on stderr, unless the call is quiet.
  void print_summary(const BatchOptions& options) const;

  LoadedColumn column;  // without elements where the index was saved
  std::optional<Index> index;
  Summary summary;
};

}  // namespace rtindex::cli
