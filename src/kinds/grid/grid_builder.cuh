#pragma once

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"
#include "base/cuda/pinned_results.hpp"
#include "base/search.hpp"
#include "kinds/grid/grid_group.hpp"
#include "order/cuda/order_view.cuh"
#include "order/key_model.hpp"

// Builds the native tracer's grid on a GPU.

namespace rtindex::cuda {

namespace {

// The pieces of a grid and its groups, while they are made.
struct GroupsOf {
  const GridPiece* pieces;  // in ascending order
  std::uint32_t piece_count;
  GridGroup* groups;
  std::size_t count;
};

// The last of the pieces from `piece` on that begins at or before a position.
[[nodiscard]] __device__ inline std::uint32_t piece_at(const GroupsOf& made, std::uint32_t piece,
                                                       std::uint32_t position) {
  while (piece + 1 < made.piece_count && made.pieces[piece + 1].begin <= position) ++piece;
  return piece;
}

// One pass over the keys in key order, neighbours in neighbouring threads: writes the lowest byte
// of the end of each cell, enough for a group of max_keys, and the whole end of each group. The
// next key comes from the next lane.
template <class View>
__global__ void __launch_bounds__(block_threads)
    mark_cells(View order, GroupsOf made, std::uint32_t* group_ends, OrderStats* stats) {
  __shared__ std::uint32_t block_piece;
  const auto position = static_cast<std::uint32_t>(thread_number());
  if (threadIdx.x == 0)
    block_piece =
        partition_point(1U, made.piece_count,
                        [&](std::uint32_t piece) { return made.pieces[piece].begin <= position; }) -
        1;
  __syncthreads();
  const bool valid = thread_number() < order.size;
  const std::uint32_t number = valid ? piece_at(made, block_piece, position) : 0;
  const GridPiece piece = made.pieces[number];
  const std::uint32_t end =
      number + 1 < made.piece_count ? made.pieces[number + 1].begin : order.size;
  const std::uint64_t key = valid ? order.key(position) : 0;
  KeyCell at{};
  at.cell = piece.spread(key);
  at.first = position == piece.begin;
  at.last = position + 1 == end;
  std::uint64_t next_key = __shfl_down_sync(~0U, key, 1);
  at.next_cell = __shfl_down_sync(~0U, at.cell, 1);
  const bool ends_column = position + 1 == order.size;
  if (valid && !ends_column && threadIdx.x % 32 == 31) {
    next_key = order.key(position + 1);
    at.next_cell = piece.spread(next_key);
  }
  if (stats != nullptr) {
    const bool equal = valid && !ends_column && key == next_key;
    const bool descends = equal && order.row(position) > order.row(position + 1);
    if (__any_sync(~0U, equal) && threadIdx.x % 32 == 0) stats->duplicates = 1;
    if (__any_sync(~0U, descends) && threadIdx.x % 32 == 0) stats->unordered = 1;
    if (valid && ends_column) stats->last_key = key;
  }
  if (!valid) return;
  mark_key(
      at, position,
      [&](std::uint64_t group, std::uint32_t j, std::uint32_t to) {
        made.groups[piece.first_group + group].bounds[j + 1] = static_cast<std::uint8_t>(to);
      },
      [&](std::uint64_t group, std::uint32_t to) { group_ends[piece.first_group + group] = to; });
}

// Groups from the lowest bytes of the ends of their cells. A group begins at the end of the
// previous one, or at the begin of its piece.
__global__ void finish_groups(GroupsOf made, const std::uint32_t* group_ends,
                              std::uint32_t* any_heavy) {
  const std::size_t i = thread_number();
  if (i >= made.count) return;
  const std::uint32_t number =
      partition_point(1U, made.piece_count,
                      [&](std::uint32_t piece) { return made.pieces[piece].first_group <= i; }) -
      1;
  const GridPiece& piece = made.pieces[number];
  const std::uint32_t begin =
      i == piece.first_group ? piece.begin : max(piece.begin, group_ends[i - 1]);
  const std::uint32_t end = max(piece.begin, group_ends[i]);
  if (end - begin > GridGroup::max_keys) *any_heavy = 1;
  made.groups[i] = finished_group(made.groups[i], begin, end);
}

// What a pass over all keys finds.
struct SeenKeys {
  OrderStats stats;
  std::uint32_t any_heavy;  // a group has too many keys
};

// Threads that search the bounds of a group.
constexpr int group_threads = 16;
static_assert(GridGroup::cells < group_threads);

// The groups of a small column that is one piece, and its statistics, in one pass without memory to
// clear. One thread searches the begin of a cell, or the end of the group.
template <class View>
__global__ void __launch_bounds__(block_threads)
    search_groups(View order, Spread spread, GridGroup* groups, std::uint32_t count,
                  SeenKeys* seen) {
  const auto number = static_cast<std::uint32_t>(thread_number() / group_threads);
  const std::uint32_t lane = threadIdx.x % group_threads;
  std::uint32_t bound = 0;
  if (number < count && lane <= GridGroup::cells) {
    const std::uint64_t cell = std::uint64_t{number} * GridGroup::cells + lane;
    bound = partition_point(
        0U, order.size, [&](std::uint32_t position) { return spread(order.key(position)) < cell; });
  }
  GridGroup group{};
#pragma unroll
  for (int j = 1; j <= static_cast<int>(GridGroup::cells); ++j)
    group.bounds[j] = static_cast<std::uint8_t>(__shfl_sync(~0U, bound, j, group_threads));
  const std::uint32_t end = __shfl_sync(~0U, bound, GridGroup::cells, group_threads);
  const bool writes = number < count && lane == 0;
  if (writes) groups[number] = finished_group(group, bound, end);

  bool equal = false;
  bool descends = false;
  for (std::size_t i = thread_number(); i + 1 < order.size; i += thread_count()) {
    const auto position = static_cast<std::uint32_t>(i);
    if (order.key(position) != order.key(position + 1)) continue;
    equal = true;
    descends |= order.row(position) > order.row(position + 1);
  }
  const int any_heavy = __syncthreads_or(writes && end - bound > GridGroup::max_keys ? 1 : 0);
  const int any_equal = __syncthreads_or(equal ? 1 : 0);
  const int any_descends = __syncthreads_or(descends ? 1 : 0);
  if (threadIdx.x != 0) return;
  if (any_heavy != 0) seen->any_heavy = 1;
  if (any_equal != 0) seen->stats.duplicates = 1;
  if (any_descends != 0) seen->stats.unordered = 1;
  if (blockIdx.x == 0 && order.size != 0) seen->stats.last_key = order.key(order.size - 1);
}

// step_squares() of every block of keys, one warp each: a lane has a step.
template <class View>
__global__ void __launch_bounds__(block_threads) measure_blocks(View order, double* squares) {
  static_assert(pieces::block_keys == 32 * pieces::step_keys);
  const std::size_t block = thread_number() / 32;
  const std::uint64_t begin = block * pieces::block_keys;
  if (begin >= order.size) return;
  const std::uint32_t last = order.size - 1;
  const auto sample = [&](std::uint32_t step) {
    const std::uint64_t at = begin + step * pieces::step_keys;
    return std::uint64_t{order.key(static_cast<std::uint32_t>(at < last ? at : last))};
  };
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint64_t key = sample(lane);
  std::uint64_t next = __shfl_down_sync(~0U, key, 1);
  if (lane == 31) next = sample(32);
  const std::uint64_t from = begin + lane * pieces::step_keys;
  const std::uint64_t left = from < order.size ? order.size - from : 0;
  const std::uint64_t keys = left < pieces::step_keys ? left : pieces::step_keys;
  double sum = next != key ? pieces::squares_of(keys, next - key) : 0;
  for (int to = 16; to > 0; to /= 2) sum += __shfl_down_sync(~0U, sum, to);
  if (lane == 0) squares[block] = sum;
}

// Threads search within a cell from where a key should be, so that pieces may be less even than on
// a CPU.
constexpr JoinLimits join_limits{1.3, 2, 1e30};

// Room for the stretches of a chunk: steps, and runs of equal keys with the gaps around them. Runs
// can make steps shorter: stretches that do not fit are joined to the last one, which is then less
// even.
constexpr std::uint32_t max_stretches =
    pieces::chunk_keys / pieces::step_keys + 4 * pieces::chunk_keys / pieces::block_keys + 8;

// One thread cuts a chunk.
template <class View>
__global__ void cut_chunks(View order, const double* squares, JoinLimits limits,
                           std::uint32_t chunks, KeyStretch* stretches, std::uint32_t* counts) {
  const auto chunk = static_cast<std::uint32_t>(thread_number());
  if (chunk >= chunks) return;
  const auto key_at = [&](std::uint32_t position) { return std::uint64_t{order.key(position)}; };
  const std::uint64_t last_key = key_at(order.size - 1);
  KeyStretch* const own = stretches + std::size_t{chunk} * max_stretches;
  std::uint32_t count = 0;
  cut_chunk(
      key_at, [&](std::uint32_t block) { return squares[block]; }, order.size,
      last_key + 1 == 0 ? last_key : last_key + 1, chunk, limits,
      [&](const KeyStretch& stretch) {
        if (count < max_stretches) own[count++] = stretch;
      });
  counts[chunk] = count;
}

// One block of threads for each chunk; starts[chunk] stretches come before its own.
__global__ void pack_stretches(const KeyStretch* stretches, const std::uint32_t* starts,
                               KeyStretch* packed) {
  const std::uint32_t begin = starts[blockIdx.x];
  const std::uint32_t count = starts[blockIdx.x + 1] - begin;
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x)
    packed[begin + i] = stretches[std::size_t{blockIdx.x} * max_stretches + i];
}

struct Largest {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return max(a, b); }
};

// Tries the whole column as one piece. If a group then has too many keys, the column is cut into
// pieces.
class GridBuilder {
 public:
  GridBuilder(int keys_per_cell, const Queue& queue)
      : keys_per_cell_(keys_per_cell), queue_(queue) {}

  template <class View>
  void build(const View& order, std::uint64_t span) {
    const std::vector<KeyPiece> whole(1, KeyPiece{0, 0, 1.0F});
    const bool heavy =
        order.size <= max_searched ? search(order, whole, span) : fill(order, whole, span, true);
    if (!heavy || order.size < pieces::step_keys) return;
    const std::vector<KeyPiece> pieces = cut(order, span);
    if (pieces.size() > 1 || is_crowded(pieces.front()))
      static_cast<void>(fill(order, pieces, span, false));
  }

  [[nodiscard]] DeviceArray<GridGroup> take_groups() { return std::move(groups_); }
  [[nodiscard]] DeviceArray<GridPiece> take_pieces() { return std::move(pieces_); }
  [[nodiscard]] DeviceArray<std::uint32_t> take_table() { return std::move(table_); }
  [[nodiscard]] const PieceRoot& root() const { return root_; }
  // Of the only piece.
  [[nodiscard]] const Spread& spread() const { return spread_; }
  // The statistics of the keys.
  [[nodiscard]] const OrderStats& stats() const { return stats_; }

 private:
  // For up to so many keys a search for every cell takes less time than the launches of a pass over
  // the keys and a scan.
  static constexpr std::uint32_t max_searched = std::uint32_t{1} << 22;

  // fill() of a small column that is one piece, whose pieces and table are not needed.
  template <class View>
  bool search(const View& order, const std::vector<KeyPiece>& whole, std::uint64_t span) {
    const GridLayout layout = lay_out_grid(whole, order.size, span, keys_per_cell_);
    spread_ = layout.pieces.front().spread;
    root_ = layout.root;
    groups_ = DeviceArray<GridGroup>(queue_, layout.groups);
    PinnedResults<SeenKeys> seen(queue_);
    search_groups<<<blocks_for(group_threads * layout.groups), block_threads, 0, queue_>>>(
        order, spread_, groups_.data(), static_cast<std::uint32_t>(layout.groups), seen.data());
    check_launch(building);
    const SeenKeys& found = seen.read(building).front();
    stats_ = found.stats;
    return found.any_heavy != 0;
  }

  // Makes the groups of these pieces; returns whether some have too many keys.
  template <class View>
  bool fill(const View& order, const std::vector<KeyPiece>& cut, std::uint64_t span,
            bool wants_stats) {
    const GridLayout layout = lay_out_grid(cut, order.size, span, keys_per_cell_);
    spread_ = layout.pieces.front().spread;
    root_ = layout.root;
    // From pageable memory, which is read before the call returns.
    pieces_ = on_device(layout.pieces);
    table_ = on_device(layout.table);
    groups_ = DeviceArray<GridGroup>(queue_, layout.groups);
    const DeviceArray<std::uint32_t> ends(queue_, layout.groups);
    const DeviceArray<SeenKeys> seen(queue_, 1);
    // Keys do not write all bytes; the others must be zero.
    check(cudaMemsetAsync(groups_.data(), 0, groups_.bytes(), queue_), "filling memory");
    check(cudaMemsetAsync(ends.data(), 0, ends.bytes(), queue_), "filling memory");
    check(cudaMemsetAsync(seen.data(), 0, sizeof(SeenKeys), queue_), "filling memory");
    const GroupsOf made{pieces_.data(), root_.last + 1, groups_.data(), groups_.size()};
    if (order.size != 0)
      mark_cells<<<blocks_for(order.size), block_threads, 0, queue_>>>(
          order, made, ends.data(), wants_stats ? &seen.data()->stats : nullptr);
    with_scratch(queue_, building, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(scratch, bytes, ends.data(), ends.data(), Largest{},
                                            ends.size(), queue_);
    });
    finish_groups<<<blocks_for(made.count), block_threads, 0, queue_>>>(made, ends.data(),
                                                                        &seen.data()->any_heavy);
    check_launch(building);
    if (!wants_stats) return false;
    SeenKeys now{};
    read(&now, seen.data(), 1);
    stats_ = now.stats;
    return now.any_heavy != 0;
  }

  template <class View>
  std::vector<KeyPiece> cut(const View& order, std::uint64_t span) {
    const std::size_t blocks = (order.size + pieces::block_keys - 1) / pieces::block_keys;
    const auto chunks = static_cast<std::uint32_t>(
        (order.size + std::uint64_t{pieces::chunk_keys} - 1) / pieces::chunk_keys);
    const DeviceArray<double> squares(queue_, blocks);
    const DeviceArray<KeyStretch> stretches(queue_, std::size_t{chunks} * max_stretches);
    const DeviceArray<std::uint32_t> counts(queue_, chunks);
    measure_blocks<<<blocks_for(32 * blocks), block_threads, 0, queue_>>>(order, squares.data());
    constexpr unsigned few_threads = 32;
    cut_chunks<<<(chunks + few_threads - 1) / few_threads, few_threads, 0, queue_>>>(
        order, squares.data(), join_limits, chunks, stretches.data(), counts.data());
    check_launch(building);
    std::vector<std::uint32_t> starts(chunks + 1);
    read(starts.data() + 1, counts.data(), chunks);
    for (std::size_t i = 0; i < chunks; ++i) starts[i + 1] += starts[i];
    const DeviceArray<std::uint32_t> device_starts = on_device(starts);
    const DeviceArray<KeyStretch> packed(queue_, starts.back());
    pack_stretches<<<chunks, block_threads, 0, queue_>>>(stretches.data(), device_starts.data(),
                                                         packed.data());
    check_launch(building);
    std::vector<KeyStretch> all(packed.size());
    read(all.data(), packed.data(), all.size());
    return join_stretches({all.data(), all.size()}, order.size, stats_.last_key, span, join_limits);
  }

  template <class T>
  DeviceArray<T> on_device(const std::vector<T>& elements) const {
    DeviceArray<T> array(queue_, std::max<std::size_t>(1, elements.size()));
    check(cudaMemcpyAsync(array.data(), elements.data(), elements.size() * sizeof(T),
                          cudaMemcpyHostToDevice, queue_),
          "copying to the GPU");
    return array;
  }

  // Blocks until the elements are copied.
  template <class T>
  void read(T* to, const T* from, std::size_t count) const {
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, queue_),
          "copying from the GPU");
    check(cudaStreamSynchronize(queue_), building);
  }

  static constexpr const char* building = "building the grid";

  int keys_per_cell_;
  Queue queue_;
  OrderStats stats_{};
  PieceRoot root_;
  Spread spread_;
  DeviceArray<GridPiece> pieces_;
  DeviceArray<std::uint32_t> table_;
  DeviceArray<GridGroup> groups_;
};

}  // namespace

}  // namespace rtindex::cuda
