#pragma once

/// \file
/// Numbers and times of one SQL type as those of another.

#include <cstdint>
#include <optional>
#include <string_view>

#include "key_types.hpp"
#include "keys.hpp"

namespace rtindex::sql {

__extension__ using int128 = __int128;

/// The element of a row as a double; of a number.
[[nodiscard]] double double_at(const KeyType& type, const void* data, idx_t row);

/// The element of a row, a number or a time, counted in units of `key`: in its scale or in its
/// ticks. None: it equals no key, or lies beyond all of them where nothing can match.
[[nodiscard]] std::optional<int128> units_at(const KeyType& type, const void* data, idx_t row,
                                             const KeyType& key, Between between);

/// A text as DuckDB casts it to a date, a time or a timestamp without a time zone, in ticks of that
/// type. Throws `Error` for other texts.
[[nodiscard]] std::int64_t ticks_of(std::string_view text, const KeyType& key);

}  // namespace rtindex::sql
