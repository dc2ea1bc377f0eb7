#pragma once

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/cuda/scratch.hpp"
#include "tracers/native/grid_kernels.cuh"

// Builds the native tracer's grid on a GPU. Included by one file only.

namespace rtindex::cuda {

namespace {

// Levels of refinement before a group is searched by halves.
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
  // How many groups have a level of their own. (There is an array of levels even where none has.)
  [[nodiscard]] std::uint32_t refined() const { return level_count_; }
  // What was seen of the keys.
  [[nodiscard]] const OrderFacts& facts() const { return seen_.facts; }

 private:
  // The groups of some regions: the whole column, or what is too heavy in the generation before.
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
    OrderFacts facts;
    std::uint32_t any_heavy;
  };

  // Makes the groups of a generation; whether some of them are too heavy.
  template <class View>
  bool add(const View& order, Generation made) {
    made.groups = DeviceArray<GridGroup>(memory_, made.group_count, stream_);
    const DeviceArray<std::uint32_t> ends(memory_, made.group_count, stream_);
    const DeviceArray<Seen> seen(memory_, 1, stream_);
    // What no key marks is made from zeros, not from what the memory held before.
    check(cudaMemsetAsync(made.groups.data(), 0, made.groups.bytes(), stream_), "filling memory");
    check(cudaMemsetAsync(ends.data(), 0, ends.bytes(), stream_), "filling memory");
    check(cudaMemsetAsync(seen.data(), 0, sizeof(Seen), stream_), "filling memory");
    const bool first = generations_.empty();
    if (order.size != 0)
      mark_cells<<<blocks_for(order.size), block_threads, 0, stream_>>>(
          order, made.view(), ends.data(), first ? &seen.data()->facts : nullptr);
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

  // The regions of the last generation's heavy groups, but for those of equal keys, which no grid
  // can tell apart. All of it stays on the GPU: there may be hundreds of thousands.
  template <class View>
  Generation refine(const View& order) {
    const GroupsOf parents = generations_.back().view();
    const unsigned blocks = blocks_for(parents.count + 1);
    const DeviceArray<std::uint32_t> places(memory_, parents.count + 1, stream_);
    flag_refinable<<<blocks, block_threads, 0, stream_>>>(order, parents, places.data());
    Generation next;
    next.region_count = static_cast<int>(sum(places));
    next.first_group = next_group_;
    if (next.region_count == 0) return next;
    const auto count = static_cast<std::size_t>(next.region_count);
    next.regions = DeviceArray<Region>(memory_, count, stream_);
    const DeviceArray<std::uint32_t> group_places(memory_, count + 1, stream_);
    check(cudaMemsetAsync(group_places.data() + count, 0, sizeof(std::uint32_t), stream_),
          "filling memory");
    make_regions<<<blocks, block_threads, 0, stream_>>>(
        order, parents, places.data(), keys_per_cell_, next.regions.data(), group_places.data());
    next.group_count = sum(group_places);
    number_regions<<<blocks_for(count), block_threads, 0, stream_>>>(
        next.regions.data(), next.region_count, group_places.data(),
        static_cast<std::uint32_t>(next.first_group), level_count_, parents);
    check_launch(building);
    level_count_ += static_cast<std::uint32_t>(count);
    return next;
  }

  // Numbers become sums of those before them; the last of these is the result.
  std::uint32_t sum(const DeviceArray<std::uint32_t>& numbers) {
    with_scratch(memory_, stream_, building, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, numbers.data(), numbers.data(),
                                           numbers.size(), stream_);
    });
    return read(numbers.data() + numbers.size() - 1);
  }

  // Blocks until it is there.
  template <class T>
  T read(const T* from) const {
    T value{};
    check(cudaMemcpyAsync(&value, from, sizeof(T), cudaMemcpyDeviceToHost, stream_),
          "copying from the GPU");
    check(cudaStreamSynchronize(stream_), building);
    return value;
  }

  // All generations become one array; mostly there is only one.
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
        // The whole column is no group's level.
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
