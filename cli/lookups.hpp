#pragma once

#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "io/loaded_column.hpp"

namespace rtindex::cli {

// The lookups of one call: keys, or ranges as two columns of bounds.
struct Lookups {
  LookupKind kind = LookupKind::point;
  LoadedColumn lower;  // of point lookups, the keys
  LoadedColumn upper;  // only of ranges
  // As the user wrote them on the command line; empty where they come from files.
  std::vector<std::string> lower_text, upper_text;

  [[nodiscard]] std::size_t size() const { return lower.size(); }
  // Answers `count` of them from `first` on.
  [[nodiscard]] Answers answer(const Index& index, const LookupOptions& options, std::size_t first,
                               std::size_t count) const;
  // An Error where they cannot be compared with the column, or the bounds differ in number.
  void require_fit(const LoadedColumn& column) const;
};

// Splits LOWER:UPPER from the command line. Times of day contain colons themselves.
struct RangeText {
  std::string lower, upper;
};
[[nodiscard]] RangeText split_range(const std::string& text, const LoadedColumn& column);

// Keys from the command line, read as the type of the column. `option`: for messages.
[[nodiscard]] LoadedColumn inline_keys(const std::vector<std::string>& texts,
                                       const std::string& option, const LoadedColumn& column);

// The column of a saved index, without its elements.
[[nodiscard]] LoadedColumn column_of(const Index& index, const std::string& file);

}  // namespace rtindex::cli
