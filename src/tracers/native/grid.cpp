#include "tracers/native/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "base/search.hpp"
#include "execution/ordered_backend.hpp"

namespace rtindex {

namespace {

constexpr std::uint64_t keys_per_cell = 4;
constexpr std::uint32_t heavy = 32;  // a cell with more keys than this is refined
constexpr int max_depth = 6;
constexpr std::size_t fill_grain = std::size_t{1} << 16;
constexpr std::uint64_t samples = 1000;
// Lookups whose memory is prefetched together: more than the core can have in flight, and few
// enough for all of it to stay in the L1 cache.
constexpr std::size_t in_step = 64;
constexpr std::uint64_t resolved = std::numeric_limits<std::uint64_t>::max();

// Pairs that are compared at once: about as many as a cell holds, so that only prefetched memory is
// read.
constexpr std::uint32_t at_once = 4;

// What is counted of a search: nothing, or everything.
struct NoWork {
  void read_cells(std::size_t) const {}
  void compared(std::size_t) const {}
};
struct CountedWork {
  Counters* counters;
  void read_cells(std::size_t count) const { counters->cells += count; }
  void compared(std::size_t count) const { counters->tested += count; }
};

// How many of the next pairs have a key less than `key`; no branches to mispredict.
template <class Key>
std::uint32_t count_less(const Pair<Key>* pairs, Key key) {
  std::uint32_t less = 0;
  for (std::uint32_t i = 0; i < at_once; ++i) less += pairs[i].key < key ? 1U : 0U;
  return less;
}

// The first pair from `at` on whose key is not less.
template <class Key, class Work>
std::uint32_t scan(const Pair<Key>* pairs, std::size_t size, std::uint32_t at, Key key, Work work) {
  work.compared(at_once);
  std::uint32_t less = count_less(pairs + at, key);
  if (less < at_once) return at + less;
  at += at_once;
  if (at >= size) return static_cast<std::uint32_t>(size);
  work.compared(at_once);
  less = count_less(pairs + at, key);
  if (less < at_once) return at + less;
  // Rare: a crowded cell. Double the step until it overshoots, then halve.
  std::uint64_t low = std::uint64_t{at} + at_once;
  std::uint64_t step = 8;
  while (low + step < size && pairs[low + step].key < key) {
    work.compared(1);
    low += step + 1;
    step *= 2;
  }
  const std::uint64_t high = std::min<std::uint64_t>(size, low + step);
  return static_cast<std::uint32_t>(partition_point(low, high, [&](std::uint64_t at_middle) {
    work.compared(1);
    return pairs[at_middle].key < key;
  }));
}

// A level in a file.
struct SavedLevel {
  std::uint64_t cells, lowest, highest;
  std::uint32_t begin, end;
};

template <class Key>
void prefetch_pairs(const Pair<Key>* pairs, std::uint32_t at) {
  const char* address = reinterpret_cast<const char*>(pairs + at);
  prefetch(address);
  prefetch(address + at_once * sizeof(Pair<Key>) - 1);
}

constexpr std::size_t offsets_grain = std::size_t{1} << 16;

std::int64_t offset_of(std::uint64_t cell, std::uint64_t start) {
  return static_cast<std::int64_t>(start - cell * EvenStarts::keys_per_cell);
}

}  // namespace

EvenStarts::EvenStarts(const FileReader& file, std::uint64_t cells)
    : offsets_(file.array<std::int16_t>("offsets", cells)) {}

void EvenStarts::save(FileWriter file) const { file.array("offsets", offsets_.span()); }

bool EvenStarts::holds(std::uint64_t cell, std::uint64_t start) {
  const std::int64_t offset = offset_of(cell, start);
  return std::numeric_limits<std::int16_t>::min() <= offset &&
         offset <= std::numeric_limits<std::int16_t>::max();
}

std::optional<EvenStarts> EvenStarts::from(std::span<const std::uint32_t> ends,
                                           std::uint32_t most) {
  EvenStarts even;
  even.offsets_ = Array<std::int16_t>(ends.size());
  std::atomic<bool> all_fit = true;
  parallel_for(ends.size(), offsets_grain, [&](std::size_t first, std::size_t count) {
    std::size_t before = first;
    while (before > 0 && ends[before - 1] == 0) --before;
    std::uint32_t start = before == 0 ? 0 : ends[before - 1];
    bool fit = true;
    for (std::size_t cell = first; cell < first + count; ++cell) {
      const std::uint32_t end = std::max(start, ends[cell]);
      fit = fit && holds(cell, start) && end - start <= most;
      even.offsets_.data()[cell] = static_cast<std::int16_t>(offset_of(cell, start));
      start = end;
    }
    if (!fit) all_fit = false;
  });
  if (!all_fit) return std::nullopt;
  return even;
}

template <class Key>
Grid<Key>::Grid(const KeyOrder<Key>& order) {
  if (!fill_evenly(order)) fill_levels(order);
}

template <class Key>
auto Grid<Key>::whole(const KeyOrder<Key>& order, std::uint64_t cells) -> Level {
  return {Spread(0, order.span(), cells),          0, cells, 0, static_cast<Key>(order.span()), 0,
          static_cast<std::uint32_t>(order.size())};
}

// One level of small cells. A sample of the keys rules out most uneven columns early.
template <class Key>
bool Grid<Key>::fill_evenly(const KeyOrder<Key>& order) {
  const std::uint64_t size = order.size();
  const std::uint64_t cells = size / EvenStarts::keys_per_cell;
  if (cells == 0 || order.span() < cells) return false;
  const Level level = whole(order, cells);
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t position = i * (size - 1) / samples;
    if (!EvenStarts::holds(level.spread(order.key(position)), position)) return false;
  }
  std::optional<EvenStarts> even = even_starts(order, level);
  if (!even) return false;
  even_ = *std::move(even);
  levels_.push_back(level);
  return true;
}

// Every key writes the end of its cell, so that the last one of the cell remains: no branches to
// mispredict.
template <class Key>
std::optional<EvenStarts> Grid<Key>::even_starts(const KeyOrder<Key>& order, const Level& level) {
  Array<std::uint32_t> ends(level.cells);
  parallel_for(ends.size(), fill_grain, [&](std::size_t first, std::size_t count) {
    std::fill_n(ends.data() + first, count, 0);
  });
  const auto cell_at = [&](std::size_t position) { return level.spread(order.key(position)); };
  parallel_for(order.size(), fill_grain, [&](std::size_t first, std::size_t count) {
    // A cell belongs to the block where it begins, which may stop behind `heavy` + 1 of its keys.
    const auto end_of_cell = [&](std::size_t position, std::size_t limit) {
      const std::uint64_t cell = cell_at(position - 1);
      while (position < limit && cell_at(position) == cell) ++position;
      return position;
    };
    const std::size_t block_end = first + count;
    const std::size_t begin = first == 0 ? 0 : end_of_cell(first, block_end);
    if (begin == block_end) return;
    const std::size_t limit = std::min<std::size_t>(order.size(), block_end + heavy);
    const std::size_t end = end_of_cell(block_end, limit);
    for (std::size_t position = begin; position < end; ++position)
      ends[cell_at(position)] = static_cast<std::uint32_t>(position + 1);
  });
  return EvenStarts::from(std::as_const(ends).span(), heavy);
}

template <class Key>
void Grid<Key>::fill_levels(const KeyOrder<Key>& order) {
  const std::uint64_t size = order.size();
  const std::uint64_t wanted = std::max<std::uint64_t>(1, size / keys_per_cell);
  levels_.push_back(whole(order, order.span() < wanted ? order.span() + 1 : wanted));
  std::vector<std::vector<std::uint32_t>> starts(1);
  fill(order, levels_[0], starts[0]);
  // Positions need the flag bit beyond 2^31 keys; crowded cells are then searched by doubling.
  if (size < refined) refine(order, 0, 1, starts);

  std::size_t total = 0;
  for (const auto& level : starts) total += level.size();
  starts_ = Array<std::uint32_t>(total);
  std::size_t next = 0;
  for (auto& level : starts) {
    std::copy(level.begin(), level.end(), starts_.begin() + next);
    next += level.size();
    level = {};
  }
}

template <class Key>
Grid<Key>::Grid(const FileReader& file, const KeyOrder<Key>& order) {
  std::uint64_t next = 0;
  for (const SavedLevel& level : file.small_array<SavedLevel>("levels")) {
    const bool is_first = levels_.empty();
    if (level.cells == 0 || level.cells > std::numeric_limits<std::uint32_t>::max() ||
        level.lowest > level.highest || level.highest > order.span() || level.begin > level.end ||
        level.end > order.size())
      file.refuse("level {} of its grid is impossible", levels_.size());
    if (is_first && (level.lowest != 0 || level.highest != order.span()))
      file.refuse("its grid does not hold all keys");
    levels_.push_back({Spread(level.lowest, level.highest, level.cells), next, level.cells,
                       static_cast<Key>(level.lowest), static_cast<Key>(level.highest), level.begin,
                       level.end});
    next += level.cells;
  }
  if (levels_.empty() || (levels_.size() > 1 && order.size() >= refined))
    file.refuse("its grid has {} levels", levels_.size());
  if (levels_.size() == 1 && file.has("offsets"))
    even_ = EvenStarts(file, next);
  else
    starts_ = file.array<std::uint32_t>("starts", next);
}

template <class Key>
void Grid<Key>::save(FileWriter file) const {
  std::vector<SavedLevel> levels;
  for (const Level& level : levels_)
    levels.push_back({level.cells, level.lowest, level.highest, level.begin, level.end});
  file.small_array("levels", std::move(levels));
  if (even_.empty())
    file.array("starts", starts_.span());
  else
    even_.save(file);
}

// The start of every cell: the position of the first key in it or after it.
template <class Key>
void Grid<Key>::fill(const KeyOrder<Key>& order, const Level& level,
                     std::vector<std::uint32_t>& starts) {
  starts.resize(level.cells);
  const std::size_t size = level.end - level.begin;
  parallel_for(size, fill_grain, [&](std::size_t first, std::size_t count) {
    std::size_t position = level.begin + first;
    std::uint64_t next = first == 0 ? 0 : level.spread(order.key(position - 1)) + 1;
    for (std::size_t i = 0; i < count; ++i, ++position) {
      const std::uint64_t cell = level.spread(order.key(position));
      while (next <= cell) starts[next++] = static_cast<std::uint32_t>(position);
    }
  });
  const std::uint64_t last = size == 0 ? 0 : level.spread(order.key(level.end - 1)) + 1;
  std::fill(starts.begin() + static_cast<std::ptrdiff_t>(last), starts.end(), level.end);
}

// Gives every run of crowded cells a level of its own, where that makes the cells narrower.
template <class Key>
void Grid<Key>::refine(const KeyOrder<Key>& order, std::size_t level, int depth,
                       std::vector<std::vector<std::uint32_t>>& starts) {
  if (depth >= max_depth || levels_[level].spread.is_identity()) return;
  const std::uint64_t cells = levels_[level].cells;
  const std::uint32_t level_end = levels_[level].end;
  std::vector<std::uint32_t> own = starts[level];
  const auto end_of = [&](std::uint64_t cell) {
    return cell + 1 < cells ? own[cell + 1] : level_end;
  };
  for (std::uint64_t cell = 0; cell < cells; ++cell) {
    if (end_of(cell) - own[cell] <= heavy) continue;
    std::uint64_t last = cell;
    while (last + 1 < cells && end_of(last + 1) - own[last + 1] > heavy) ++last;
    const std::uint32_t begin = own[cell];
    const std::uint32_t end = end_of(last);
    const Key lowest = order.key(begin);
    const Key highest = order.key(end - 1);
    const std::uint64_t wanted = (end - begin) / keys_per_cell;
    if (lowest != highest && wanted > 2 * (last - cell + 1)) {
      const std::uint64_t width = static_cast<std::uint64_t>(highest) - lowest;
      const std::uint64_t child_cells = width < wanted ? width + 1 : wanted;
      const Level& before = levels_.back();
      const std::size_t child = levels_.size();
      levels_.push_back({Spread(lowest, highest, child_cells), before.first_cell + before.cells,
                         child_cells, lowest, highest, begin, end});
      starts.emplace_back();
      fill(order, levels_[child], starts[child]);
      for (std::uint64_t i = cell; i <= last; ++i)
        starts[level][i] = refined | static_cast<std::uint32_t>(child);
      refine(order, child, depth + 1, starts);
    }
    cell = last;
  }
}

template <class Key>
void Grid<Key>::lower_bounds(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                             std::uint32_t* at, Counters* work) const {
  const auto search_all = [&](auto counting) {
    for (std::size_t first = 0; first < count; first += in_step)
      search(order, keys + first, std::min(in_step, count - first), at + first, counting);
  };
  if (work == nullptr)
    search_all(NoWork{});
  else
    search_all(CountedWork{work});
}

template <class Key>
template <class Work>
void Grid<Key>::search(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                       std::uint32_t* at, Work work) const {
  const Pair<Key>* pairs = order.pairs();
  const auto size = static_cast<std::uint32_t>(order.size());
  const Spread spread = levels_[0].spread;
  std::uint64_t cells[in_step];
  for (std::size_t i = 0; i < count; ++i) {
    cells[i] = spread(keys[i]);
    prefetch(even_.empty() ? starts_.data() + cells[i] : even_.address(cells[i]));
  }
  work.read_cells(count);
  if (!even_.empty()) {
    for (std::size_t i = 0; i < count; ++i) {
      at[i] = std::min(even_[cells[i]], size);
      prefetch_pairs(pairs, at[i]);
    }
  } else if (levels_.size() == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      at[i] = std::min(starts_.data()[cells[i]], size);  // a file can hold any start
      prefetch_pairs(pairs, at[i]);
    }
  } else {
    resolve(order, keys, count, cells, at, work);
  }
  for (std::size_t i = 0; i < count; ++i) at[i] = scan(pairs, order.size(), at[i], keys[i], work);
}

// Follows refined cells down, all lookups level by level.
template <class Key>
template <class Work>
void Grid<Key>::resolve(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                        std::uint64_t* cells, std::uint32_t* at, Work work) const {
  const Pair<Key>* pairs = order.pairs();
  const auto size = static_cast<std::uint32_t>(order.size());
  bool again = true;
  // No level is deeper, except in a damaged file, where they might go around in circles.
  for (int depth = 0; again && depth < max_depth; ++depth) {
    again = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (cells[i] == resolved) continue;
      const std::uint32_t start = starts_.data()[cells[i]];
      if ((start & refined) == 0) {
        at[i] = std::min(start, size);
        prefetch_pairs(pairs, at[i]);
        cells[i] = resolved;
        continue;
      }
      const std::size_t number = std::min<std::size_t>(start & ~refined, levels_.size() - 1);
      const Level& level = levels_[number];
      if (keys[i] <= level.lowest || keys[i] > level.highest) {
        at[i] = keys[i] <= level.lowest ? level.begin : level.end;
        prefetch_pairs(pairs, at[i]);
        cells[i] = resolved;
        continue;
      }
      work.read_cells(1);
      cells[i] = level.first_cell + level.spread(keys[i]);
      prefetch(starts_.data() + cells[i]);
      again = true;
    }
  }
  if (again)
    for (std::size_t i = 0; i < count; ++i)
      if (cells[i] != resolved) at[i] = size;
}

template <class Key>
std::string Grid<Key>::describe() const {
  std::string text = fmt::format(
      "tracer: native, uniform grid of {} {}cells over sorted keys ({}-byte pairs with rowIDs)",
      levels_[0].cells, even_.empty() ? "" : "even ", sizeof(Pair<Key>));
  if (levels_.size() > 1)
    text += fmt::format("; crowded cells refined by {} levels with {} more cells",
                        levels_.size() - 1, starts_.size() - levels_[0].cells);
  return text + "\n";
}

template class Grid<std::uint32_t>;
template class Grid<std::uint64_t>;

const Backend& native_backend() {
  static const OrderedBackend<Grid> backend("rx", "native", "uniform grid over sorted keys");
  return backend;
}

}  // namespace rtindex
