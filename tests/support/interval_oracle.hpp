#pragma once

#include <gtest/gtest.h>

#include "keys/encoded_column.hpp"
#include "keys/interval.hpp"
#include "support/key.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// How the first parts of a row's key compare with a lookup, which may have fewer.
[[nodiscard]] inline int compare_beginning(const Key& row, const Key& lookup) {
  for (std::size_t part = 0; part < lookup.size(); ++part)
    if (const int result = compare(row[part], lookup[part]); result != 0) return result;
  return 0;
}

// Whether a row matches a lookup, by the slow, obvious comparison of plain values. A null pointer:
// an end that is unset.
[[nodiscard]] inline bool is_match(const Key& row, const Key* lower, const Key* upper,
                                   RangeEnds ends) {
  if (is_null(row) || (lower != nullptr && is_null(*lower)) ||
      (upper != nullptr && is_null(*upper)))
    return false;
  if (lower != nullptr && compare_beginning(row, *lower) < (ends.lower_open ? 1 : 0)) return false;
  return upper == nullptr || compare_beginning(row, *upper) <= (ends.upper_open ? -1 : 0);
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

// Of two mappings of one lookup: where both have the same interval, one look at the rows is enough.
[[nodiscard]] inline bool are_same(Interval a, Interval b) {
  return a.lower == b.lower && a.upper == b.upper;
}

}  // namespace rtindex::test
