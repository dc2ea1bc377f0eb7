#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>

#include "base/array.hpp"
#include "execution/locator_bytes.hpp"
#include "keys/spread.hpp"
#include "storage/key_order.hpp"
#include "tracers/native/even_starts.hpp"

namespace rtindex {

// The native tracer's acceleration structure. RX's scene is a line of keys, so a bounding volume is
// an interval of keys; this is one level of equally wide intervals (cells) with about two keys each
// where keys lie evenly (EvenStarts), else four. A cell knows where its keys start; which cell a
// ray enters is one multiplication.
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
  // order.span(). All keys are searched at once, their memory asked for ahead of time. Cells that
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

}  // namespace rtindex
