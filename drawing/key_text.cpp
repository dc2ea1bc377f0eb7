#include "drawing/key_text.hpp"

#include <cstdint>

#include "column_files/text_values.hpp"

namespace rtindex {

std::string key_text(const ColumnView& column, std::size_t row) {
  if (!column.valid(row)) return column.text(row);
  if (column.type() == Type::date32)
    return time_text(static_cast<const std::int32_t*>(column.data())[row], "D");
  if (column.type() == Type::timestamp64 && column.time_unit() != TimeUnit::unspecified)
    return time_text(static_cast<const std::int64_t*>(column.data())[row],
                     name_of(column.time_unit()));
  return column.text(row);
}

}  // namespace rtindex
