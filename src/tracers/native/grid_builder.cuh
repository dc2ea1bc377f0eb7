#pragma once

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"
#include "storage/cuda/order_view.cuh"
#include "tracers/native/grid_group.hpp"

// Builds the native tracer's grid on a GPU. Included by one file only.

namespace rtindex::cuda {

namespace {

// A range of keys with a grid of its own.
struct Region {
  GridLevel level;
  std::uint32_t parent;  // the group that it refines
};

// The groups of some regions, and their numbers.
struct GroupsOf {
  const Region* regions;  // in ascending order
  int region_count;
  std::uint32_t first;
  std::size_t count;
  GridGroup* groups;
};

// The region that a position belongs to, or -1. Regions are in ascending order.
__device__ int region_of(const Region* regions, int count, std::uint32_t position) {
  int low = 0;
  int high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (regions[middle].level.end <= position)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && regions[low].level.begin <= position ? low : -1;
}

// One pass over the keys in key order, neighbours in neighbouring threads: writes the lowest byte
// of the end of each cell, enough for a group of most_keys, and the whole end of each group. The
// next key comes from the next lane.
template <class View>
__global__ void __launch_bounds__(block_threads)
    mark_cells(View order, GroupsOf made, std::uint32_t* group_ends, OrderStats* stats) {
  const Region* const regions = made.regions;
  const std::size_t i = thread_number();
  const auto position = static_cast<std::uint32_t>(i);
  const bool whole =
      made.region_count == 1 && regions[0].level.begin == 0 && regions[0].level.end == order.size;
  int number = -1;
  if (i < order.size) number = whole ? 0 : region_of(regions, made.region_count, position);
  const bool live = number >= 0;
  const GridLevel& level = regions[live ? number : 0].level;
  const std::uint64_t key = live ? order.key(position) : 0;
  KeyCell at{};
  at.cell = level.spread(key);
  at.first = position == level.begin;
  at.last = position + 1 == level.end;
  std::uint64_t next_key = __shfl_down_sync(~0U, key, 1);
  at.next_cell = __shfl_down_sync(~0U, at.cell, 1);
  if (live && !at.last && threadIdx.x % 32 == 31) {
    next_key = order.key(position + 1);
    at.next_cell = level.spread(next_key);
  }
  if (stats != nullptr) {
    const bool equal = live && !at.last && key == next_key;
    const bool descends = equal && order.row(position) > order.row(position + 1);
    if (__any_sync(~0U, equal) && threadIdx.x % 32 == 0) stats->duplicates = 1;
    if (__any_sync(~0U, descends) && threadIdx.x % 32 == 0) stats->unordered = 1;
    if (live && position + 1 == order.size) stats->last_key = key;
  }
  if (!live) return;
  const std::uint32_t base = level.first_group - made.first;
  mark_key(
      at, position,
      [&](std::uint64_t group, std::uint32_t j, std::uint32_t end) {
        made.groups[base + group].bounds[j + 1] = static_cast<std::uint8_t>(end);
      },
      [&](std::uint64_t group, std::uint32_t end) { group_ends[base + group] = end; });
}

// Groups from the lowest bytes of the ends of their cells. A group begins at the end of the
// previous one, or at the begin of its region.
__global__ void finish_groups(GroupsOf made, const std::uint32_t* group_ends,
                              std::uint32_t* any_heavy) {
  const std::size_t i = thread_number();
  if (i >= made.count) return;
  const auto number = static_cast<std::uint32_t>(made.first + i);
  int low = 0;
  int high = made.region_count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (made.regions[middle].level.first_group <= number)
      low = middle;
    else
      high = middle - 1;
  }
  const GridLevel& level = made.regions[low].level;
  const std::uint32_t begin =
      number == level.first_group ? level.begin : max(level.begin, group_ends[i - 1]);
  const std::uint32_t end = max(level.begin, group_ends[i]);
  if (end - begin > GridGroup::most_keys) *any_heavy = 1;
  made.groups[i] = finished_group(made.groups[i], begin, end);
}

// The keys of a group without cells; empty for other groups.
struct Heavy {
  std::uint32_t begin, end;
  std::uint64_t lowest, highest;
  // A grid of fewer distinct keys would have a single group again.
  [[nodiscard]] __device__ bool refinable() const { return highest - lowest >= GridGroup::cells; }
};

template <class View>
[[nodiscard]] __device__ Heavy heavy_at(const View& order, const GridGroup& group) {
  GroupWords words;
  memcpy(&words, &group, sizeof(words));
  if (words.kind() != GridGroup::Kind::search) return {};
  const std::uint32_t begin = words.begin();
  const std::uint32_t end = words.other();
  return {begin, end, order.key(begin), order.key(end - 1)};
}

// One more flag than groups: the last sum over them is their number.
template <class View>
__global__ void flag_refinable(View order, GroupsOf made, std::uint32_t* flags) {
  const std::size_t i = thread_number();
  if (i > made.count) return;
  flags[i] = i < made.count && heavy_at(order, made.groups[i]).refinable() ? 1 : 0;
}

// The regions of refinable groups, in their order; positions[i] is the number of them before group
// i.
template <class View>
__global__ void make_regions(View order, GroupsOf made, const std::uint32_t* positions,
                             int keys_per_cell, Region* regions, std::uint32_t* group_counts) {
  const std::size_t i = thread_number();
  if (i >= made.count || positions[i] == positions[i + 1]) return;
  const Heavy heavy = heavy_at(order, made.groups[i]);
  Region region{};
  region.parent = static_cast<std::uint32_t>(made.first + i);
  region.level = level_over(heavy.lowest, heavy.highest, heavy.begin, heavy.end, keys_per_cell);
  regions[positions[i]] = region;
  group_counts[positions[i]] = static_cast<std::uint32_t>(groups_of(region.level));
}

// Numbers groups from `first` on and levels from `first_level` on, and marks the refined groups.
__global__ void number_regions(Region* regions, int count, const std::uint32_t* group_positions,
                               std::uint32_t first, std::uint32_t first_level, GroupsOf parents) {
  const std::size_t i = thread_number();
  if (i >= static_cast<std::size_t>(count)) return;
  regions[i].level.first_group = first + group_positions[i];
  set_other(parents.groups[regions[i].parent - parents.first], GridGroup::Kind::refined,
            static_cast<std::uint32_t>(first_level + i));
}

__global__ void copy_levels(const Region* regions, int count, GridLevel* levels) {
  const std::size_t i = thread_number();
  if (i < static_cast<std::size_t>(count)) levels[i] = regions[i].level;
}

struct Largest {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return max(a, b); }
};

// Levels of refinement before a group is searched by bisection.
constexpr int most_depth = 6;

class GridBuilder {
 public:
  GridBuilder(int keys_per_cell, std::shared_ptr<DeviceMemory> memory, cudaStream_t stream)
      : keys_per_cell_(keys_per_cell), memory_(std::move(memory)), stream_(stream) {}

  template <class View>
  void build(const View& order, std::uint64_t span) {
    Region whole{};
    whole.level = level_over(0, span, 0, order.size, keys_per_cell_);
    Generation first;
    first.regions = DeviceArray<Region>(memory_, 1, stream_);
    first.region_count = 1;
    first.group_count = groups_of(whole.level);
    check(cudaMemcpyAsync(first.regions.data(), &whole, sizeof(whole), cudaMemcpyHostToDevice,
                          stream_),
          "copying to the GPU");
    bool heavy = add(order, std::move(first));
    for (int depth = 0; heavy && depth < most_depth; ++depth) {
      Generation next = refine(order);
      heavy = next.region_count != 0 && add(order, std::move(next));
    }
    join();
  }

  [[nodiscard]] DeviceArray<GridGroup> take_groups() { return std::move(all_groups_); }
  [[nodiscard]] DeviceArray<GridLevel> take_levels() { return std::move(all_levels_); }
  // How many groups have a level of their own. (The array of levels is never empty.)
  [[nodiscard]] std::uint32_t refined() const { return level_count_; }
  // The statistics of the keys.
  [[nodiscard]] const OrderStats& stats() const { return seen_.stats; }

 private:
  // The groups of some regions: the whole column, or the heavy groups of the previous generation.
  struct Generation {
    DeviceArray<Region> regions;
    DeviceArray<GridGroup> groups;
    int region_count = 0;
    std::uint64_t first_group = 0;
    std::size_t group_count = 0;

    [[nodiscard]] GroupsOf view() const {
      return {regions.data(), region_count, static_cast<std::uint32_t>(first_group), group_count,
              groups.data()};
    }
  };

  struct Seen {
    OrderStats stats;
    std::uint32_t any_heavy;
  };

  // Makes the groups of a generation; whether some of them are too heavy.
  template <class View>
  bool add(const View& order, Generation made) {
    made.groups = DeviceArray<GridGroup>(memory_, made.group_count, stream_);
    const DeviceArray<std::uint32_t> ends(memory_, made.group_count, stream_);
    const DeviceArray<Seen> seen(memory_, 1, stream_);
    // Keys do not mark all bytes; the others have to be zero.
    check(cudaMemsetAsync(made.groups.data(), 0, made.groups.bytes(), stream_), "filling memory");
    check(cudaMemsetAsync(ends.data(), 0, ends.bytes(), stream_), "filling memory");
    check(cudaMemsetAsync(seen.data(), 0, sizeof(Seen), stream_), "filling memory");
    const bool first = generations_.empty();
    if (order.size != 0)
      mark_cells<<<blocks_for(order.size), block_threads, 0, stream_>>>(
          order, made.view(), ends.data(), first ? &seen.data()->stats : nullptr);
    with_scratch(memory_, stream_, building, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(scratch, bytes, ends.data(), ends.data(), Largest{},
                                            ends.size(), stream_);
    });
    finish_groups<<<blocks_for(made.group_count), block_threads, 0, stream_>>>(
        made.view(), ends.data(), &seen.data()->any_heavy);
    check_launch(building);
    const Seen now = read(seen.data());
    if (first) seen_ = now;
    next_group_ += made.group_count;
    generations_.push_back(std::move(made));
    return now.any_heavy != 0;
  }

  // The regions of the last generation's heavy groups, except for those of equal keys, which a grid
  // cannot separate. They stay on the GPU: there may be hundreds of thousands.
  template <class View>
  Generation refine(const View& order) {
    const GroupsOf parents = generations_.back().view();
    const unsigned blocks = blocks_for(parents.count + 1);
    const DeviceArray<std::uint32_t> positions(memory_, parents.count + 1, stream_);
    flag_refinable<<<blocks, block_threads, 0, stream_>>>(order, parents, positions.data());
    Generation next;
    next.region_count = static_cast<int>(sum(positions));
    next.first_group = next_group_;
    if (next.region_count == 0) return next;
    const auto count = static_cast<std::size_t>(next.region_count);
    next.regions = DeviceArray<Region>(memory_, count, stream_);
    const DeviceArray<std::uint32_t> group_positions(memory_, count + 1, stream_);
    check(cudaMemsetAsync(group_positions.data() + count, 0, sizeof(std::uint32_t), stream_),
          "filling memory");
    make_regions<<<blocks, block_threads, 0, stream_>>>(order, parents, positions.data(),
                                                        keys_per_cell_, next.regions.data(),
                                                        group_positions.data());
    next.group_count = sum(group_positions);
    number_regions<<<blocks_for(count), block_threads, 0, stream_>>>(
        next.regions.data(), next.region_count, group_positions.data(),
        static_cast<std::uint32_t>(next.first_group), level_count_, parents);
    check_launch(building);
    level_count_ += static_cast<std::uint32_t>(count);
    return next;
  }

  // Replaces numbers by the sums of those before them; returns the last sum.
  std::uint32_t sum(const DeviceArray<std::uint32_t>& numbers) {
    with_scratch(memory_, stream_, building, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, numbers.data(), numbers.data(),
                                           numbers.size(), stream_);
    });
    return read(numbers.data() + numbers.size() - 1);
  }

  // Blocks until the value is copied.
  template <class T>
  T read(const T* from) const {
    T value{};
    check(cudaMemcpyAsync(&value, from, sizeof(T), cudaMemcpyDeviceToHost, stream_),
          "copying from the GPU");
    check(cudaStreamSynchronize(stream_), building);
    return value;
  }

  // Joins all generations in one array; mostly there is only one.
  void join() {
    all_levels_ = DeviceArray<GridLevel>(memory_, std::max<std::size_t>(level_count_, 1), stream_);
    if (generations_.size() == 1) {
      all_groups_ = std::move(generations_.front().groups);
    } else {
      all_groups_ = DeviceArray<GridGroup>(memory_, next_group_, stream_);
      GridLevel* levels = all_levels_.data();
      for (std::size_t i = 0; i < generations_.size(); ++i) {
        const Generation& generation = generations_[i];
        check(cudaMemcpyAsync(all_groups_.data() + generation.first_group, generation.groups.data(),
                              generation.groups.bytes(), cudaMemcpyDeviceToDevice, stream_),
              "copying on the GPU");
        // The level of the whole column is a member of the locator.
        if (i == 0) continue;
        copy_levels<<<blocks_for(static_cast<std::size_t>(generation.region_count)), block_threads,
                      0, stream_>>>(generation.regions.data(), generation.region_count, levels);
        levels += generation.region_count;
      }
      check_launch(building);
    }
    generations_.clear();
  }

  static constexpr const char* building = "building the grid";

  int keys_per_cell_;
  std::shared_ptr<DeviceMemory> memory_;
  cudaStream_t stream_;
  Seen seen_{};
  std::uint64_t next_group_ = 0;
  std::uint32_t level_count_ = 0;
  std::vector<Generation> generations_;
  DeviceArray<GridGroup> all_groups_;
  DeviceArray<GridLevel> all_levels_;
};

}  // namespace

}  // namespace rtindex::cuda
