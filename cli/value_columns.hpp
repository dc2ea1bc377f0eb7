#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "cli/batch.hpp"
#include "column_files/column_file.hpp"

namespace rtindex::cli {

// The values that sum, mean, min and max read: an included column of a saved index, or a column.
struct ChosenValues {
  std::optional<IncludedType> included;
  LoadedColumn column;  // empty: none
};

// --values of a call; `saved`: the index of --load, or null.
[[nodiscard]] ChosenValues choose_values(const BatchOptions& options, const LoadedColumn& of_column,
                                         const Index* saved);

struct NamedColumn {
  std::string name;
  LoadedColumn column;
};

// The columns of --include, one value per row of `of_column` each.
[[nodiscard]] std::vector<NamedColumn> load_included(const BatchOptions& options,
                                                     const LoadedColumn& of_column);
[[nodiscard]] IncludedColumns included_columns(const std::vector<NamedColumn>& columns);

// The column `text` of a CSV file; none if `text` is a file. Throws if it is neither.
[[nodiscard]] std::optional<ColumnFile> column_of_csv(const BatchOptions& options,
                                                      const std::string& csv_file,
                                                      const std::string& text,
                                                      const std::string& option);
// "'price', 'qty'".
[[nodiscard]] std::string quoted_names(const std::vector<IncludedType>& included);

}  // namespace rtindex::cli
