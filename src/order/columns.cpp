#include "order/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace rtindex {

namespace {

std::string point_name(std::size_t column) { return fmt::format("points{}", column); }

PackedKeys load_keys(const FileReader& file, std::string_view name, std::size_t size,
                     std::uint64_t span) {
  const PackedKeys stored(file, name, size, span);
  PackedKeys keys(size, span);
  for (std::size_t i = 0; i < size; ++i) {
    if (stored[i] > span) file.reject("key {} of its {} is too large", i, name);
    keys.set(i, stored[i]);
  }
  return keys;
}

PackedKeys copy_of(const PackedKeys& keys, std::uint64_t span) {
  PackedKeys copy(keys.size(), span);
  for (std::size_t i = 0; i < keys.size(); ++i) copy.set(i, keys[i]);
  return copy;
}

void load_rows(const FileReader& file, std::size_t rows, EncodedColumn& column) {
  const std::size_t size = column.size();
  if (!file.has("rows")) {  // the index may have more rows than the column
    column.row_count = size;
    return;
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
}

void load_sequence(const FileReader& file, std::size_t size, EncodedColumn& column) {
  const std::size_t last = std::max<std::size_t>(size, 1) - 1;
  if (last > column.span) file.reject("its sequence of {} keys spans {}", size, column.span);
  const std::uint64_t first_key = file.number("first_key", column.span - last);
  const std::uint64_t first_row = file.number("first_row", column.row_count - size);
  column.keys = PackedKeys(size, column.span);
  for (std::size_t i = 0; i < size; ++i) column.keys.set(i, first_key + i);
  if (size == column.row_count) return;
  column.rows = Array<std::uint32_t>(size);
  for (std::size_t i = 0; i < size; ++i) column.rows[i] = static_cast<std::uint32_t>(first_row + i);
}

}  // namespace

EncodedColumn copy_of(const EncodedColumn& column) {
  EncodedColumn copy;
  copy.row_count = column.row_count;
  copy.span = column.span;
  copy.keys = copy_of(column.keys, column.span);
  copy.ends = copy_of(column.ends, column.span);
  for (const PackedKeys& points : column.points)
    copy.points.push_back(copy_of(points, points.wide() ? ~std::uint64_t{0} : 0));
  copy.rows = Array<std::uint32_t>(column.rows.size());
  std::copy(column.rows.begin(), column.rows.end(), copy.rows.begin());
  return copy;
}

void save_column(FileWriter& file, EncodedColumn column) {
  file.number("keys", column.size());
  if (column.size() != column.row_count) file.array("rows", std::move(column.rows));
  for (std::size_t c = 0; c < column.points.size(); ++c)
    std::move(column.points[c]).save(file, point_name(c));
  if (column.points.empty()) std::move(column.keys).save(file, "column");
  if (column.ends.size() != 0) std::move(column.ends).save(file, "ends");
}

void save_sequence(FileWriter& file, std::size_t size, std::uint64_t first_key,
                   std::uint32_t first_row) {
  file.number("keys", size);
  file.number("first_key", first_key);
  file.number("first_row", first_row);
}

EncodedColumn load_column(const FileReader& file, std::size_t rows, std::uint64_t span) {
  EncodedColumn column;
  column.row_count = rows;
  column.span = span;
  const std::size_t size = file.number("keys", rows);
  if (file.has("first_key")) {
    load_sequence(file, size, column);
    return column;
  }
  column.keys = load_keys(file, "column", size, span);
  if (file.has("ends")) {
    column.ends = load_keys(file, "ends", size, span);
    for (std::size_t i = 0; i < size; ++i)
      if (column.ends[i] < column.keys[i]) file.reject("interval {} ends before it starts", i);
  }
  load_rows(file, rows, column);
  return column;
}

EncodedColumn load_points(const FileReader& file, std::size_t rows,
                          std::span<const std::uint64_t> largest) {
  EncodedColumn column;
  column.row_count = rows;
  const std::size_t size = file.number("keys", rows);
  for (std::size_t c = 0; c < largest.size(); ++c)
    column.points.push_back(load_keys(file, point_name(c), size, largest[c]));
  load_rows(file, rows, column);
  return column;
}

}  // namespace rtindex
