#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>

#include "base/array.hpp"
#include "base/stored.hpp"
#include "execution/backend.hpp"
#include "execution/ordered_structure.hpp"
#include "keys/spread.hpp"
#include "storage/key_order.hpp"

namespace rtindex {

// The starts of a grid's cells for evenly spread keys, as 2-byte offsets from twice the number of
// the cell, where it would start if keys were spread perfectly. Half the bytes of a position make
// room for twice as many cells.
class EvenStarts {
 public:
  static constexpr std::uint64_t keys_per_cell = 2;

  EvenStarts() = default;
  EvenStarts(const FileReader& file, std::uint64_t cells);
  void save(FileWriter file) const;

  // From the position behind the last key of each cell, 0 where the cell has none. None where an
  // offset does not fit or a cell has more keys than `most`.
  [[nodiscard]] static std::optional<EvenStarts> from(std::span<const std::uint32_t> ends,
                                                      std::uint32_t most);
  // Whether a cell may start at this position.
  [[nodiscard]] static bool holds(std::uint64_t cell, std::uint64_t start);

  [[nodiscard]] bool empty() const { return offsets_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return offsets_.bytes(); }
  [[nodiscard]] const void* address(std::uint64_t cell) const { return offsets_.data() + cell; }
  // Any number, where it comes from a damaged file.
  [[nodiscard]] std::uint32_t operator[](std::uint64_t cell) const {
    return static_cast<std::uint32_t>(cell * keys_per_cell) +
           static_cast<std::uint32_t>(offsets_.data()[cell]);
  }

 private:
  Array<std::int16_t> offsets_;
};

// The native tracer: a uniform grid over sorted keys. RX's scene is a line of keys, so a bounding
// volume is an interval of keys; the grid is one level of equally wide intervals (cells) with about
// two keys each where keys are spread evenly (EvenStarts), else four. A cell holds the position of
// its first key; the cell of a lookup is found by one multiplication.
//
// Where keys cluster, neighbouring cells with many keys are refined together by a level of their
// own, as often as it takes.
template <class Key>
class Grid {
 public:
  explicit Grid(const KeyOrder<Key>& order);
  Grid(const FileReader& file, const KeyOrder<Key>& order);
  void save(FileWriter file) const;

  // at[i] = the position of the first pair whose key is not less than keys[i]; no key is above
  // order.span(). All keys are searched at once, their memory is prefetched. Cells that
  // are read and keys that are compared are added to `work`; null: they are not counted.
  void lower_bounds(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                    std::uint32_t* at, Counters* work = nullptr) const;

  [[nodiscard]] LocatorBytes bytes() const {
    return {{{"grid", starts_.bytes() + even_.bytes() + levels_.size() * sizeof(Level)}}};
  }
  [[nodiscard]] std::string describe() const;

 private:
  // A cell's start with this bit set is the number of the level that refines it.
  static constexpr std::uint32_t refined = std::uint32_t{1} << 31;

  // Cells of equal width over the keys lowest..highest, which lie at positions begin..end.
  struct Level {
    Spread spread;
    std::uint64_t first_cell;  // in starts_
    std::uint64_t cells;
    Key lowest, highest;
    std::uint32_t begin, end;
  };

  [[nodiscard]] bool fill_evenly(const KeyOrder<Key>& order);
  [[nodiscard]] static std::optional<EvenStarts> even_starts(const KeyOrder<Key>& order,
                                                             const Level& level);
  void fill_levels(const KeyOrder<Key>& order);
  [[nodiscard]] static Level whole(const KeyOrder<Key>& order, std::uint64_t cells);
  void fill(const KeyOrder<Key>& order, const Level& level, std::vector<std::uint32_t>& starts);
  void refine(const KeyOrder<Key>& order, std::size_t level, int depth,
              std::vector<std::vector<std::uint32_t>>& starts);
  // `Work` counts, or is compiled to nothing.
  template <class Work>
  void search(const KeyOrder<Key>& order, const Key* keys, std::size_t count, std::uint32_t* at,
              Work work) const;
  template <class Work>
  void resolve(const KeyOrder<Key>& order, const Key* keys, std::size_t count, std::uint64_t* cells,
               std::uint32_t* at, Work work) const;

  std::vector<Level> levels_;
  Array<std::uint32_t> starts_;
  EvenStarts even_;  // in place of them
};

extern template class Grid<std::uint32_t>;
extern template class Grid<std::uint64_t>;

// rx:native on the CPU.
[[nodiscard]] const Backend& native_backend();

}  // namespace rtindex
