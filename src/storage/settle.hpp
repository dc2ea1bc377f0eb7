#pragma once

#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

// The first position of `size` sorted keys whose key is not less than `wanted`, looked for in
// [begin, end) first and from there in growing steps to the left or right: exact wherever the
// search begins, and cheap where that was a good guess.
//
//   key_at(position)           the key there
//   search(begin, end)         that first position if it lies in [begin, end); `end` where all
//                              keys before it are less; at most `begin` where some before are not
template <class Key, class KeyAt, class Search>
[[nodiscard]] RTINDEX_HD std::uint32_t settle(std::uint32_t size, std::uint32_t begin,
                                              std::uint32_t end, Key wanted, const KeyAt& key_at,
                                              const Search& search) {
  std::uint64_t step = end > begin ? end - begin : 1;
  std::uint32_t found = search(begin, end);
  while (found <= begin && begin > 0 && key_at(begin - 1) >= wanted) {
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
