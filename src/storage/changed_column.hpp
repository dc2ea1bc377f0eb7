#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rtindex/column.hpp>

#include "keys/encoded_column.hpp"
#include "storage/changes.hpp"

namespace rtindex {

// Throws where an update names a row that is not there, or one twice.
void require_distinct(std::span<const std::uint32_t> rows, std::size_t row_count);

// Whether a column in host memory has no null.
[[nodiscard]] bool all_valid(const ColumnView& column);

// The column with the changed rows: row rows[i] holds keys[i], or is null where new_keys[i] is;
// `span` is the largest key from now on.
[[nodiscard]] EncodedColumn patched(EncodedColumn column, const Changes& changes,
                                    const ColumnView& new_keys, std::uint64_t span);

}  // namespace rtindex
