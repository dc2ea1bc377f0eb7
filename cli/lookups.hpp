#pragma once

#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "column_files/loaded_column.hpp"

namespace rtindex::cli {

// The lookups of one call: keys, ranges as two columns of bounds, or prefixes.
struct Lookups {
  LookupKind kind = LookupKind::point;
  LoadedColumn lower;  // of point lookups, the keys
  LoadedColumn upper;  // only of ranges
  // As the user wrote them on the command line; empty where they come from files.
  std::vector<std::string> lower_text, upper_text;
  // Ranges may leave out an end; one without both is a single range.
  bool has_lower = true, has_upper = true;
  bool are_prefixes = false;  // of strings, in `lower`
  NearestOptions nearest = {};

  [[nodiscard]] std::size_t size() const {
    return has_lower ? lower.size() : has_upper ? upper.size() : 1;
  }
  // Whether the upper ends are in `upper`.
  [[nodiscard]] bool have_upper() const {
    return kind == LookupKind::range && has_upper && !are_prefixes;
  }
  [[nodiscard]] ColumnView lower_slice(std::size_t first, std::size_t count) const {
    return has_lower ? lower.slice(first, count) : ColumnView();
  }
  [[nodiscard]] ColumnView upper_slice(std::size_t first, std::size_t count) const {
    return have_upper() ? upper.slice(first, count) : ColumnView();
  }
  // Answers `count` of them from `first` on.
  [[nodiscard]] Answers answer(const Index& index, const LookupOptions& options, std::size_t first,
                               std::size_t count) const;
  // An Error where they cannot be compared with the column, or the bounds differ in number.
  void require_fit(const LoadedColumn& column) const;
};

// Splits LOWER:UPPER from the command line, either of which may be left out. Times of day contain
// colons themselves.
struct RangeText {
  std::string lower, upper;
};
[[nodiscard]] RangeText split_range(const std::string& text, const LoadedColumn& column);

// Keys from the command line, read as the type of the column; the parts of composite keys are
// separated by commas. `option`: for messages.
[[nodiscard]] LoadedColumn inline_keys(const std::vector<std::string>& texts,
                                       const std::string& option, const LoadedColumn& column);

// The column of a saved index, without its elements.
[[nodiscard]] LoadedColumn column_of(const Index& index, const std::string& file);

}  // namespace rtindex::cli
