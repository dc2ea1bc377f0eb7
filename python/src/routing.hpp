#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rtindex/column.hpp>

#include "order/key_model.hpp"

namespace rtindex::python {

// Bounds between the parts of a column of native keys, in the order of (key, row).
class PartBounds {
 public:
  static constexpr std::size_t most = (std::size_t{1} << 16) - 1;

  // At least one bound and at most `most`, ascending. Part i + 1 begins at keys[i], or among rows
  // that hold this key at rows[i].
  PartBounds(const ColumnView& keys, std::span<const std::uint64_t> rows);

  // parts[i] = how many bounds are not after keys[i], which is in row first_row + i.
  void find(const ColumnView& keys, std::uint64_t first_row, std::uint16_t* parts) const;

 private:
  template <class T>
  void find_some(const T* keys, std::size_t count, std::uint64_t first_row,
                 std::uint16_t* parts) const;
  void count_not_after(const std::uint64_t* ordered, std::size_t count, std::uint32_t* found,
                       std::uint16_t* parts) const;
  void break_ties(const std::uint64_t* ordered, std::size_t count, std::uint64_t first_row,
                  const std::uint32_t* found, std::uint16_t* parts) const;

  std::uint64_t lowest_, span_;        // of all bounds, as ordered bits
  std::vector<std::uint64_t> firsts_;  // bounds of different keys, from the lowest one on
  std::vector<std::uint16_t> ends_;    // how many bounds precede each of them, and all
  std::vector<std::uint64_t> rows_;    // of all bounds; empty: keys alone decide
  MadeRoot root_;
};

// Elements in memory, of 1, 2, 4 or 8 bytes each.
struct Elements {
  void* data;
  std::size_t width;
};

// Elements and their positions in the order of their parts, ascending within a part: those of part
// i are at [starts[i], starts[i + 1]). Either may be null.
void group_by_part(std::span<const std::uint16_t> parts, Elements from, Elements to,
                   std::uint32_t* positions, std::span<std::uint64_t> starts);

// The elements of adjacent parts, one part after the other.
struct Piece {
  Elements elements;
  std::size_t size;
  std::size_t parts;
};

// The reverse: to[i] is the next element of part parts[i]. All pieces have elements of one width,
// that of the output or 4 bytes for 8. With `rows`, all ones stay all ones where they widen.
void ungroup(std::span<const std::uint16_t> parts, std::span<const Piece> pieces, Elements to,
             bool rows);

// Rows as integers of 64 bits; a miss stays all ones.
void widen_rows(std::span<const std::uint32_t> from, std::uint64_t* to);

// to[i] = rows[local[i]], or all ones where local[i] is all ones.
void global_rows(std::span<const std::uint32_t> local, Elements rows, Elements to);

}  // namespace rtindex::python
