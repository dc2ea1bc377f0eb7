#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "column_files/loaded_column.hpp"

namespace rtindex::fuzz {

// Reads every byte that a column points to.
inline void read_all(const LoadedColumn& column) {
  std::size_t characters = column.type_text().size();
  for (std::size_t row = 0; row < column.size(); ++row) characters += column.text(row).size();
  static_cast<void>(characters);
}

// A column to read texts like; none for numbers from the length of the list on.
inline const LoadedColumn* column_like(std::size_t number) {
  static const std::array<LoadedColumn, 7> columns = [] {
    std::array<LoadedColumn, 7> list = {LoadedColumn::indexed("like", Type::i64, 1),
                                        LoadedColumn::indexed("like", Type::f32, 1),
                                        LoadedColumn::indexed("like", Type::f64, 1),
                                        LoadedColumn::indexed("like", Type::string, 1),
                                        LoadedColumn::indexed("like", Type::date32, 1),
                                        LoadedColumn::indexed("like", Type::timestamp64, 1),
                                        LoadedColumn::indexed("like", Type::timestamp64, 1)};
    list[5].set_unit("s");
    list[6].set_unit("ns");
    return list;
  }();
  return number < columns.size() ? &columns[number] : nullptr;
}

}  // namespace rtindex::fuzz
