#pragma once

#include <gtest/gtest.h>

#include "keys/encoded_column.hpp"
#include "keys/interval.hpp"
#include "support/key.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// The first parts of a key, which a lookup of fewer parts is compared with.
[[nodiscard]] inline Key beginning_of(const Key& key, std::size_t parts) {
  return {key.begin(), key.begin() + static_cast<std::ptrdiff_t>(parts)};
}

// Whether a row matches a lookup, by the slow, obvious comparison of plain values. A null pointer:
// an end that is unset.
[[nodiscard]] inline bool is_match(const Key& row, const Key* lower, const Key* upper,
                                   RangeEnds ends) {
  if (is_null(row) || (lower != nullptr && is_null(*lower)) ||
      (upper != nullptr && is_null(*upper)))
    return false;
  if (lower != nullptr &&
      compare(beginning_of(row, lower->size()), *lower) < (ends.lower_open ? 1 : 0))
    return false;
  return upper == nullptr ||
         compare(beginning_of(row, upper->size()), *upper) <= (ends.upper_open ? -1 : 0);
}

// Expects that the interval contains the encoded keys of the rows that match a lookup, and no
// others. All of a key is in its encoding.
inline void expect_interval(const TestColumn& column, const EncodedColumn& encoded,
                            const Key* lower, const Key* upper, RangeEnds ends, Interval interval) {
  for (std::size_t k = 0; k < encoded.size(); ++k) {
    const Key& row = column.keys()[encoded.row(k)];
    ASSERT_EQ(interval.contains(encoded.keys[k]), is_match(row, lower, upper, ends))
        << text_of(row) << " in " << interval.lower << " to " << interval.upper;
  }
  if (interval.empty()) return;
  ASSERT_LE(interval.upper, encoded.span);
}

}  // namespace rtindex::test
