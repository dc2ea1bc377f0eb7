#include "io/npy_reader.hpp"

#include <fmt/ranges.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "io/element_count.hpp"
#include "io/npy_dtype.hpp"
#include "io/npy_header.hpp"

namespace rtindex {

namespace {

constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

void require_one_dimension(const NpyHeader& header, const std::string& path) {
  if (header.shape.size() == 1) return;
  if (header.shape.empty())
    fail("{} holds a single value, not a 1-D array: save a.reshape(1)", path);
  fail("{} holds a {}-D array of shape ({}): save one column of it, such as a[:, 0], or a.ravel()",
       path, header.shape.size(), fmt::join(header.shape, ", "));
}

std::vector<std::uint8_t> validity_of_times(const ColumnView& times) {
  const auto* ticks = static_cast<const std::int64_t*>(times.data());
  std::vector<std::uint8_t> bitmap;
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (ticks[row] != not_a_time) continue;
    if (bitmap.empty()) bitmap.assign((times.size() + 7) / 8, 0xff);
    bitmap[row / 8] = static_cast<std::uint8_t>(bitmap[row / 8] & ~(1U << (row % 8)));
  }
  return bitmap;
}

}  // namespace

LoadedColumn read_npy(const std::string& path, Access access) {
  FileBytes file(path, access);
  const NpyHeader header = parse_npy_header(file.text(), path);
  NpyType type = npy_type(header.descr, path);
  require_one_dimension(header, path);
  const std::size_t size = header.shape.front();
  require_element_count(size, type.width, file.size() - header.data_offset, path);
  LoadedColumn column =
      LoadedColumn::in_file(std::move(file), header.data_offset, type.type, type.width, size);
  column.set_unit(std::move(type.unit));
  if (type.type == Type::timestamp64) column.set_validity(validity_of_times(column.view()));
  return column;
}

}  // namespace rtindex
