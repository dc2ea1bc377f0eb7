#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rtindex/column.hpp>

#include "keys/encoded_column.hpp"

namespace rtindex {

// Throws where an update names a row that is not there, or one twice.
void require_distinct(std::span<const std::uint32_t> rows, std::size_t row_count);

// The column with the changed rows: row rows[i] holds keys[i], or is null where new_keys[i] is.
[[nodiscard]] EncodedColumn patched(const EncodedColumn& column,
                                    std::span<const std::uint32_t> rows,
                                    std::span<const std::uint64_t> keys, const ColumnView& new_keys,
                                    std::uint64_t span);

}  // namespace rtindex
