#pragma once

#include <algorithm>

#include "base/cuda/launch.cuh"
#include "storage/cuda/order_view.cuh"
#include "tracers/native/grid_group.hpp"
#include "tracers/native/grid_marks.hpp"

// The kernels that make the native tracer's grid on a GPU. Included by one file only.

namespace rtindex::cuda {

namespace {

// A stretch of keys that gets a grid.
struct Region {
  GridLevel level;
  std::uint32_t parent;  // the group that it refines
};

// Where the groups of some regions stand, and which numbers they have.
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

// One pass over the keys in key order, neighbours in neighbouring threads: marks where cells end by
// the lowest byte of the position, which is all that a group of most_keys needs to know, and where
// groups end in full. The next key comes from the next lane.
template <class View>
__global__ void __launch_bounds__(block_threads)
    mark_cells(View order, GroupsOf made, std::uint32_t* group_ends, OrderFacts* facts) {
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
  if (facts != nullptr) {
    if (__any_sync(~0U, live && !at.last && key == next_key) && threadIdx.x % 32 == 0)
      facts->duplicates = 1;
    if (live && position + 1 == order.size) facts->last_key = key;
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

// Groups from the lowest bytes of their cells' ends. Where a group starts is where the one before
// it ends, or where its region begins.
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

// What a group without cells spans, if a grid of its own can tell its keys apart; else nothing.
struct Heavy {
  std::uint32_t begin, end;
  std::uint64_t lowest, highest;
  // So few keys lie side by side that a grid would put them into one group again.
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

// One more than there are groups, so that a sum over them ends with their number.
template <class View>
__global__ void flag_refinable(View order, GroupsOf made, std::uint32_t* flags) {
  const std::size_t i = thread_number();
  if (i > made.count) return;
  flags[i] = i < made.count && heavy_at(order, made.groups[i]).refinable() ? 1 : 0;
}

// The regions of refinable groups, in their order; places[i] of them stand before group i.
template <class View>
__global__ void make_regions(View order, GroupsOf made, const std::uint32_t* places,
                             int keys_per_cell, Region* regions, std::uint32_t* group_counts) {
  const std::size_t i = thread_number();
  if (i >= made.count || places[i] == places[i + 1]) return;
  const Heavy heavy = heavy_at(order, made.groups[i]);
  Region region{};
  region.parent = static_cast<std::uint32_t>(made.first + i);
  region.level = level_over(heavy.lowest, heavy.highest, heavy.begin, heavy.end, keys_per_cell);
  regions[places[i]] = region;
  group_counts[places[i]] = static_cast<std::uint32_t>(groups_of(region.level));
}

// Groups are numbered on from `first`, levels from `first_level`; the groups refined say so.
__global__ void number_regions(Region* regions, int count, const std::uint32_t* group_places,
                               std::uint32_t first, std::uint32_t first_level, GroupsOf parents) {
  const std::size_t i = thread_number();
  if (i >= static_cast<std::size_t>(count)) return;
  regions[i].level.first_group = first + group_places[i];
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

}  // namespace

}  // namespace rtindex::cuda
