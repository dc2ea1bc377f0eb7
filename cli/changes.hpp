#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "cli/value_columns.hpp"
#include "column_files/loaded_column.hpp"

namespace rtindex::cli {

// The changes of `rtindex update`; those that are not requested have no columns.
struct Changes {
  // Rows, and their new keys.
  struct Assignment {
    LoadedColumn rows, elements;
  };

  // Rows, and their new values in an included column.
  struct NewValues {
    LoadedColumn rows;
    NamedColumn values;
  };

  std::optional<LoadedColumn> erased_rows;
  std::optional<LoadedColumn> erased_keys;
  std::optional<Assignment> keys;
  std::optional<NewValues> included;
  std::optional<LoadedColumn> inserted;
  std::vector<NamedColumn> inserted_values;
  bool merge = false;

  // Applies the changes in the order of the members; returns a line for each.
  [[nodiscard]] std::string apply(Index& index) const;
};

// Converts numbers to another type; an Error names the first that this type cannot hold. Floats may
// be rounded. Other columns are returned unchanged.
[[nodiscard]] LoadedColumn as_numbers(LoadedColumn column, Type type);

// Rows from a file as uint32, without nulls.
[[nodiscard]] LoadedColumn as_rows(LoadedColumn column);

// "1 row", "5 rows".
[[nodiscard]] std::string counted(std::size_t count, const std::string& noun);

}  // namespace rtindex::cli
