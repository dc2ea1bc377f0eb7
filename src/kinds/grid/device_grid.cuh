#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/checked_cast.hpp"
#include "base/cuda/cache_hints.cuh"
#include "engine/cuda/locate.cuh"
#include "engine/cuda/locate_both.cuh"
#include "engine/cuda/locate_edges.cuh"
#include "kinds/grid/grid_builder.cuh"
#include "kinds/grid/grid_cuda.hpp"
#include "kinds/grid/grid_group.hpp"
#include "kinds/grid/near_search.hpp"
#include "order/cuda/order_view.cuh"

// The native tracer's grid on a GPU. Each layout of keys is compiled in a file of its own.

namespace rtindex::cuda {

// Whether row() must find the first of equal keys.
enum class FirstRow : bool { no, yes };

template <class KeyType, Layout layout, class Work = NoWork, FirstRow first_row = FirstRow::no>
struct GridFinder {
  using Key = KeyType;
  static constexpr int lanes = 1;
  // Cells with more keys are searched by bisection: clustered keys, and equal keys.
  static constexpr std::uint32_t max_near = 32;

  OrderView<Key, layout, Work> order;
  const GridGroup* groups;
  const GridPiece* pieces;
  const std::uint32_t* table;  // of the root
  PieceRoot root;
  Spread whole;  // where the column is one piece

  [[nodiscard]] __device__ GroupWords group(std::uint32_t number) const {
    order.read_group();
    // The grid is kept in the cache: every lookup reads it, while few read the same keys.
    const ulonglong2 words = load_to_stay(reinterpret_cast<const ulonglong2*>(groups + number));
    return {{words.x, words.y}};
  }

  struct Cell {
    std::uint32_t begin, end;
    std::uint32_t guess;  // the position of the key if those of the cell were spread evenly
  };

  // The cells of the piece of a key, and their first group.
  [[nodiscard]] __device__ std::uint32_t find_piece(Key key, Spread& spread) const {
    if (root.last == 0) return 0;
    const std::uint32_t number = root.find(table, key, [&](std::uint32_t piece) {
      return __ldg(reinterpret_cast<const std::uint64_t*>(pieces + piece));
    });
    const auto* const piece = reinterpret_cast<const ulonglong2*>(pieces + number);
    const ulonglong2 line = __ldg(piece);
    spread = Spread::from_words(line.x, line.y);
    return __ldg(reinterpret_cast<const std::uint32_t*>(piece + 1));
  }

  // All keys before the cell are less than `key`, all after it greater.
  [[nodiscard]] __device__ Cell cell(Key key) const {
    Spread spread = whole;
    const std::uint32_t first_group = find_piece(key, spread);
    const auto number = static_cast<std::uint32_t>(spread(key));
    const std::uint32_t which = number / GridGroup::cells;
    const GroupWords words = group(first_group + which);
    if (words.kind() == GridGroup::Kind::search) return {words.begin(), words.end(), 0};
    const std::uint32_t j = number - which * GridGroup::cells;
    const std::uint32_t begin = words.begin() + words.bound(j);
    const std::uint32_t end = words.begin() + words.bound(j + 1);
    return {begin, end, begin + __umulhi(end - begin, spread.within_bin(key))};
  }

  [[nodiscard]] __device__ std::uint32_t row(Key key) const {
    const Cell in = cell(key);
    if (in.end - in.begin > max_near) return order.row_at(search(in, key), in.end, key);
    if constexpr (first_row == FirstRow::no)
      return row_near(order, in.begin, in.end, in.guess, key);
    if (in.begin == in.end) return miss_row;
    const Neighbour<Key> found =
        first_near(order, in.begin, in.end, in.guess, key, false, order.size);
    return found.key == key ? found.row : miss_row;
  }

  [[nodiscard]] __device__ Run equal(Key key) const {
    const Cell in = cell(key);
    return order.run_at(lower_bound(in, key), in.end, key);
  }

  // equal() where keys are unique.
  [[nodiscard]] __device__ Run only(Key key) const {
    const Cell in = cell(key);
    if (in.end - in.begin > max_near) return order.run_at(search(in, key), in.end, key);
    const std::uint32_t at = position_near(order, in.begin, in.end, in.guess, key);
    return at == miss_row ? Run{0, 0} : Run{at, at + 1};
  }

  [[nodiscard]] __device__ std::uint32_t lower_bound(Key key) const {
    return lower_bound(cell(key), key);
  }
  [[nodiscard]] __device__ std::uint32_t lower_bound(const Cell& in, Key key) const {
    if (in.end - in.begin > max_near) return search(in, key);
    return lower_near(order, in.begin, in.end, in.guess, key);
  }
  // In a cell with many keys, most likely equal ones.
  [[nodiscard]] __device__ std::uint32_t search(const Cell& in, Key key) const {
    if (order.key(in.begin) >= key) return in.begin;
    return order.lower_bound(in.begin + 1, in.end, key);
  }

  // The last key that is not greater, or the first that is not less.
  template <Edge edge>
  [[nodiscard]] __device__ Neighbour<Key> neighbour(Key key, bool unique) const {
    const Cell in = cell(key);
    if (in.end - in.begin > max_near)
      return neighbour_by_search<edge>(order, key, in.end, [&](Key wanted) {
        return order.lower_bound(in.begin, in.end, wanted);
      });
    if constexpr (edge == Edge::last)
      return last_near(order, in.begin, in.end, in.guess, key, unique);
    else
      return first_near(order, in.begin, in.end, in.guess, key, unique, order.size);
  }
};

// A grid over keys of any layout.
class GridSearcher : public PositionSearcher {
 public:
  template <class Key, Layout layout, class Work = NoWork, FirstRow first_row = FirstRow::no>
  [[nodiscard]] GridFinder<Key, layout, Work, first_row> finder(Work work = {}) const {
    return {OrderView<Key, layout, Work>(*order_, work),
            groups_.data(),
            pieces_.data(),
            table_.data(),
            root_,
            whole_};
  }
  [[nodiscard]] bool is_wide() const { return order_->is_wide(); }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> bytes() const override {
    return {{"grid", groups_.bytes() + pieces_.bytes() + table_.bytes()}};
  }

  [[nodiscard]] std::string describe() const override {
    return "grid: " + std::to_string(groups_.size()) + " groups of " +
           std::to_string(GridGroup::cells) + " cells" +
           (root_.last != 0 ? " in " + std::to_string(root_.last + 1) + " pieces" : "") + "\n";
  }

 protected:
  explicit GridSearcher(const DeviceOrder& order) : order_(&order) {}

  const DeviceOrder* order_;
  DeviceArray<GridGroup> groups_;
  DeviceArray<GridPiece> pieces_;
  DeviceArray<std::uint32_t> table_;
  PieceRoot root_;
  Spread whole_;
};

// The finders of a grid, for with_finder().
template <Layout layout, FirstRow first_row = FirstRow::no>
struct GridFinders {
  const GridSearcher& grid;
  template <class Key, class Work = NoWork>
  [[nodiscard]] GridFinder<Key, layout, Work, first_row> finder(Work work = {}) const {
    return grid.finder<Key, layout, Work, first_row>(work);
  }
};

// A newer segment of a pair always has pairs.
[[nodiscard]] inline const GridSearcher& newer_grid(const PositionSearcher& newer) {
  return checked_cast<const GridSearcher&>(newer);
}

template <Layout layout>
class DeviceGrid final : public GridSearcher {
 public:
  DeviceGrid(DeviceOrder& order, int keys_per_cell, const Queue& queue) : GridSearcher(order) {
    GridBuilder builder(keys_per_cell, queue);
    if (order.is_wide())
      builder.build(OrderView<std::uint64_t, layout>(order), order.span());
    else
      builder.build(OrderView<std::uint32_t, layout>(order), order.span());
    order.set_stats(builder.stats());
    groups_ = builder.take_groups();
    pieces_ = builder.take_pieces();
    table_ = builder.take_table();
    root_ = builder.root();
    whole_ = builder.spread();
    fused_ = {.sums = true,
              .included_sums = true,
              .edges = true,
              .edges_read_elements = true,
              .pair = true,
              .newer = layout == Layout::pairs,
              .ranks = true};
  }

  void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                 cudaStream_t stream) const override {
    const auto launch = [&](const auto& finder) {
      launch_find_rows(finder, lookups, rows, stream);
    };
    if (order_->unique() || lookups.any_row)
      with_counting_finder(finders(), is_wide(), lookups.counters, launch);
    else
      with_counting_finder(GridFinders<layout, FirstRow::yes>{*this}, is_wide(), lookups.counters,
                           launch);
  }
  void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    with_counting_finder(finders(), is_wide(), lookups.counters, [&](const auto& finder) {
      launch_find_points(finder, lookups, runs, stream);
    });
  }
  void find_ranges(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    with_counting_finder(finders(), is_wide(), lookups.counters, [&](const auto& finder) {
      launch_find_ranges(finder, *order_, lookups, runs, stream);
    });
  }

  void find_sums(const DeviceLookups& lookups, const SumTarget& target,
                 cudaStream_t stream) const override {
    with_finder(finders(), is_wide(),
                [&](const auto& finder) { launch_find_sums(finder, lookups, target, stream); });
  }
  void find_included_sums(const DeviceLookups& lookups, const IncludedSumTarget& target,
                          cudaStream_t stream) const override {
    with_finder(finders(), is_wide(), [&](const auto& finder) {
      launch_find_included_sums(finder, lookups, order_->unique(), target, stream);
    });
  }
  void find_ranks(const DeviceLookups& lookups, const RankTarget& target,
                  cudaStream_t stream) const override {
    with_finder(finders(), is_wide(), [&](const auto& finder) {
      launch_find_ranks(finder, *order_, lookups, target, stream);
    });
  }
  void find_edges(const DeviceLookups& lookups, const EdgeTarget& target,
                  cudaStream_t stream) const override {
    with_counting_finder(finders(), is_wide(), lookups.counters, [&](const auto& finder) {
      launch_find_edges<EdgeForms::all>(finder, *order_, lookups, target, stream);
    });
  }
  void answer_pair(const PositionSearcher& newer, const DeviceLookups& lookups,
                   const DeviceLookups& newer_lookups, const KeyFilter& newer_keys,
                   const DeviceRequest& request, cudaStream_t stream) const override {
    const GridSearcher& other = newer_grid(newer);
    answer_points_of_both(finders(), is_wide(), GridFinders<Layout::pairs>{other}, other.is_wide(),
                          lookups, newer_lookups, newer_keys, request, stream);
  }

 private:
  [[nodiscard]] GridFinders<layout> finders() const { return {*this}; }
};

}  // namespace rtindex::cuda
