#pragma once

/// \file
/// Lists of ids that restrict what may match.

#include <cstdint>
#include <vector>

#include <rtindex/bitmap.hpp>

#include "api.hpp"
#include "list_argument.hpp"
#include "registry.hpp"

namespace rtindex::sql {

/// The ids in a LIST argument as row bitmaps of an index, which restrict its queries. Ids that the
/// index does not have are ignored.
class RowLists {
 public:
  RowLists(const NamedIndex& named, duckdb_data_chunk chunk, idx_t argument);

  [[nodiscard]] bool same(idx_t a, idx_t b) const { return list_.same(a, b); }
  /// The rows in the list of a row of the chunk, valid until the next call.
  [[nodiscard]] BitmapView rows_of(idx_t row);

 private:
  const NamedIndex& named_;
  ListArgument list_;
  std::vector<std::int64_t> ids_;   ///< all elements; a null is an id that no index has
  std::vector<std::uint32_t> set_;  ///< the rows whose bits are set
  std::vector<std::uint8_t> bits_;
};

}  // namespace rtindex::sql
