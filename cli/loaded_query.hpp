#pragma once

#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "column_files/loaded_column.hpp"

namespace rtindex::cli {

// A condition on one column of points, and the keys that it views.
struct LoadedCondition {
  ConditionKind kind = ConditionKind::none;
  LoadedColumn lower, upper;  // of `isin` the values are `lower`
  bool has_lower = false, has_upper = false;
  Ends ends = Ends::closed;

  [[nodiscard]] Condition view() const;
};

// A query of the command line and the columns that it views.
struct LoadedQuery {
  // Its kind and settings; slice() adds the columns.
  Query settings;
  LoadedColumn lower;  // keys, prefixes, or the lower ends of ranges
  LoadedColumn upper;  // the upper ends of ranges
  // As written on the command line; empty for lookups from files.
  std::vector<std::string> lower_text, upper_text;
  std::vector<LoadedCondition> conditions;  // of a box, whose text is that of `lower`
  // Whether ranges have no bound at an end; without both there is a single range.
  bool has_lower = true, has_upper = false;

  [[nodiscard]] QueryKind kind() const { return settings.kind; }
  [[nodiscard]] std::size_t size() const {
    return has_lower ? lower.size() : has_upper ? upper.size() : 1;
  }
  // `count` queries from `first` on.
  [[nodiscard]] Query slice(std::size_t first, std::size_t count) const;
  [[nodiscard]] Query all() const { return slice(0, size()); }
  // Throws if they cannot be compared with the column, or if the bounds differ in number.
  void require_fit(const LoadedColumn& column) const;
};

// Throws if all bounds look like numbers and the column became text because some field is no
// number: its order is not that of numbers.
void require_text_bounds(const LoadedColumn& bounds, const LoadedColumn& column);
// The parts of a column that became text, for the metadata of an index; empty if there are none.
// column_of() restores them.
[[nodiscard]] std::string inferred_texts(const LoadedColumn& column);
// Throws if the column became text although its fields look like numbers or times.
void require_order_of_values(const LoadedColumn& column);

// Splits LOWER:UPPER from the command line, either of which may be missing. Times of day contain
// colons themselves. `option`: for messages.
struct RangeText {
  std::string lower, upper;
};
[[nodiscard]] RangeText split_range(const std::string& text, const LoadedColumn& column,
                                    const std::string& option = "--range");
// Of intervals with leading columns, whose values come first: "blue,9:11".
[[nodiscard]] RangeText split_led_range(const std::string& text, const LoadedColumn& points);

// Keys from the command line, read as the type of the column; the parts of composite keys are
// separated by commas; one with a comma is quoted as in CSV files. `option`: for messages.
[[nodiscard]] LoadedColumn inline_keys(const std::vector<std::string>& texts,
                                       const std::string& option, const LoadedColumn& column);

// "Oslo,Bergen" as its values; one with a comma and an empty one are quoted as in CSV files.
[[nodiscard]] std::vector<std::string> split_values(const std::string& text,
                                                    const std::string& option);

// The column of a saved index, without its elements.
[[nodiscard]] LoadedColumn column_of(const Index& index, const std::string& file);

}  // namespace rtindex::cli
