#include "answers/value_column.hpp"

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex {

void require_values(const ColumnView& values, std::size_t rows) {
  if (!is_native(values.type()))
    fail(
        "the value column is {}: sum, min and max take bool, integers, dates, timestamps and "
        "floats",
        name_of(values.type()));
  if (values.nullable())
    fail(
        "the value column carries a validity bitmap: fill its nulls (with 0 for a sum, say) "
        "first");
  if (values.size() != rows)
    fail(
        "the value column has {} values but the indexed column has {} rows: pass one value per "
        "row",
        values.size(), rows);
}

}  // namespace rtindex
