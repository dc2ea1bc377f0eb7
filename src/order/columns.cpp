#include "order/columns.hpp"

#include <utility>

#include "base/error.hpp"

namespace rtindex {

void save_column(FileWriter& file, EncodedColumn column) {
  file.number("keys", column.size());
  if (column.size() != column.row_count) file.array("rows", std::move(column.rows));
  std::move(column.keys).save(file, "column");
}

EncodedColumn load_column(const FileReader& file, std::size_t rows, std::uint64_t span) {
  EncodedColumn column;
  column.row_count = rows;
  column.span = span;
  const std::size_t size = file.number("keys", rows);
  const PackedKeys keys(file, "column", size, span);
  column.keys = PackedKeys(size, span);
  for (std::size_t i = 0; i < size; ++i) {
    if (keys[i] > span) file.reject("key {} of its column is too large", i);
    column.keys.set(i, keys[i]);
  }
  if (!file.has("rows")) {  // the index may have more rows than the column
    column.row_count = size;
    return column;
  }
  const auto valid_rows = file.array<std::uint32_t>("rows", size);
  column.rows = Array<std::uint32_t>(size);
  std::uint64_t next = 0;  // the smallest row that may follow
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t row = valid_rows[i];
    if (row < next || row >= rows) file.reject("the rows of its column are not ascending");
    column.rows[i] = row;
    next = std::uint64_t{row} + 1;
  }
  return column;
}

}  // namespace rtindex
