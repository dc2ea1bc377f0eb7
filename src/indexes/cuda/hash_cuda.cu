#include "indexes/cuda/classic_locators.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <bit>

#include <rtindex/error.hpp>

#include "base/cuda/device_array.hpp"
#include "base/cuda/transfer.hpp"
#include "execution/cuda/locate.cuh"
#include "indexes/cuda/hash_finder.cuh"
#include "storage/cuda/order_view.cuh"

namespace rtindex::cuda {

namespace {

template <class Key>
__global__ void find_buckets(const Key* keys, std::size_t size, std::uint32_t buckets,
                             std::uint32_t* bucket_of, std::uint32_t* numbers) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  bucket_of[i] = __umulhi(mix(keys[i]), buckets);
  numbers[i] = static_cast<std::uint32_t>(i);
}

// How far key i is from where it would be if there were no buckets: its place is i plus the
// greatest of these up to i.
__global__ void find_shifts(const std::uint32_t* bucket_of, std::size_t size, long long* shifts) {
  const std::size_t i = thread_number();
  if (i < size)
    shifts[i] = static_cast<long long>(bucket_of[i]) * bucket_slots - static_cast<long long>(i);
}

template <class Key>
__global__ void place(const Key* keys, const std::uint32_t* rows, const std::uint32_t* numbers,
                      const long long* shifts, std::size_t size, Slots<Key> slots,
                      std::uint64_t slot_count) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  const std::uint32_t number = numbers[i];
  const Key key = keys[number];
  const std::uint32_t value = rows == nullptr ? number : rows[number];
  const std::uint64_t at = i + static_cast<std::uint64_t>(shifts[i]);
  const std::uint64_t from = i == 0 ? 0 : i + static_cast<std::uint64_t>(shifts[i - 1]);
  for (std::uint64_t slot = from; slot <= at; ++slot) slots.set(slot, key, value);
  if (i + 1 == size)
    for (std::uint64_t slot = at + 1; slot < slot_count; ++slot) slots.set(slot, key, value);
}

struct Farther {
  __device__ long long operator()(long long a, long long b) const { return a > b ? a : b; }
};

// Keys to the places of their rows, or in any order with their rows; `*written` counts these.
template <class Key>
__global__ void copy_slots(Slots<Key> slots, std::uint64_t used, std::uint32_t buckets,
                           const std::uint32_t* starts, const std::uint32_t* rows, Key* keys,
                           std::uint32_t* row_list, std::uint32_t* written) {
  const std::size_t at = thread_number();
  if (at >= used) return;
  const Key key = slots.key(at);
  // A slot before its key's bucket only fills a gap.
  if (std::uint64_t{__umulhi(mix(key), buckets)} * bucket_slots > at) return;
  const std::uint32_t value = slots.value(at);
  const auto write = [&](std::uint32_t row) {
    const std::uint32_t to = row_list == nullptr ? row : atomicAdd(written, 1U);
    keys[to] = key;
    if (row_list != nullptr) row_list[to] = row;
  };
  if (starts == nullptr) {
    write(value);
  } else {
    for (std::uint32_t i = starts[value]; i < starts[value + 1]; ++i) write(rows[i]);
  }
}

// Of sorted keys: is this the first of equal ones?
template <class Key>
struct StartsRun {
  const Key* keys;
  __device__ bool operator()(std::uint32_t at) const { return at == 0 || keys[at] != keys[at - 1]; }
};

// The keys of runs, and where each run starts; after the last, where it ends.
template <class Key>
__global__ void copy_runs(const Key* keys, std::uint32_t size, const std::uint32_t* found,
                          std::uint32_t count, Key* distinct_keys, std::uint32_t* starts) {
  const std::size_t i = thread_number();
  if (i > count) return;
  starts[i] = i == count ? size : found[i];
  if (i < count) distinct_keys[i] = keys[found[i]];
}

constexpr const char* building = "building the hash table";

template <class Key>
class DeviceTable final : public Locator {
 public:
  DeviceTable(DeviceOrder& order, int group, double load,
              const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream)
      : group_(group), load_(load), unique_(order.unique()), span_(order.span()) {
    const OrderView<Key, Layout::split> view(order);
    DeviceArray<Key> distinct_keys;
    distinct_ = order.size();
    if (!unique_) find_runs(view, distinct_keys, memory, stream);
    fill(unique_ ? view.keys : distinct_keys.data(), unique_ ? view.row_ids : nullptr, memory,
         stream);
    check(cudaStreamSynchronize(stream), building);
    order.release_keys(unique_);
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
  void find_ranges(const DeviceLookups&, Run*, cudaStream_t) const override {}
  [[nodiscard]] bool finds_ranges() const override { return false; }

  [[nodiscard]] DeviceColumn column(const DeviceOrder& order,
                                    const std::shared_ptr<DeviceMemory>& memory,
                                    cudaStream_t stream) const override {
    DeviceColumn result;
    result.size = order.size();
    result.row_count = order.row_count();
    result.span = span_;
    DeviceArray<Key> keys(memory, result.size, stream);
    const DeviceArray<std::uint32_t> written(memory, 1, stream);
    check(cudaMemsetAsync(written.data(), 0, written.bytes(), stream), "filling memory");
    if (result.size != result.row_count) {
      result.rows = DeviceArray<std::uint32_t>(memory, result.size, stream);
      result.rows_ascend = false;
    }
    if (result.size != 0)
      copy_slots<<<blocks_for(used_), block_threads, 0, stream>>>(
          slots(), used_, buckets_, starts(), order.split_rows(), keys.data(), result.rows.data(),
          written.data());
    check_launch("copying keys");
    if constexpr (sizeof(Key) == 4)
      result.narrow = std::move(keys);
    else
      result.wide = std::move(keys);
    return in_row_order(std::move(result), memory, stream);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> bytes() const override {
    return {{"slots", pairs_.bytes() + keys_.bytes() + values_.bytes()},
            {"runs of equal keys", starts_.bytes()}};
  }
  [[nodiscard]] std::string describe() const override {
    return "table: " + std::to_string(distinct_) + " distinct keys in " +
           std::to_string(slot_count_) + " slots, probed by " + std::to_string(group_) +
           (group_ == 1 ? " thread\n" : " threads\n");
  }

 private:
  [[nodiscard]] Slots<Key> slots() const { return {pairs_.data(), keys_.data(), values_.data()}; }
  [[nodiscard]] const std::uint32_t* starts() const { return unique_ ? nullptr : starts_.data(); }

  template <class Work>
  void with_group(Work&& work) const {
    const auto run = [&]<int lanes>() {
      work(TableFinder<Key, lanes>{slots(), starts(), buckets_, slot_count_});
    };
    switch (group_) {
      case 2: return run.template operator()<2>();
      case 4: return run.template operator()<4>();
      case 8: return run.template operator()<8>();
      case 16: return run.template operator()<16>();
      case 32: return run.template operator()<32>();
      default: return run.template operator()<1>();
    }
  }

  // Distinct keys, and where the rows of each start.
  void find_runs(const OrderView<Key, Layout::split>& order, DeviceArray<Key>& distinct_keys,
                 const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
    const DeviceArray<std::uint32_t> found(memory, order.size + std::size_t{1}, stream);
    std::uint32_t* const found_here = found.data() + order.size;
    std::uint32_t runs = 0;
    // Before CUDA 13 CUB counts what it selects from in an int.
    constexpr std::uint64_t step = std::uint64_t{1} << 30;
    for (std::uint64_t first = 0; first < order.size; first += step) {
      const auto here = static_cast<int>(std::min(step, order.size - first));
      with_scratch(memory, stream, building, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::If(
            scratch, bytes,
            thrust::counting_iterator<std::uint32_t>(static_cast<std::uint32_t>(first)),
            found.data() + runs, found_here, here, StartsRun<Key>{order.keys}, stream);
      });
      std::uint32_t more = 0;
      copy_to_host(&more, found_here, sizeof(more), stream);
      runs += more;
    }
    distinct_ = runs;
    distinct_keys = DeviceArray<Key>(memory, runs, stream);
    starts_ = DeviceArray<std::uint32_t>(memory, std::size_t{runs} + 1, stream);
    copy_runs<<<blocks_for(std::size_t{runs} + 1), block_threads, 0, stream>>>(
        order.keys, order.size, found.data(), runs, distinct_keys.data(), starts_.data());
    check_launch(building);
  }

  void fill(const Key* keys, const std::uint32_t* rows, const std::shared_ptr<DeviceMemory>& memory,
            cudaStream_t stream) {
    if (distinct_ == 0) return;
    const double wanted = static_cast<double>(distinct_) / load_ / bucket_slots;
    buckets_ =
        static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(0xffffffffU)));
    DeviceArray<std::uint32_t> bucket_of(memory, distinct_, stream);
    DeviceArray<std::uint32_t> numbers(memory, distinct_, stream);
    DeviceArray<std::uint32_t> other_buckets(memory, distinct_, stream);
    DeviceArray<std::uint32_t> other_numbers(memory, distinct_, stream);
    const unsigned blocks = blocks_for(distinct_);
    find_buckets<<<blocks, block_threads, 0, stream>>>(keys, distinct_, buckets_, bucket_of.data(),
                                                       numbers.data());
    cub::DoubleBuffer<std::uint32_t> sorted_buckets(bucket_of.data(), other_buckets.data());
    cub::DoubleBuffer<std::uint32_t> sorted_numbers(numbers.data(), other_numbers.data());
    const int bits = std::max(1, static_cast<int>(std::bit_width(buckets_ - 1)));
    with_scratch(memory, stream, building, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, sorted_buckets, sorted_numbers,
                                             distinct_, 0, bits, stream);
    });
    DeviceArray<long long> shifts(memory, distinct_, stream);
    find_shifts<<<blocks, block_threads, 0, stream>>>(sorted_buckets.Current(), distinct_,
                                                      shifts.data());
    with_scratch(memory, stream, building, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(scratch, bytes, shifts.data(), shifts.data(), Farther{},
                                            distinct_, stream);
    });
    long long last = 0;
    check(cudaMemcpyAsync(&last, shifts.data() + distinct_ - 1, sizeof(last),
                          cudaMemcpyDeviceToHost, stream),
          "copying from the GPU");
    check(cudaStreamSynchronize(stream), building);
    used_ = distinct_ + static_cast<std::uint64_t>(last);
    slot_count_ = std::max(used_, std::uint64_t{buckets_} * bucket_slots);
    slot_count_ = (slot_count_ + bucket_slots - 1) / bucket_slots * bucket_slots;
    // Every bucket can be read in a window of the widest group.
    constexpr std::uint64_t widest = 32;
    const std::uint64_t padded = slot_count_ + widest;
    if constexpr (sizeof(Key) == 4) {
      pairs_ = DeviceArray<std::uint64_t>(memory, padded, stream);
    } else {
      keys_ = DeviceArray<Key>(memory, padded, stream);
      values_ = DeviceArray<std::uint32_t>(memory, padded, stream);
    }
    place<<<blocks, block_threads, 0, stream>>>(keys, rows, sorted_numbers.Current(), shifts.data(),
                                                distinct_, slots(), padded);
    check_launch(building);
  }

  int group_;
  double load_;
  bool unique_;
  std::uint64_t span_;
  std::size_t distinct_ = 0;
  std::uint32_t buckets_ = 1;
  std::uint64_t used_ = 0;
  std::uint64_t slot_count_ = 0;
  DeviceArray<std::uint64_t> pairs_;
  DeviceArray<Key> keys_;
  DeviceArray<std::uint32_t> values_;
  DeviceArray<std::uint32_t> starts_;
};

}  // namespace

std::unique_ptr<Locator> make_table(DeviceOrder& order, int group, double load,
                                    const std::shared_ptr<DeviceMemory>& memory,
                                    cudaStream_t stream) {
  if (order.is_wide())
    return std::make_unique<DeviceTable<std::uint64_t>>(order, group, load, memory, stream);
  return std::make_unique<DeviceTable<std::uint32_t>>(order, group, load, memory, stream);
}

}  // namespace rtindex::cuda
