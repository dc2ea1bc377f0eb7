#pragma once

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/cuda/launch.cuh"
#include "base/cuda/scratch.hpp"
#include "storage/cuda/order_view.cuh"
#include "tracers/native/grid_group.hpp"
#include "tracers/native/grid_marks.hpp"

// Builds the native tracer's grid on a GPU. Included by one file only.

namespace rtindex::cuda {

namespace {

// Levels of refinement before a group is searched by halves.
constexpr int most_depth = 6;

// A stretch of keys that gets a grid.
struct Region {
  GridLevel level;
  std::uint32_t parent;  // the group that it refines
};

[[nodiscard]] std::uint64_t cells_for(std::uint64_t keys, int keys_per_cell) {
  const auto each = static_cast<std::uint64_t>(keys_per_cell);
  return std::max<std::uint64_t>((keys + each - 1) / each, 1);
}

[[nodiscard]] std::uint64_t groups_for(std::uint64_t cells) {
  return (cells + GridGroup::cells - 1) / GridGroup::cells;
}

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

// One pass over the keys in key order, neighbours in neighbouring threads: marks where cells end by
// the lowest byte of the position, which is all that a group of most_keys needs to know, and where
// groups end in full. The next key comes from the next lane.
template <class View>
__global__ void __launch_bounds__(block_threads)
    mark_cells(View order, const Region* regions, int region_count, std::uint32_t first_group,
               GridGroup* groups, std::uint32_t* group_ends, OrderFacts* facts) {
  const std::size_t i = thread_number();
  const auto position = static_cast<std::uint32_t>(i);
  const bool whole =
      region_count == 1 && regions[0].level.begin == 0 && regions[0].level.end == order.size;
  int number = -1;
  if (i < order.size) number = whole ? 0 : region_of(regions, region_count, position);
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
  if (facts != nullptr) {
    if (__any_sync(~0U, live && !at.last && key == next_key) && threadIdx.x % 32 == 0)
      facts->duplicates = 1;
    if (live && position + 1 == order.size) facts->last_key = key;
  }
  if (!live) return;
  const std::uint32_t base = level.first_group - first_group;
  mark_key(
      at, position,
      [&](std::uint64_t group, std::uint32_t j, std::uint32_t end) {
        groups[base + group].bounds[j + 1] = static_cast<std::uint8_t>(end);
      },
      [&](std::uint64_t group, std::uint32_t end) { group_ends[base + group] = end; });
}

// Groups from the lowest bytes of their cells' ends. Where a group starts is where the one before
// it ends, or where its region begins.
__global__ void finish_groups(const Region* regions, int region_count, std::uint32_t first_group,
                              std::size_t group_count, const std::uint32_t* group_ends,
                              GridGroup* groups, std::uint32_t* heavy, std::uint32_t* heavy_count) {
  const std::size_t i = thread_number();
  if (i >= group_count) return;
  const auto number = static_cast<std::uint32_t>(first_group + i);
  int low = 0;
  int high = region_count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (regions[middle].level.first_group <= number)
      low = middle;
    else
      high = middle - 1;
  }
  const GridLevel& level = regions[low].level;
  const std::uint32_t begin =
      number == level.first_group ? level.begin : max(level.begin, group_ends[i - 1]);
  const std::uint32_t end = max(level.begin, group_ends[i]);
  if (end - begin > GridGroup::most_keys) heavy[atomicAdd(heavy_count, 1U)] = number;
  groups[i] = finished_group(groups[i], begin, end);
}

struct HeavyGroup {
  std::uint32_t number, begin, end;
  std::uint64_t lowest, highest;
};

template <class View>
__global__ void describe_heavy(View order, const GridGroup* groups, std::uint32_t first_group,
                               const std::uint32_t* heavy, std::uint32_t count, HeavyGroup* out) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const GridGroup& group = groups[heavy[i] - first_group];
  GroupWords words;
  memcpy(&words, &group, sizeof(words));
  const std::uint32_t end = words.other();
  out[i] = {heavy[i], group.begin, end, order.key(group.begin), order.key(end - 1)};
}

__global__ void link_levels(const Region* regions, int count, std::uint32_t first_level,
                            std::uint32_t parent_first_group, GridGroup* parents) {
  const std::size_t i = thread_number();
  if (i >= static_cast<std::size_t>(count)) return;
  GridGroup& group = parents[regions[i].parent - parent_first_group];
  set_other(group, GridGroup::Kind::refined, static_cast<std::uint32_t>(first_level + i));
}

struct Largest {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return max(a, b); }
};

class GridBuilder {
 public:
  GridBuilder(int keys_per_cell, std::shared_ptr<DeviceMemory> memory, cudaStream_t stream)
      : keys_per_cell_(keys_per_cell),
        memory_(std::move(memory)),
        stream_(stream),
        on_device_facts_(memory_, 1, stream) {
    check(cudaMemsetAsync(on_device_facts_.data(), 0, sizeof(OrderFacts), stream),
          "filling memory");
  }

  // One generation of groups: those of the regions found heavy in the generation before.
  struct Generation {
    DeviceArray<GridGroup> groups;
    std::uint32_t first_group = 0;
  };

  template <class View>
  void build(const View& order, std::uint64_t span) {
    Region whole{};
    whole.level = level_over(0, span, 0, order.size, 0);
    std::vector<Region> regions = {whole};
    for (int depth = 0; !regions.empty(); ++depth) {
      const std::vector<HeavyGroup> heavy = add_generation(order, regions);
      regions.clear();
      if (depth == most_depth) break;
      for (const HeavyGroup& group : heavy) {
        // Equal keys cannot be told apart by any grid.
        if (group.lowest == group.highest) continue;
        Region region{};
        region.parent = group.number;
        region.level = level_over(group.lowest, group.highest, group.begin, group.end, next_group_);
        next_group_ += count_groups(region.level);
        regions.push_back(region);
      }
    }
    join();
  }

  [[nodiscard]] DeviceArray<GridGroup> take_groups() { return std::move(all_groups_); }
  [[nodiscard]] DeviceArray<GridLevel> take_levels() { return std::move(all_levels_); }
  // What was seen of the keys.
  [[nodiscard]] const OrderFacts& facts() const { return facts_; }

 private:
  [[nodiscard]] GridLevel level_over(std::uint64_t lowest, std::uint64_t highest,
                                     std::uint32_t begin, std::uint32_t end,
                                     std::uint64_t first_group) const {
    return {Spread(lowest, highest, cells_for(end - begin, keys_per_cell_)),
            lowest,
            highest,
            static_cast<std::uint32_t>(first_group),
            begin,
            end};
  }

  [[nodiscard]] static std::uint64_t count_groups(const GridLevel& level) {
    return groups_for(level.spread(level.highest) + 1);
  }

  template <class View>
  std::vector<HeavyGroup> add_generation(const View& order, const std::vector<Region>& regions) {
    const std::uint32_t first = regions.front().level.first_group;
    if (next_group_ == 0) next_group_ = count_groups(regions.front().level);
    const std::size_t count = next_group_ - first;
    const auto region_count = static_cast<int>(regions.size());
    const DeviceArray<Region> on_device(memory_, regions.size(), stream_);
    check(cudaMemcpyAsync(on_device.data(), regions.data(), regions.size() * sizeof(Region),
                          cudaMemcpyHostToDevice, stream_),
          "copying to the GPU");
    if (!generations_.empty()) {
      link_levels<<<blocks_for(regions.size()), block_threads, 0, stream_>>>(
          on_device.data(), region_count, static_cast<std::uint32_t>(levels_.size()),
          generations_.back().first_group, generations_.back().groups.data());
      for (const Region& region : regions) levels_.push_back(region.level);
    }
    const DeviceArray<std::uint32_t> ends(memory_, count, stream_);
    check(cudaMemsetAsync(ends.data(), 0, ends.bytes(), stream_), "filling memory");
    Generation generation{DeviceArray<GridGroup>(memory_, count, stream_), first};
    if (order.size != 0)
      mark_cells<<<blocks_for(order.size), block_threads, 0, stream_>>>(
          order, on_device.data(), region_count, first, generation.groups.data(), ends.data(),
          generations_.empty() ? on_device_facts_.data() : nullptr);
    scan(ends);
    const DeviceArray<std::uint32_t> heavy(memory_, count + 1, stream_);
    std::uint32_t* const heavy_count = heavy.data() + count;
    check(cudaMemsetAsync(heavy_count, 0, sizeof(std::uint32_t), stream_), "filling memory");
    finish_groups<<<blocks_for(count), block_threads, 0, stream_>>>(
        on_device.data(), region_count, first, count, ends.data(), generation.groups.data(),
        heavy.data(), heavy_count);
    check_launch("building the grid");
    if (generations_.empty())
      check(cudaMemcpyAsync(&facts_, on_device_facts_.data(), sizeof(facts_),
                            cudaMemcpyDeviceToHost, stream_),
            "copying from the GPU");
    generations_.push_back(std::move(generation));
    return heavy_groups(order, heavy, heavy_count);
  }

  void scan(const DeviceArray<std::uint32_t>& ends) {
    with_scratch(memory_, stream_, "building the grid", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(scratch, bytes, ends.data(), ends.data(), Largest{},
                                            ends.size(), stream_);
    });
  }

  template <class View>
  std::vector<HeavyGroup> heavy_groups(const View& order, const DeviceArray<std::uint32_t>& heavy,
                                       const std::uint32_t* heavy_count) {
    std::uint32_t count = 0;
    check(cudaMemcpyAsync(&count, heavy_count, sizeof(count), cudaMemcpyDeviceToHost, stream_),
          "copying from the GPU");
    check(cudaStreamSynchronize(stream_), "building the grid");
    std::vector<HeavyGroup> groups(count);
    if (count == 0) return groups;
    const DeviceArray<HeavyGroup> described(memory_, count, stream_);
    describe_heavy<<<blocks_for(count), block_threads, 0, stream_>>>(
        order, generations_.back().groups.data(), generations_.back().first_group, heavy.data(),
        count, described.data());
    check_launch("building the grid");
    check(cudaMemcpyAsync(groups.data(), described.data(), count * sizeof(HeavyGroup),
                          cudaMemcpyDeviceToHost, stream_),
          "copying from the GPU");
    check(cudaStreamSynchronize(stream_), "building the grid");
    std::sort(groups.begin(), groups.end(),
              [](const HeavyGroup& a, const HeavyGroup& b) { return a.number < b.number; });
    return groups;
  }

  // All generations become one array; mostly there is only one.
  void join() {
    if (generations_.size() == 1) {
      all_groups_ = std::move(generations_.front().groups);
    } else {
      all_groups_ = DeviceArray<GridGroup>(memory_, next_group_, stream_);
      for (const Generation& generation : generations_)
        check(cudaMemcpyAsync(all_groups_.data() + generation.first_group, generation.groups.data(),
                              generation.groups.bytes(), cudaMemcpyDeviceToDevice, stream_),
              "copying on the GPU");
    }
    all_levels_ =
        DeviceArray<GridLevel>(memory_, std::max<std::size_t>(levels_.size(), 1), stream_);
    if (!levels_.empty())
      check(cudaMemcpyAsync(all_levels_.data(), levels_.data(), levels_.size() * sizeof(GridLevel),
                            cudaMemcpyHostToDevice, stream_),
            "copying to the GPU");
    check(cudaStreamSynchronize(stream_), "building the grid");
    generations_.clear();
  }

  int keys_per_cell_;
  std::shared_ptr<DeviceMemory> memory_;
  cudaStream_t stream_;
  DeviceArray<OrderFacts> on_device_facts_;
  OrderFacts facts_{};
  std::uint64_t next_group_ = 0;
  std::vector<Generation> generations_;
  std::vector<GridLevel> levels_;
  DeviceArray<GridGroup> all_groups_;
  DeviceArray<GridLevel> all_levels_;
};

}  // namespace

}  // namespace rtindex::cuda
