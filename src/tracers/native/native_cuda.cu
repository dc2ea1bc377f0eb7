#include "tracers/native/native_cuda.hpp"

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <vector>

#include "storage/cuda/locate.cuh"
#include "storage/cuda/order_view.cuh"
#include "tracers/native/grid_group.hpp"

namespace rtindex::cuda {

namespace {

// Levels of refinement before a group is searched by halves.
constexpr int most_depth = 6;

// A load that asks the second cache to keep what it brings: every lookup needs the grid, and no two
// need the same keys.
[[nodiscard]] __device__ inline ulonglong2 load_to_stay(const ulonglong2* at) {
#if __CUDA_ARCH__ >= 800
  std::uint64_t policy;
  ulonglong2 value;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.nc.L2::cache_hint.v2.u64 {%0, %1}, [%2], %3;"
               : "=l"(value.x), "=l"(value.y)
               : "l"(at), "l"(policy));
  return value;
#else
  return __ldg(at);
#endif
}

template <class KeyType>
struct GridFinder {
  using Key = KeyType;
  static constexpr int lanes = 1;
  static constexpr Layout layout = sizeof(Key) == 4 ? Layout::pairs : Layout::split;

  OrderView<Key, layout> order;
  const GridGroup* groups;
  const GridLevel* levels;
  Spread top;

  [[nodiscard]] __device__ GroupWords group(std::uint32_t number) const {
    const auto* at = reinterpret_cast<const ulonglong2*>(groups + number);
    const ulonglong2 a = load_to_stay(at);
    const ulonglong2 b = load_to_stay(at + 1);
    return {{a.x, a.y, b.x, b.y}};
  }

  // All keys before the cell are less than `key`, all behind it greater.
  [[nodiscard]] __device__ Run cell(Key key) const {
    auto number = static_cast<std::uint32_t>(top(key));
    std::uint32_t which = number / GridGroup::cells;
    GroupWords words = group(which);
    while (words.kind() == GridGroup::Kind::refined) {
      const GridLevel& level = levels[words.other()];
      if (key < level.lowest) return {level.begin, level.begin};
      if (key > level.highest) return {level.end, level.end};
      number = static_cast<std::uint32_t>(level.spread(key));
      which = number / GridGroup::cells;
      words = group(level.first_group + which);
    }
    if (words.kind() == GridGroup::Kind::search) return {words.begin(), words.other()};
    const std::uint32_t j = number - which * GridGroup::cells;
    return {words.begin() + words.bound(j), words.begin() + words.bound(j + 1)};
  }

  [[nodiscard]] __device__ std::uint32_t row(Key key) const {
    Run run = cell(key);
    if (run.end - run.begin > 16) {
      const std::uint32_t at = order.lower_bound(run.begin, run.end, key);
      return at < run.end && order.key(at) == key ? order.row(at) : missing_row;
    }
    for (std::uint32_t at = run.begin & ~3U; at < run.end; at += 4) {
      const Four<Key> found = order.four(at);
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i)
        if (found.keys[i] == key) {
          // Behind the last key stand rowIDs that mean "none".
          if constexpr (layout == Layout::pairs) return found.rows[i];
          return order.row(at + i);
        }
      if (found.keys[3] > key) break;
    }
    return missing_row;
  }

  [[nodiscard]] __device__ Run equal(Key key) const {
    const Run run = cell(key);
    const std::uint32_t begin = order.lower_bound(run.begin, run.end, key);
    if (begin >= run.end || order.key(begin) != key) return {begin, begin};
    return {begin, order.end_of_equal(begin, run.end, key)};
  }

  [[nodiscard]] __device__ std::uint32_t lower_bound(Key key) const {
    const Run run = cell(key);
    return order.lower_bound(run.begin, run.end, key);
  }
};

// --- building -------------------------------------------------------------------------------

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

// ends[cell] = where the cell ends, for cells that hold keys; their last key writes it.
template <class View>
__global__ void mark_ends(View order, const Region* regions, int region_count,
                          std::uint32_t first_group, std::uint32_t* ends) {
  const std::size_t i = thread_number();
  if (i >= order.size) return;
  const auto position = static_cast<std::uint32_t>(i);
  const int number =
      region_count == 1 && regions[0].level.begin == 0 && regions[0].level.end == order.size
          ? 0
          : region_of(regions, region_count, position);
  if (number < 0) return;
  const GridLevel& level = regions[number].level;
  const std::uint64_t first_cell =
      std::uint64_t{level.first_group - first_group} * GridGroup::cells;
  const std::uint64_t cell = level.spread(order.key(position));
  if (position + 1 < level.end && level.spread(order.key(position + 1)) == cell) return;
  ends[first_cell + cell] = position + 1;
}

// Groups of cells from the cells' ends. Where a cell starts is where the one before it ends, or
// where its region begins.
__global__ void pack_groups(const Region* regions, int region_count, std::uint32_t first_group,
                            std::size_t group_count, const std::uint32_t* ends, GridGroup* groups,
                            std::uint32_t* heavy, std::uint32_t* heavy_count) {
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
  const std::size_t first_cell = i * GridGroup::cells;
  const auto end_at = [&](std::size_t cell) { return max(level.begin, ends[cell]); };
  const std::uint32_t begin = number == level.first_group ? level.begin : end_at(first_cell - 1);
  GridGroup group;
  group.begin = begin;
  group.bounds[0] = 0;
  std::uint32_t end = begin;
  for (std::uint32_t j = 0; j < GridGroup::cells; ++j) {
    end = end_at(first_cell + j);
    group.bounds[j + 1] = static_cast<std::uint8_t>(end - begin);
  }
  if (end - begin > GridGroup::most_keys) {
    group.bounds[0] = static_cast<std::uint8_t>(GridGroup::Kind::search);
    for (int byte = 0; byte < 4; ++byte)
      group.bounds[group_other_at + byte] = static_cast<std::uint8_t>(end >> (8 * byte));
    heavy[atomicAdd(heavy_count, 1U)] = number;
  }
  groups[i] = group;
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
  std::uint32_t end = 0;
  for (int byte = 0; byte < 4; ++byte)
    end |= std::uint32_t{group.bounds[group_other_at + byte]} << (8 * byte);
  out[i] = {heavy[i], group.begin, end, order.key(group.begin), order.key(end - 1)};
}

__global__ void link_levels(const Region* regions, int count, std::uint32_t first_level,
                            std::uint32_t parent_first_group, GridGroup* parents) {
  const std::size_t i = thread_number();
  if (i >= static_cast<std::size_t>(count)) return;
  GridGroup& group = parents[regions[i].parent - parent_first_group];
  group.bounds[0] = static_cast<std::uint8_t>(GridGroup::Kind::refined);
  const auto number = static_cast<std::uint32_t>(first_level + i);
  for (int byte = 0; byte < 4; ++byte)
    group.bounds[group_other_at + byte] = static_cast<std::uint8_t>(number >> (8 * byte));
}

struct Largest {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return max(a, b); }
};

class GridBuilder {
 public:
  GridBuilder(int keys_per_cell, std::shared_ptr<DeviceMemory> memory, cudaStream_t stream)
      : keys_per_cell_(keys_per_cell), memory_(std::move(memory)), stream_(stream) {}

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
    const DeviceArray<std::uint32_t> ends(memory_, count * GridGroup::cells, stream_);
    check(cudaMemsetAsync(ends.data(), 0, ends.bytes(), stream_), "filling memory");
    if (order.size != 0)
      mark_ends<<<blocks_for(order.size), block_threads, 0, stream_>>>(
          order, on_device.data(), region_count, first, ends.data());
    scan(ends);
    Generation generation{DeviceArray<GridGroup>(memory_, count, stream_), first};
    const DeviceArray<std::uint32_t> heavy(memory_, count + 1, stream_);
    std::uint32_t* const heavy_count = heavy.data() + count;
    check(cudaMemsetAsync(heavy_count, 0, sizeof(std::uint32_t), stream_), "filling memory");
    pack_groups<<<blocks_for(count), block_threads, 0, stream_>>>(
        on_device.data(), region_count, first, count, ends.data(), generation.groups.data(),
        heavy.data(), heavy_count);
    check_launch("building the grid");
    generations_.push_back(std::move(generation));
    return heavy_groups(order, heavy, heavy_count);
  }

  void scan(const DeviceArray<std::uint32_t>& ends) {
    std::size_t bytes = 0;
    const auto call = [&](void* scratch) {
      return cub::DeviceScan::InclusiveScan(scratch, bytes, ends.data(), ends.data(), Largest{},
                                            ends.size(), stream_);
    };
    check(call(nullptr), "building the grid");
    const DeviceBytes scratch(memory_, bytes, stream_);
    check(call(scratch.data()), "building the grid");
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
  std::uint64_t next_group_ = 0;
  std::vector<Generation> generations_;
  std::vector<GridLevel> levels_;
  DeviceArray<GridGroup> all_groups_;
  DeviceArray<GridLevel> all_levels_;
};

class DeviceGrid final : public Locator {
 public:
  DeviceGrid(const DeviceOrder& order, int keys_per_cell,
             const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream)
      : order_(&order), top_(0, order.span(), cells_for(order.size(), keys_per_cell)) {
    GridBuilder builder(keys_per_cell, memory, stream);
    if (order.is_wide())
      builder.build(OrderView<std::uint64_t, Layout::split>(order), order.span());
    else
      builder.build(OrderView<std::uint32_t, Layout::pairs>(order), order.span());
    groups_ = builder.take_groups();
    levels_ = builder.take_levels();
  }

  template <class Key>
  [[nodiscard]] GridFinder<Key> finder() const {
    return {OrderView<Key, GridFinder<Key>::layout>(*order_), groups_.data(), levels_.data(), top_};
  }

  void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                 cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(),
                [&](const auto& finder) { launch_find_rows(finder, lookups, rows, stream); });
  }
  [[nodiscard]] bool find_sums(const DeviceLookups& lookups, const SumTarget& target,
                               cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(),
                [&](const auto& finder) { launch_find_sums(finder, lookups, target, stream); });
    return true;
  }
  void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(),
                [&](const auto& finder) { launch_find_points(finder, lookups, runs, stream); });
  }
  void find_ranges(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(), [&](const auto& finder) {
      launch_find_ranges(finder, *order_, lookups, runs, stream);
    });
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> bytes() const override {
    return {{"grid", groups_.bytes() + levels_.bytes()}};
  }

  [[nodiscard]] std::string describe() const override {
    return "grid: " + std::to_string(groups_.size()) + " groups of " +
           std::to_string(GridGroup::cells) + " cells" +
           (levels_.size() > 1 ? ", " + std::to_string(levels_.size()) + " of them refined" : "") +
           "\n";
  }

 private:
  const DeviceOrder* order_;
  Spread top_;
  DeviceArray<GridGroup> groups_;
  DeviceArray<GridLevel> levels_;
};

}  // namespace

std::unique_ptr<Locator> make_grid(const DeviceOrder& order, int keys_per_cell,
                                   const std::shared_ptr<DeviceMemory>& memory,
                                   cudaStream_t stream) {
  return std::make_unique<DeviceGrid>(order, keys_per_cell, memory, stream);
}

}  // namespace rtindex::cuda
