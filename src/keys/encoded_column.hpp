#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "keys/packed_keys.hpp"

namespace rtindex {

// A column as the structures see it: the encoded keys of its valid rows, in row order.
struct EncodedColumn {
  PackedKeys keys;
  Array<std::uint32_t> rows;  // the rowID of each key; empty where key i is row i (no nulls)
  std::size_t row_count = 0;  // of the column, nulls included
  std::uint64_t span = 0;     // no key is greater; keys start at 0

  [[nodiscard]] std::size_t size() const { return keys.size(); }
  [[nodiscard]] std::uint32_t row(std::size_t i) const {
    return rows.empty() ? static_cast<std::uint32_t>(i) : rows[i];
  }
  [[nodiscard]] std::size_t bytes() const { return keys.bytes() + rows.bytes(); }
};

}  // namespace rtindex
