#include "kinds/grid/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "base/search.hpp"
#include "engine/ordered_kind.hpp"
#include "kinds/registry.hpp"

namespace rtindex {

namespace {

// Keys that a cell should have, in eighths: where keys are crowded within their piece, cells are
// smaller.
constexpr std::uint32_t even_eighths = 16;
constexpr std::uint32_t crowded_eighths = 9;
// Without rowIDs: a cell is a quarter of a byte a key, and its keys are about a cache line.
constexpr std::uint32_t sorted_eighths = 64;
// Offsets from even positions fit 16 bits with a sign: stretches, which are joined with this error
// at their ends, have fewer keys than a chunk and a short run, 16384.
constexpr JoinLimits limits{1.1, 1.1, 14000};
// So few keys are found fast however crowded their cells are. Small changes make many such grids.
constexpr std::size_t max_in_one_piece = 64;
constexpr std::uint64_t max_keys_per_cell = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t fill_grain = std::size_t{1} << 16;
// Lookups whose memory is prefetched together: more than the core can have in flight, and few
// enough for all of it to stay in the L1 cache.
constexpr std::size_t in_step = 64;

// Steps of a binary search that cost as much as reading a table.
constexpr std::uint32_t root_table_steps = 2;

// Pairs that are compared at once: about as many as a cell holds, so that only prefetched memory is
// read. Keys that are compared at once: a cache line of wide ones, around an estimate.
template <class Element>
constexpr std::uint32_t at_once = 8;
template <class Key>
constexpr std::uint32_t at_once<Pair<Key>> = 4;

constexpr std::size_t line_bytes = 64;

// Counters of a search: one counts nothing, one counts all work.
struct NoWork {
  void read_cells(std::size_t) const {}
  void compared(std::size_t) const {}
};
struct CountedWork {
  Counters* counters;
  void read_cells(std::size_t count) const { counters->cells += count; }
  void compared(std::size_t count) const { counters->tested += count; }
};

// How many of the next elements have a key less than `key`; no branches to mispredict.
template <class Key>
std::uint32_t count_less(const Pair<Key>* pairs, Key key) {
  std::uint32_t less = 0;
  for (std::uint32_t i = 0; i < at_once<Pair<Key>>; ++i) less += pairs[i].key < key ? 1U : 0U;
  return less;
}
// By halving: fewer instructions than comparing all of them.
template <class Key>
std::uint32_t count_less(const Key* keys, Key key) {
  static_assert(at_once<Key> == 8);
  std::uint32_t less = keys[3] < key ? 4U : 0U;
  less += keys[less + 1] < key ? 2U : 0U;
  less += keys[less] < key ? 1U : 0U;
  return less + (keys[less] < key ? 1U : 0U);
}

// The first element from `at` on whose key is not less.
template <class Element, class Key, class Work>
std::uint32_t scan(const Element* elements, std::size_t size, std::uint32_t at, Key key,
                   Work work) {
  constexpr std::uint32_t step_size = at_once<Element>;
  work.compared(step_size);
  std::uint32_t less = count_less(elements + at, key);
  if (less < step_size) return at + less;
  at += step_size;
  if (at >= size) return static_cast<std::uint32_t>(size);
  work.compared(step_size);
  less = count_less(elements + at, key);
  if (less < step_size) return at + less;
  // Rare: a crowded cell. Exponential search, then binary search.
  std::uint64_t low = std::uint64_t{at} + step_size;
  std::uint64_t step = 8;
  while (low + step < size && key_of(elements[low + step]) < key) {
    work.compared(1);
    low += step + 1;
    step *= 2;
  }
  const std::uint64_t high = std::min<std::uint64_t>(size, low + step);
  return static_cast<std::uint32_t>(partition_point(low, high, [&](std::uint64_t at_middle) {
    work.compared(1);
    return key_of(elements[at_middle]) < key;
  }));
}

// The first key from `begin` on that is not less; the one at `end` is not.
template <class Key, class Work>
std::uint32_t scan_back(const Key* keys, std::uint32_t begin, std::uint32_t end, Key key,
                        Work work) {
  return partition_point(begin, end, [&](std::uint32_t at) {
    work.compared(1);
    return keys[at] < key;
  });
}

// Where to compare keys around an estimate: moved by up to two keys where that saves a cache line.
template <class Key>
std::uint32_t window_around(std::uint32_t estimate) {
  constexpr std::uint32_t window = at_once<Key>;
  const std::uint32_t begin = std::max(estimate, window / 2) - window / 2;
  if constexpr (window * sizeof(Key) < line_bytes) return begin;
  constexpr std::uint32_t max_move = 2;
  const std::uint32_t line = (begin + max_move) / window * window;
  return begin + max_move - line <= 2 * max_move ? line : begin;
}

template <class Element>
void prefetch_elements(const Element* elements, std::uint32_t at) {
  const char* address = reinterpret_cast<const char*>(elements + at);
  prefetch(address);
  prefetch(address + at_once<Element> * sizeof(Element) - 1);
}

}  // namespace

template <class Key>
Grid<Key>::Grid(const KeyOrder<Key>& order) {
  std::vector<KeyPiece> cut = {{0, 0, 1}};
  if (order.size() > max_in_one_piece)
    cut = order.with_elements([&](const auto* elements) {
      return cut_into_pieces(elements, order.size(), order.span(), limits);
    });
  const bool is_sorted = order.layout() == OrderLayout::keys;
  std::vector<SavedPiece> pieces;
  pieces.reserve(cut.size());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const bool is_last = i + 1 == cut.size();
    const std::uint64_t keys = (is_last ? order.size() : cut[i + 1].begin) - cut[i].begin;
    const std::uint64_t width = (is_last ? order.span() : cut[i + 1].first - 1) - cut[i].first;
    const std::uint32_t eighths = is_sorted            ? sorted_eighths
                                  : is_crowded(cut[i]) ? crowded_eighths
                                                       : even_eighths;
    const std::uint64_t wanted = std::max<std::uint64_t>(1, keys * 8 / eighths);
    const std::uint64_t cells = width < wanted ? width + 1 : wanted;
    pieces.push_back({cut[i].first, cut[i].begin, static_cast<std::uint32_t>(cells)});
  }
  lay_out(pieces, order);
  fill(order);
}

// Numbers the cells of all pieces.
template <class Key>
void Grid<Key>::lay_out(std::span<const SavedPiece> pieces, const KeyOrder<Key>& order) {
  pieces_.reserve(pieces.size());
  std::vector<std::uint64_t> firsts;
  firsts.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const SavedPiece& piece = pieces[i];
    const bool is_last = i + 1 == pieces.size();
    const std::uint64_t highest = is_last ? order.span() : pieces[i + 1].first - 1;
    const std::uint64_t keys = (is_last ? order.size() : pieces[i + 1].begin) - piece.begin;
    const std::uint64_t keys_per_cell = std::min((keys << 16) / piece.cells, max_keys_per_cell);
    pieces_.push_back({Spread(piece.first, highest, piece.cells), cells_, piece.begin,
                       static_cast<std::uint32_t>(keys_per_cell)});
    cells_ += piece.cells;
    firsts.push_back(piece.first);
  }
  MadeRoot made = make_root(firsts, order.span(), PieceSearch::in_step);
  root_ = made.root;
  table_ = std::move(made.table);
}

template <class Key>
Grid<Key>::Grid(const FileReader& file, const KeyOrder<Key>& order) {
  const auto pieces = file.small_array<SavedPiece>("pieces");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const SavedPiece& piece = pieces[i];
    const bool ascends = i == 0 ? piece.first == 0 : piece.first > pieces[i - 1].first;
    const std::uint64_t highest = i + 1 == pieces.size() ? order.span() : pieces[i + 1].first - 1;
    if (!ascends || piece.first > order.span() || piece.cells == 0 ||
        piece.cells - 1 > highest - piece.first || piece.begin > order.size() ||
        (i > 0 && piece.begin < pieces[i - 1].begin))
      file.reject("piece {} of its grid is impossible", i);
  }
  if (pieces.empty()) file.reject("its grid has no pieces");
  lay_out(pieces, order);
  offsets_ = file.array<std::int16_t>("offsets", cells_);
}

template <class Key>
void Grid<Key>::save(FileWriter file) const {
  std::vector<SavedPiece> pieces;
  pieces.reserve(pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const std::uint64_t end = i + 1 == pieces_.size() ? cells_ : pieces_[i + 1].first_cell;
    pieces.push_back(
        {piece.spread.lowest(), piece.begin, static_cast<std::uint32_t>(end - piece.first_cell)});
  }
  file.small_array("pieces", std::move(pieces));
  file.array("offsets", offsets_.span());
}

template <class Key>
void Grid<Key>::find_pieces(PieceRange range, const Key* keys, std::size_t count,
                            std::uint32_t* found) const {
  const Piece* const pieces = pieces_.data();
  std::uint32_t steps = steps_for(range.last - range.first + 1);
  if (root_.has_table && root_.steps + root_table_steps < steps) {
    steps = root_.steps;
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = root_.slot(keys[i]);
      prefetch(table_.data() + found[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = table_[found[i]];
      prefetch(pieces + found[i]);
    }
  } else {
    std::fill_n(found, count, range.first);
  }
  step_to_pieces(
      steps, range.last, keys, count,
      [&](std::uint32_t piece) { return pieces[piece].spread.lowest(); }, found);
}

template <class Key>
std::uint32_t Grid<Key>::piece_of(Key key) const {
  std::uint32_t found = 0;
  find_pieces({0, root_.last}, &key, 1, &found);
  return found;
}

// The position behind the last key of each cell, 0 where the cell has none. Every key writes the
// end of its cell, so that the last one of the cell remains: no branches to mispredict.
template <class Key>
template <class Keys>
Array<std::uint32_t> Grid<Key>::cell_ends(const Keys& keys, std::size_t size) const {
  Array<std::uint32_t> ends(cells_);
  parallel_for(ends.size(), fill_grain, [&](std::size_t first, std::size_t count) {
    std::fill_n(ends.data() + first, count, 0);
  });
  const auto cell_at = [&](std::size_t position) {
    const Piece& piece = pieces_[piece_of(keys[position])];
    return piece.first_cell + piece.spread(keys[position]);
  };
  // A cell belongs to the block where it begins.
  const auto end_of_cell_before = [&](std::size_t position) {
    if (position == 0 || position == size) return position;
    const std::uint64_t cell = cell_at(position - 1);
    return near_partition_point(position, size,
                                [&](std::size_t at) { return cell_at(at) == cell; });
  };
  parallel_for(size, fill_grain, [&](std::size_t first, std::size_t count) {
    std::size_t position = end_of_cell_before(first);
    const std::size_t end = end_of_cell_before(first + count);
    if (position >= end) return;
    std::uint32_t number = piece_of(keys[position]);
    for (; position < end; ++number) {
      const Piece& piece = pieces_[number];
      const std::size_t next =
          number + 1 == pieces_.size() ? size : std::size_t{pieces_[number + 1].begin};
      std::uint32_t* const own_ends = ends.data() + piece.first_cell;
      for (const std::size_t stop = std::min(next, end); position < stop; ++position)
        own_ends[piece.spread(keys[position])] = static_cast<std::uint32_t>(position + 1);
    }
  });
  return ends;
}

// The start of every cell: the position of the first key in it or after it.
template <class Key>
void Grid<Key>::fill(const KeyOrder<Key>& order) {
  const Array<std::uint32_t> ends =
      order.with_keys([&](const auto& keys) { return cell_ends(keys, order.size()); });
  offsets_ = Array<std::int16_t>(cells_);
  parallel_for(cells_, fill_grain, [&](std::size_t first, std::size_t count) {
    std::size_t before = first;
    while (before > 0 && ends[before - 1] == 0) --before;
    std::uint32_t start = before == 0 ? 0 : ends[before - 1];
    const auto above = std::upper_bound(
        pieces_.begin(), pieces_.end(), first,
        [](std::uint64_t cell, const Piece& piece) { return cell < piece.first_cell; });
    auto number = static_cast<std::size_t>(above - pieces_.begin()) - 1;
    for (std::size_t cell = first; cell < first + count; ++number) {
      const Piece& piece = pieces_[number];
      const std::size_t next =
          number + 1 == pieces_.size() ? cells_ : pieces_[number + 1].first_cell;
      for (const std::size_t stop = std::min(next, first + count); cell < stop; ++cell) {
        const auto offset =
            static_cast<std::int32_t>(start - piece.even_start(cell - piece.first_cell));
        assert(offset == static_cast<std::int16_t>(offset));
        offsets_.data()[cell] = static_cast<std::int16_t>(offset);
        start = std::max(start, ends[cell]);
      }
    }
  });
}

template <class Key>
void Grid<Key>::lower_bounds(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                             std::uint32_t* at, Counters* work) const {
  lower_bounds_of({0, root_.last}, order, keys, count, at, work);
}

template <class Key>
void Grid<Key>::lower_bounds_in(const KeyPart& part, const KeyOrder<Key>& order, const Key* keys,
                                std::size_t count, std::uint32_t* at, Counters* work) const {
  if (root_.last == 0) return lower_bounds_of({0, 0}, order, keys, count, at, work);
  const PieceRange range{piece_of(static_cast<Key>(part.first)),
                         piece_of(static_cast<Key>(part.last))};
  lower_bounds_of(range, order, keys, count, at, work);
}

template <class Key>
void Grid<Key>::lower_bounds_of(PieceRange range, const KeyOrder<Key>& order, const Key* keys,
                                std::size_t count, std::uint32_t* at, Counters* work) const {
  const auto search_all = [&](auto counting) {
    for (std::size_t first = 0; first < count; first += in_step)
      order.with_elements([&](const auto* elements) {
        search(range, elements, order.size(), keys + first, std::min(in_step, count - first),
               at + first, counting);
      });
  };
  if (work == nullptr)
    search_all(NoWork{});
  else
    search_all(CountedWork{work});
}

template <class Key>
template <class Visit>
void Grid<Key>::visit_pieces(PieceRange range, const Key* keys, std::size_t count,
                             const Visit& visit) const {
  if (range.first == range.last) {
    const Piece piece = pieces_[range.first];
    for (std::size_t i = 0; i < count; ++i) visit(piece, i);
    return;
  }
  std::uint32_t found[in_step];
  find_pieces(range, keys, count, found);
  for (std::size_t i = 0; i < count; ++i) visit(pieces_[found[i]], i);
}

template <class Key>
template <class Work>
void Grid<Key>::search(PieceRange range, const Pair<Key>* pairs, std::size_t size, const Key* keys,
                       std::size_t count, std::uint32_t* at, Work work) const {
  const std::int16_t* const offsets = offsets_.data();
  std::uint64_t cells[in_step];
  visit_pieces(range, keys, count, [&](const Piece& piece, std::size_t i) {
    const std::uint64_t cell = piece.spread(keys[i]);
    at[i] = piece.even_start(cell);
    cells[i] = piece.first_cell + cell;
    prefetch(offsets + cells[i]);
  });
  work.read_cells(count);
  for (std::size_t i = 0; i < count; ++i) {
    // A damaged file may contain any offset.
    at[i] = std::min(at[i] + static_cast<std::uint32_t>(offsets[cells[i]]),
                     static_cast<std::uint32_t>(size));
    prefetch_elements(pairs, at[i]);
  }
  for (std::size_t i = 0; i < count; ++i) at[i] = scan(pairs, size, at[i], keys[i], work);
}

// Without rowIDs cells are larger: the position of a key is estimated by how far into its cell it
// lies.
template <class Key>
template <class Work>
void Grid<Key>::search(PieceRange range, const Key* in_order, std::size_t size, const Key* keys,
                       std::size_t count, std::uint32_t* at, Work work) const {
  const std::int16_t* const offsets = offsets_.data();
  const auto end = static_cast<std::uint32_t>(size);
  struct Cell {
    std::uint64_t number;
    std::uint32_t begin, end;  // if keys were spread evenly; then those of its keys
    std::uint32_t within;      // how far into it the key lies, as a fraction of 2^32
  };
  Cell cells[in_step];
  visit_pieces(range, keys, count, [&](const Piece& piece, std::size_t i) {
    const std::uint64_t cell = piece.spread(keys[i]);
    cells[i] = {piece.first_cell + cell, piece.even_start(cell), piece.even_start(cell + 1),
                piece.spread.within_bin(keys[i])};
    prefetch(offsets + cells[i].number);
  });
  work.read_cells(count);
  for (std::size_t i = 0; i < count; ++i) {
    Cell& cell = cells[i];
    // A damaged file may contain any offset. Behind the last cell of a piece is one of the next,
    // which is near enough for an estimate.
    const std::uint64_t next = std::min(cell.number + 1, cells_ - 1);
    cell.begin = std::min(cell.begin + static_cast<std::uint32_t>(offsets[cell.number]), end);
    cell.end = std::min(cell.end + static_cast<std::uint32_t>(offsets[next]), end);
    const std::uint32_t length = cell.end > cell.begin ? cell.end - cell.begin : 0;
    const auto estimate = static_cast<std::uint32_t>(std::uint64_t{length} * cell.within >> 32);
    at[i] = std::max(cell.begin, window_around<Key>(cell.begin + estimate));
    prefetch_elements(in_order, at[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t found = scan(in_order, size, at[i], keys[i], work);
    const bool may_be_before = (found == at[i]) & (found != cells[i].begin);
    at[i] = may_be_before ? scan_back(in_order, cells[i].begin, found, keys[i], work) : found;
  }
}

template <class Key>
std::string Grid<Key>::describe() const {
  return fmt::format("tracer: native, grid of {} cells in {} over sorted keys\n", cells_,
                     pieces_.size() == 1 ? "one piece" : fmt::format("{} pieces", pieces_.size()));
}

template class Grid<std::uint32_t>;
template class Grid<std::uint64_t>;

Kind grid_kind() {
  Kind kind = ordered_kind<Grid>("rx", "native", "grid over sorted keys");
  kind.bind = [bind = kind.bind](const Spec& spec, const std::shared_ptr<DeviceMemory>& memory) {
    Engine engine = bind(spec, memory);
    engine.indexes_points = true;
    return engine;
  };
  return kind;
}

}  // namespace rtindex
