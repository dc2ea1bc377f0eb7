#pragma once

#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

// Binary searches, shared by host and device code.

// The first position in [begin, end) for which `is_before` is false.
template <class Position, class IsBefore>
[[nodiscard]] RTINDEX_HD constexpr Position partition_point(Position begin, Position end,
                                                            const IsBefore& is_before) {
  while (begin < end) {
    const Position middle = begin + (end - begin) / 2;
    if (is_before(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

// partition_point() in growing steps from `begin`: faster if the position is near it.
template <class Position, class IsBefore>
[[nodiscard]] Position near_partition_point(Position begin, Position end,
                                            const IsBefore& is_before) {
  const Position start = begin;
  while (begin < end) {
    const Position step = begin > start ? begin - start : 1;
    const Position last = (end - begin > step ? begin + step : end) - 1;
    if (!is_before(last)) return partition_point(begin, last, is_before);
    begin = last + 1;
  }
  return end;
}

// The first position of `size` sorted keys whose key is not less than `sought`: searched in the
// hint [begin, end) first, and from there in growing steps to the left or right. Exact for any
// hint, and fast for a good one.
//
//   key_at(position)    the key at a position
//   search(begin, end)  the result if it is in [begin, end); `end` if all keys before `end` are
//                       less; at most `begin` if some key before `begin` is not less
template <class Key, class KeyAt, class Search>
[[nodiscard]] RTINDEX_HD std::uint32_t lower_bound_from_hint(std::uint32_t size,
                                                             std::uint32_t begin, std::uint32_t end,
                                                             Key sought, const KeyAt& key_at,
                                                             const Search& search) {
  std::uint64_t step = end > begin ? end - begin : 1;
  std::uint32_t found = search(begin, end);
  while (found <= begin && begin > 0 && key_at(begin - 1) >= sought) {
    end = begin;
    begin = begin > step ? static_cast<std::uint32_t>(begin - step) : 0;
    step *= 2;
    found = search(begin, end);
  }
  while (found == end && end < size) {
    begin = end;
    end = size - end > step ? static_cast<std::uint32_t>(end + step) : size;
    step *= 2;
    found = search(begin, end);
  }
  return found;
}

}  // namespace rtindex
