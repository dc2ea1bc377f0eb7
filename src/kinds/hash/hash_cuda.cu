#include "kinds/hash/hash_cuda.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <utility>

#include <rtindex/error.hpp>

#include "base/cuda/device_array.hpp"
#include "base/cuda/transfer.hpp"
#include "engine/cuda/locate.cuh"
#include "kinds/hash/hash_entries.cuh"
#include "kinds/hash/hash_finder.cuh"
#include "kinds/hash/hash_place.cuh"

namespace rtindex::cuda {

namespace {

// Entries whose rows are listed: those with duplicate keys, or all.
template <class Hash>
struct IsListed {
  Entries<Hash> entries;
  std::size_t size;
  bool all;
  __device__ bool operator()(std::uint32_t i) const { return all || entries.repeats(i, size); }
};

// Whether a listed entry is the first of its key.
template <class Hash>
struct StartsRun {
  Entries<Hash> entries;
  const std::uint32_t* listed;
  __device__ bool operator()(std::uint32_t i) const { return entries.starts(listed[i]); }
};

template <class Hash>
__global__ void copy_listed(Entries<Hash> entries, const std::uint32_t* listed, std::size_t count,
                            std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i < count) rows[i] = entries.value(listed[i]);
}

// Makes the value of each key with a run the number of that run.
template <class Hash>
__global__ void number_runs(TableFinder<Hash, 1> table, Entries<Hash> entries,
                            const std::uint32_t* listed, const std::uint32_t* starts,
                            std::uint32_t runs) {
  const std::size_t run = thread_number();
  if (run >= runs) return;
  const std::uint64_t slot = table.slot_of(entries.hash(listed[starts[run]]));
  table.slots.set_value(slot, table.runs.first_run + static_cast<std::uint32_t>(run));
}

// Whether a key in key order is the first of equal ones.
template <class Key>
struct StartsEqualKeys {
  const Key* keys;
  __device__ bool operator()(std::uint32_t at) const { return at == 0 || keys[at] != keys[at - 1]; }
};

template <class Key>
__global__ void copy_keys_at(const Key* keys, const std::uint32_t* at, std::uint32_t count,
                             Key* distinct) {
  const std::size_t i = thread_number();
  if (i < count) distinct[i] = keys[at[i]];
}

// Copies keys to the positions of their rows, or in any order with their rows; `*written` counts
// the latter.
template <class Key>
__global__ void copy_slots(TableFinder<Key, 1> table, std::uint64_t used, Key* keys,
                           std::uint32_t* row_list, std::uint32_t* written) {
  const std::size_t at = thread_number();
  if (at >= used) return;
  const Key hash = table.slots.hash(at);
  // A slot before its hash's bucket only fills a gap.
  if (std::uint64_t{bucket_of(hash, table.buckets)} * bucket_slots < Key >> at) return;
  const auto write = [&](std::uint32_t row) {
    const std::uint32_t to = row_list == nullptr ? row : atomicAdd(written, 1U);
    keys[to] = unmix(hash);
    if (row_list != nullptr) row_list[to] = row;
  };
  const std::uint32_t value = table.slots.value(at);
  if (!table.runs.is_run(value)) return write(value);
  const std::uint32_t first = table.runs.first_run;
  const Run run = table.runs.run(value);
  for (std::uint32_t i = run.begin; i < run.end; ++i) write(table.runs.rows[i - first]);
}

template <class Key>
class DeviceTable final : public PositionSearcher {
 public:
  DeviceTable(DeviceOrder& order, int group, double load, const Queue& queue)
      : order_(order), group_(group), load_(load) {
    if (order.size() == 0) {
      order.set_stats({});
    } else {
      if (order.by_full_keys())
        take_runs(queue);
      else
        extract_keys(queue);
      fill_rest<<<blocks_for(capacity_ - used_), block_threads, 0, queue>>>(
          Slots<Key>{slots_.data()}, used_, capacity_);
      check_launch(building_table);
    }
    check(cudaStreamSynchronize(queue), building_table);
  }

  void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                 cudaStream_t stream) const override {
    if (distinct_ == 0) {
      check(cudaMemsetAsync(rows, 0xff, lookups.count * sizeof(*rows), stream), "filling memory");
      return;
    }
    with_group([&](const auto& finder) { launch_find_rows(finder, lookups, rows, stream); });
  }
  void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    if (distinct_ == 0) {
      check(cudaMemsetAsync(runs, 0, lookups.count * sizeof(*runs), stream), "filling memory");
      return;
    }
    with_group([&](const auto& finder) { launch_find_points(finder, lookups, runs, stream); });
  }
  void find_ranges(const DeviceLookups&, Run*, cudaStream_t) const override { fail_not_offered(); }

  [[nodiscard]] DeviceColumn column(const DeviceOrder& order, const Queue& queue) const override {
    DeviceColumn result;
    result.size = order.size();
    result.row_count = order.row_count();
    result.span = order.span();
    DeviceArray<Key> keys(queue, result.size);
    const DeviceArray<std::uint32_t> written(queue, 1);
    check(cudaMemsetAsync(written.data(), 0, written.bytes(), queue), "filling memory");
    if (result.size != result.row_count) {
      result.rows = DeviceArray<std::uint32_t>(queue, result.size);
      result.rows_ascend = false;
    }
    if (result.size != 0)
      copy_slots<<<blocks_for(used_), block_threads, 0, queue>>>(
          finder<1>(), used_, keys.data(), result.rows.data(), written.data());
    check_launch("copying keys");
    if constexpr (sizeof(Key) == 4)
      result.narrow = std::move(keys);
    else
      result.wide = std::move(keys);
    return in_row_order(std::move(result), queue);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> bytes() const override {
    return {{"slots", slots_.bytes()}, {"runs of equal keys", starts_.bytes()}};
  }
  [[nodiscard]] std::string describe() const override {
    return "table: " + std::to_string(distinct_) + " distinct keys in " +
           std::to_string(slot_count_) + " slots, probed by " + std::to_string(group_) +
           (group_ == 1 ? " thread\n" : " threads\n");
  }

 private:
  template <int lanes>
  [[nodiscard]] TableFinder<Key, lanes> finder() const {
    return {
        {slots_.data()}, {starts_.data(), order_.split_rows(), first_run_}, buckets_, slot_count_};
  }

  template <class Work>
  void with_group(Work&& work) const {
    switch (group_) {
      case 2: return work(finder<2>());
      case 4: return work(finder<4>());
      case 8: return work(finder<8>());
      case 16: return work(finder<16>());
      case 32: return work(finder<32>());
      default: return work(finder<1>());
    }
  }

  // Extracts the keys of the order. Slots hold the rows of unique keys; those of duplicate keys are
  // listed.
  void extract_keys(const Queue& queue) {
    DeviceColumn column = order_.extract_column();
    const Key* keys = nullptr;
    if constexpr (sizeof(Key) == 4)
      keys = column.narrow.data();
    else
      keys = column.wide.data();
    SortedEntries<Key> entries(keys, column.rows.data(), column.size, queue);
    column = DeviceColumn();
    entries.sort();
    const EntryStats& stats = entries.stats();
    order_.set_stats(
        {.last_key = 0, .duplicates = stats.repeated != 0 ? 1U : 0U, .unordered = stats.unordered});
    distinct_ = stats.distinct;
    // Rows and positions of listed rows are numbered together, below miss_row: if there are too
    // many, the rows of all keys are listed.
    const bool fits = order_.row_count() + stats.repeated < miss_row;
    first_run_ = fits ? static_cast<std::uint32_t>(order_.row_count()) : 0;
    assign_slots(entries, queue);
    DeviceArray<std::uint32_t> rows;
    if (stats.repeated != 0) rows = list_rows(entries, !fits, queue);
    order_.set_table_rows(std::move(rows), first_run_);
  }

  [[nodiscard]] DeviceArray<std::uint32_t> list_rows(const SortedEntries<Key>& entries, bool all,
                                                     const Queue& queue) {
    const std::size_t count = all ? entries.size() : entries.stats().repeated;
    const DeviceArray<std::uint32_t> listed(queue, count + 1);
    static_cast<void>(select_numbers(
        entries.size(), IsListed<Key>{entries.view(), entries.size(), all}, listed.data(), queue));
    DeviceArray<std::uint32_t> rows(queue, count);
    copy_listed<<<blocks_for(count), block_threads, 0, queue>>>(entries.view(), listed.data(),
                                                                count, rows.data());
    const std::uint32_t runs =
        list_starts(count, StartsRun<Key>{entries.view(), listed.data()}, queue);
    TableFinder<Key, 1> table = finder<1>();
    table.slot_count = used_;  // the others are filled when all values are set
    number_runs<<<blocks_for(runs), block_threads, 0, queue>>>(table, entries.view(), listed.data(),
                                                               starts_.data(), runs);
    check_launch(building_table);
    return rows;
  }

  // Sets the starts of runs among `count` rows; returns how many there are.
  template <class Starts>
  std::uint32_t list_starts(std::size_t count, const Starts& starts, const Queue& queue) {
    const DeviceArray<std::uint32_t> found(queue, count + 1);
    const std::uint32_t runs = select_numbers(count, starts, found.data(), queue);
    starts_ = DeviceArray<std::uint32_t>(queue, std::size_t{runs} + 1);
    check(cudaMemcpyAsync(starts_.data(), found.data(), runs * sizeof(std::uint32_t),
                          cudaMemcpyDeviceToDevice, queue),
          "copying on the GPU");
    const auto end = static_cast<std::uint32_t>(count);
    copy_to_device(starts_.data() + runs, &end, sizeof(end), queue);
    return runs;
  }

  // Keys in the order of full keys stay there: their runs are positions.
  void take_runs(const Queue& queue) {
    order_.set_stats({.last_key = 0, .duplicates = 1, .unordered = 0});
    const OrderView<Key, Layout::split> view(order_);
    const std::uint32_t runs = list_starts(order_.size(), StartsEqualKeys<Key>{view.keys}, queue);
    const DeviceArray<Key> distinct(queue, runs);
    copy_keys_at<<<blocks_for(runs), block_threads, 0, queue>>>(view.keys, starts_.data(), runs,
                                                                distinct.data());
    SortedEntries<Key> entries(distinct.data(), nullptr, runs, queue);
    entries.sort();
    distinct_ = runs;
    assign_slots(entries, queue);
    order_.release_keys();
  }

  // Puts the first entry of each hash into its slot.
  void assign_slots(const SortedEntries<Key>& entries, const Queue& queue) {
    constexpr std::uint64_t each = bucket_slots<Key>;
    const double wanted = static_cast<double>(distinct_) / load_ / each;
    buckets_ =
        static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(0xffffffffU)));
    // Behind the last bucket there is room for what usually overflows.
    constexpr std::uint64_t usual = 1024;
    const std::uint64_t slots = buckets_ * each;
    const std::uint64_t room = slots + std::min<std::uint64_t>(usual, distinct_);
    fill(entries, room, queue);
    if (used_ > room) fill(entries, used_, queue);
    slot_count_ = (std::max(used_, slots) + each - 1) / each * each;
  }

  void fill(const SortedEntries<Key>& entries, std::uint64_t room, const Queue& queue) {
    // Every bucket can be read in a window of the widest group.
    constexpr std::uint64_t widest = 32;
    constexpr std::uint64_t each = bucket_slots<Key>;
    capacity_ = (room + each - 1) / each * each + widest / each * each + each;
    slots_ = DeviceArray<std::uint64_t>();
    slots_ = DeviceArray<std::uint64_t>(queue, Slots<Key>::words_for(capacity_));
    const DeviceArray<unsigned long long> used(queue, 1);
    const PlaceEntries<Key> into(entries.view(), entries.size(), buckets_,
                                 Slots<Key>{slots_.data()}, capacity_, used.data());
    const auto fills = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0),
                                                       FillOf<Key>{entries.view(), buckets_});
    with_scratch(queue, building_table, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveScan(scratch, bytes, fills, into, FillThen{}, Fill{0, 0},
                                            entries.size(), queue);
    });
    unsigned long long on_host = 0;
    copy_to_host(&on_host, used.data(), sizeof(on_host), queue);
    used_ = on_host;
  }

  DeviceOrder& order_;
  int group_;
  double load_;
  std::size_t distinct_ = 0;
  std::uint32_t buckets_ = 1;
  std::uint32_t first_run_ = 0;  // TableRuns
  std::uint64_t used_ = 0;       // slots up to the last entry
  std::uint64_t slot_count_ = 0;
  std::uint64_t capacity_ = 0;  // slots in memory
  DeviceArray<std::uint64_t> slots_;
  DeviceArray<std::uint32_t> starts_;
};

}  // namespace

std::unique_ptr<PositionSearcher> make_table(DeviceOrder& order, int group, double load,
                                             const Queue& queue) {
  if (order.is_wide())
    return std::make_unique<DeviceTable<std::uint64_t>>(order, group, load, queue);
  return std::make_unique<DeviceTable<std::uint32_t>>(order, group, load, queue);
}

}  // namespace rtindex::cuda
