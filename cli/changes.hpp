#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <rtindex/index.hpp>

#include "column_files/loaded_column.hpp"

namespace rtindex::cli {

// What `rtindex update` does to an index; changes that are not wanted have no columns.
struct Changes {
  // Rows, and what they get.
  struct Assignment {
    LoadedColumn rows, elements;
  };

  std::optional<LoadedColumn> erased_rows;
  std::optional<LoadedColumn> erased_keys;
  std::optional<Assignment> keys;
  std::optional<Assignment> included;
  std::optional<LoadedColumn> inserted;
  std::optional<LoadedColumn> inserted_values;
  bool merge = false;

  // Applies the changes in the order of the members; returns a line for each.
  [[nodiscard]] std::string apply(Index& index) const;
};

// The elements as another type of numbers; an Error names the first that this type cannot hold.
// Floats may be rounded. Other columns stay as they are.
[[nodiscard]] LoadedColumn as_numbers(LoadedColumn column, Type type);

// Rows from a file as uint32, without nulls.
[[nodiscard]] LoadedColumn as_rows(LoadedColumn column);

// "1 row", "5 rows".
[[nodiscard]] std::string counted(std::size_t count, const std::string& noun);

}  // namespace rtindex::cli
