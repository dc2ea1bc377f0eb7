#include "row_lists.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <rtindex/error.hpp>

#include "conversion.hpp"
#include "key_types.hpp"

namespace rtindex::sql {

namespace {

constexpr std::int64_t no_id = std::numeric_limits<std::int64_t>::min();

std::vector<std::int64_t> elements_of(const ListArgument& list) {
  std::vector<std::int64_t> ids(list.element_count(), no_id);
  auto* const vector = list.elements();
  const LogicalType type(duckdb_vector_get_column_type(vector));
  if (ids.empty() || duckdb_get_type_id(type.get()) == DUCKDB_TYPE_SQLNULL) return ids;
  const KeyType id = key_type(logical_type(DUCKDB_TYPE_BIGINT).get());
  const KeyType element = key_type(type.get());
  if (!element.is_exact_number())
    throw Error("the last argument is a list of " + element.text() +
                ": expected the ids that may match, integers such as rtindex_rows returns");
  const void* data = duckdb_vector_get_data(vector);
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  for (idx_t i = 0; i < ids.size(); ++i) {
    const auto number = is_valid(validity, i)
                            ? rounded(units_at(element, data, i, id), id, Between::null)
                            : std::nullopt;
    if (number && *number > no_id && *number <= std::numeric_limits<std::int64_t>::max())
      ids[i] = static_cast<std::int64_t>(*number);
  }
  return ids;
}

}  // namespace

RowLists::RowLists(const NamedIndex& named, duckdb_data_chunk chunk, idx_t argument)
    : named_(named),
      list_(chunk, argument),
      ids_(elements_of(list_)),
      bits_(bitmap_bytes(named.index.size())) {}

BitmapView RowLists::rows_of(idx_t row) {
  for (const std::uint32_t old : set_) bits_[old / 8] = 0;
  set_.clear();
  const duckdb_list_entry list = list_.at(row);
  const std::size_t rows = named_.index.size();
  const std::vector<std::int64_t>& known = named_.ids;
  for (idx_t i = list.offset; i < list.offset + list.length; ++i) {
    if (known.empty()) {
      if (ids_[i] >= 0 && static_cast<std::uint64_t>(ids_[i]) < rows)
        set_.push_back(static_cast<std::uint32_t>(ids_[i]));
      continue;
    }
    const auto [first, last] = std::equal_range(known.begin(), known.end(), ids_[i]);
    for (auto one = first; one != last; ++one)
      set_.push_back(static_cast<std::uint32_t>(one - known.begin()));
  }
  for (const std::uint32_t one : set_)
    bits_[one / 8] = static_cast<std::uint8_t>(bits_[one / 8] | 1U << (one % 8));
  return {.bits = bits_.data(), .rows = rows};
}

}  // namespace rtindex::sql
