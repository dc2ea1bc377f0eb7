#pragma once

/// \file
/// Numbers and times of one SQL type as those of another.

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "key_types.hpp"

namespace rtindex::sql {

__extension__ using int128 = __int128;

/// What becomes of a number or a time between two keys, such as 1.5 between integers.
enum class Between : std::uint8_t {
  null,  ///< it equals no key
  down,  ///< the key below; `below`: likewise, and of a whole one too
  up,    ///< the key above; `above`: likewise, and of a whole one too
  below,
  above,
  reject,  ///< an `Error`
};

/// The element of a row as a double; of a number.
[[nodiscard]] double double_at(const KeyType& type, const void* data, idx_t row);

/// Units of UHUGEINT keys are less by 2^127.
constexpr int128 uhugeint_bias = static_cast<int128>(1) << 127;

/// A number or a time in units of keys, in their scale or their ticks: the one at or below it, and
/// what is missing to it, less than 1.
struct Units {
  int beyond = 0;  ///< -1 or 1: below or above all numbers of 128 bits
  int128 floor = 0;
  double fraction = 0;

  [[nodiscard]] bool exact() const { return beyond == 0 && fraction == 0; }
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const Units&, const Units&) = default;
};

/// The element of a row, a number or a time, in units of `key`.
[[nodiscard]] Units units_at(const KeyType& type, const void* data, idx_t row, const KeyType& key);

/// A whole number of units. None: no key is equal to the value, or on the side of it that `between`
/// names.
[[nodiscard]] std::optional<int128> rounded(const Units& units, const KeyType& key,
                                            Between between);

/// The least or the greatest number of keys: the one below or above which `between` finds none.
[[nodiscard]] int128 limit_of(const KeyType& key, Between between);

/// A text as DuckDB casts it to a date, a time or a timestamp without a time zone, in ticks of that
/// type. Throws `Error` for other texts.
[[nodiscard]] std::int64_t ticks_of(std::string_view text, const KeyType& key);

}  // namespace rtindex::sql
