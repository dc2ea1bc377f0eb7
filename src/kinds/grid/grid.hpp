#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>

#include "base/array.hpp"
#include "engine/locator.hpp"
#include "file/stored.hpp"
#include "keys/spread.hpp"
#include "order/key_model.hpp"
#include "order/key_order.hpp"

namespace rtindex {

// The native tracer: a grid over sorted keys that follows their distribution. RX's scene is a line
// of keys, so a bounding volume is an interval of keys; the grid is one level of intervals (cells)
// with about two keys each, eight where keys are stored without rowIDs. The line is cut into pieces
// within which keys lie about evenly (order/key_pieces.hpp), and the cells of a piece are equally
// wide: the cell of a lookup is found by one multiplication. Evenly spread keys are one piece.
//
// A cell holds the position of its first key, as a 2-byte offset from its position if the keys of
// the piece were spread evenly.
template <class Key>
class Grid final : public Locator<Key> {
 public:
  static constexpr LocatorTraits traits{.counts_work = true};

  explicit Grid(const KeyOrder<Key>& order);
  Grid(const FileReader& file, const KeyOrder<Key>& order);
  void save(FileWriter file) const override;

  // at[i] = the position of the first pair whose key is not less than keys[i]; no key is above
  // order.span(). All keys are searched at once, their memory is prefetched. Cells that
  // are read and keys that are compared are added to `work`; null: they are not counted.
  void lower_bounds(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                    std::uint32_t* at, Counters* work) const override;

  // lower_bounds() for keys in a part of the column: fewer pieces have to be searched.
  void lower_bounds_in(const KeyPart& part, const KeyOrder<Key>& order, const Key* keys,
                       std::size_t count, std::uint32_t* at, Counters* work) const override;

  [[nodiscard]] LocatorBytes bytes() const override {
    return {{{"grid", offsets_.bytes() + pieces_.size() * sizeof(Piece) +
                          table_.size() * sizeof(std::uint32_t)}}};
  }
  [[nodiscard]] std::string describe() const override;

 private:
  // Cells of equal width over the keys from `first` on, which lie at positions `begin` and up.
  struct Piece {
    Spread spread;
    std::uint64_t first_cell;
    std::uint32_t begin;
    std::uint32_t keys_per_cell;  // as a fraction of 2^16

    // The start of a cell if keys were spread evenly.
    [[nodiscard]] std::uint32_t even_start(std::uint64_t cell) const {
      return begin + static_cast<std::uint32_t>(cell * keys_per_cell >> 16);
    }
  };

  // A piece in a file.
  struct SavedPiece {
    std::uint64_t first;
    std::uint32_t begin, cells;
  };

  // The pieces that some keys can be in.
  struct PieceRange {
    std::uint32_t first, last;
  };

  void lay_out(std::span<const SavedPiece> pieces, const KeyOrder<Key>& order);
  void fill(const KeyOrder<Key>& order);
  template <class Keys>
  [[nodiscard]] Array<std::uint32_t> cell_ends(const Keys& keys, std::size_t size) const;
  // Finds the pieces of at most `in_step` keys.
  void find_pieces(PieceRange range, const Key* keys, std::size_t count,
                   std::uint32_t* found) const;
  [[nodiscard]] std::uint32_t piece_of(Key key) const;
  // visit(piece, i) with the piece of each of at most `in_step` keys.
  template <class Visit>
  void visit_pieces(PieceRange range, const Key* keys, std::size_t count, const Visit& visit) const;
  void lower_bounds_of(PieceRange range, const KeyOrder<Key>& order, const Key* keys,
                       std::size_t count, std::uint32_t* at, Counters* work) const;
  // Among pairs, or among keys without rowIDs. `Work` counts the work, or nothing.
  template <class Work>
  void search(PieceRange range, const Pair<Key>* pairs, std::size_t size, const Key* keys,
              std::size_t count, std::uint32_t* at, Work work) const;
  template <class Work>
  void search(PieceRange range, const Key* in_order, std::size_t size, const Key* keys,
              std::size_t count, std::uint32_t* at, Work work) const;

  std::vector<Piece> pieces_;
  PieceRoot root_;
  std::vector<std::uint32_t> table_;
  std::uint64_t cells_ = 0;
  Array<std::int16_t> offsets_;
};

extern template class Grid<std::uint32_t>;
extern template class Grid<std::uint64_t>;

}  // namespace rtindex
