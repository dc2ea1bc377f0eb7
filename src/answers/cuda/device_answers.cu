#include "answers/cuda/device_answers.hpp"

#include <cub/device/device_scan.cuh>

#include "answers/cuda/tree.cuh"
#include "base/cuda/scratch.hpp"

namespace rtindex::cuda {

namespace {

// Runs of this many matches and more are added up by a warp together.
constexpr std::uint32_t long_run = 32;

// What a batch has found, and what follows from that for how it is answered.
struct Choice {
  unsigned long long hits;
  std::uint32_t longest;
  std::uint32_t ordered;   // values are put into key order first
  std::uint32_t direct;    // they are not
  std::uint32_t row_tree;  // the smallest rows come from a tree
  std::uint32_t row_scan;  // they do not
};

// Every 32 neighbouring threads write four bytes of the bitmap.
__device__ void write_matched(std::uint8_t* bitmap, std::size_t i, std::size_t count,
                              bool matched) {
  const unsigned bits = __ballot_sync(~0U, matched && i < count);
  if (threadIdx.x % 8 == 0 && i < count)
    bitmap[i / 8] = static_cast<std::uint8_t>(bits >> (threadIdx.x % 32));
}

template <class Class>
[[nodiscard]] __device__ Class miss_of(const MissValues& miss) {
  if constexpr (std::is_same_v<Class, double>) return miss.f64;
  if constexpr (std::is_same_v<Class, std::int64_t>) return miss.i64;
  return miss.u64;
}

template <class Class>
__global__ void rows_kernel(const std::uint32_t* rows, std::size_t count, DeviceRequest request) {
  const std::size_t i = thread_number();
  const std::uint32_t row = i < count ? rows[i] : miss_row;
  const bool matched = row != miss_row;
  if (request.matched != nullptr) write_matched(request.matched, i, count, matched);
  if (i >= count) return;
  if (request.any != nullptr && request.any != rows) request.any[i] = row;
  if (request.first != nullptr && request.first != rows) request.first[i] = row;
  if (request.count != nullptr) request.count[i] = matched ? 1 : 0;
  if (request.sum == nullptr && request.min == nullptr && request.max == nullptr) return;
  const Values<Class> values{request.values, request.value_type};
  const Class value = matched ? values[row] : miss_of<Class>(request.miss);
  if (request.sum != nullptr) __stcs(static_cast<Class*>(request.sum) + i, value);
  if (request.min != nullptr) static_cast<Class*>(request.min)[i] = value;
  if (request.max != nullptr) static_cast<Class*>(request.max)[i] = value;
}

__global__ void runs_kernel(const Run* runs, std::size_t count, RowsView rows,
                            DeviceRequest request, bool ascending) {
  const std::size_t i = thread_number();
  const Run run = i < count ? runs[i] : Run{0, 0};
  const bool matched = run.begin < run.end;
  if (request.matched != nullptr) write_matched(request.matched, i, count, matched);
  if (i >= count) return;
  if (request.count != nullptr) request.count[i] = run.end - run.begin;
  if (request.any == nullptr && (request.first == nullptr || !ascending)) return;
  const std::uint32_t row = matched ? rows[run.begin] : miss_row;
  if (request.any != nullptr) request.any[i] = row;
  if (request.first != nullptr && ascending) request.first[i] = row;
}

__global__ void measure_runs(const Run* runs, std::size_t count, Choice* choice) {
  unsigned long long hits = 0;
  std::uint32_t longest = 0;
  for (std::size_t i = thread_number(); i < count; i += thread_count()) {
    const std::uint32_t size = runs[i].end - runs[i].begin;
    hits += size;
    longest = max(longest, size);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    hits += __shfl_down_sync(~0U, hits, lanes);
    longest = max(longest, __shfl_down_sync(~0U, longest, lanes));
  }
  if (threadIdx.x % 32 != 0 || hits == 0) return;
  atomicAdd(&choice->hits, hits);
  atomicMax(&choice->longest, longest);
}

// Which way is quicker, from what either costs on an H200: a hit fetched at random 0.026 ns, and
// at least 12 ns for each hit of the longest run, which one warp works off; values put into key
// order and added up 0.035 ns each, and then two fetches a lookup.
__global__ void choose(Choice* choice, std::size_t size, std::size_t count, bool can_order) {
  const double direct =
      fmax(static_cast<double>(choice->hits) * 0.026, static_cast<double>(choice->longest) * 12);
  const double ordered =
      static_cast<double>(size) * 0.035 + static_cast<double>(count) * 0.06 + 5000;
  choice->ordered = can_order && ordered < direct ? 1 : 0;
  choice->direct = 1 - choice->ordered;
  choice->row_tree = choice->longest > 4096 || choice->hits > size ? 1 : 0;
  choice->row_scan = 1 - choice->row_tree;
}

template <class Class>
struct Aggregate {
  Class sum, least, greatest;
  bool any;

  __device__ void take(Class value) {
    sum = any ? add(sum, value) : value;
    least = any && !less(value, least) ? least : value;
    greatest = any && !less(greatest, value) ? greatest : value;
    any = true;
  }
  // Takes what another lane has found.
  __device__ void merge_down(unsigned lanes) {
    const Class other_sum = __shfl_down_sync(~0U, sum, lanes);
    const Class other_least = __shfl_down_sync(~0U, least, lanes);
    const Class other_greatest = __shfl_down_sync(~0U, greatest, lanes);
    const bool other_any = __shfl_down_sync(~0U, any, lanes);
    if (!other_any) return;
    if (any) {
      sum = add(sum, other_sum);
      if (less(other_least, least)) least = other_least;
      if (less(greatest, other_greatest)) greatest = other_greatest;
    } else {
      sum = other_sum, least = other_least, greatest = other_greatest, any = true;
    }
  }
};

template <class Class>
__device__ void write_aggregate(const DeviceRequest& request, std::size_t i,
                                const Aggregate<Class>& result) {
  const Class miss = miss_of<Class>(request.miss);
  if (request.sum != nullptr) static_cast<Class*>(request.sum)[i] = result.any ? result.sum : miss;
  if (request.min != nullptr)
    static_cast<Class*>(request.min)[i] = result.any ? result.least : miss;
  if (request.max != nullptr)
    static_cast<Class*>(request.max)[i] = result.any ? result.greatest : miss;
}

// Values fetched by rowID, hit by hit. A lane adds up its own short run; the warp takes the long
// ones together, one after the other.
template <class Class>
__global__ void aggregate_direct(const Run* runs, std::size_t count, RowsView rows,
                                 DeviceRequest request, const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  const Values<Class> values{request.values, request.value_type};
  const unsigned lane = threadIdx.x % 32;
  const std::size_t rounded = (count + 31) / 32 * 32;
  for (std::size_t i = thread_number(); i < rounded; i += thread_count()) {
    const Run run = i < count ? runs[i] : Run{0, 0};
    const bool is_long = run.end - run.begin >= long_run;
    if (!is_long && i < count) {
      Aggregate<Class> own{};
      for (std::uint32_t at = run.begin; at < run.end; ++at) own.take(values[rows[at]]);
      write_aggregate(request, i, own);
    }
    for (unsigned left = __ballot_sync(~0U, is_long); left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t begin = __shfl_sync(~0U, run.begin, owner);
      const std::uint32_t end = __shfl_sync(~0U, run.end, owner);
      Aggregate<Class> part{};
#pragma unroll 4
      for (std::uint64_t at = std::uint64_t{begin} + lane; at < end; at += 32)
        part.take(values[rows[at]]);
      for (unsigned lanes = 16; lanes > 0; lanes /= 2) part.merge_down(lanes);
      if (lane == 0) write_aggregate(request, i + static_cast<unsigned>(owner), part);
    }
  }
}

template <class Class>
__global__ void aggregate_ordered(const Run* runs, std::size_t count, OrderedView<Class> ordered,
                                  DeviceRequest request, const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  const OrderedAt<Class> at{ordered};
  for (std::size_t i = thread_number(); i < count; i += thread_count()) {
    const Run run = runs[i];
    Aggregate<Class> result{};
    result.any = run.begin < run.end;
    if (result.any) {
      if (request.sum != nullptr) {
        if constexpr (std::is_same_v<Class, double>)
          result.sum = tree_result(ordered.total, at, run.begin, run.end, Total{});
        else
          result.sum = static_cast<Class>(ordered.sums[run.end] - ordered.sums[run.begin]);
      }
      if (request.min != nullptr)
        result.least = tree_result(ordered.least, at, run.begin, run.end, Least{});
      if (request.max != nullptr)
        result.greatest = tree_result(ordered.greatest, at, run.begin, run.end, Greatest{});
    }
    write_aggregate(request, i, result);
  }
}

__global__ void first_by_scan(const Run* runs, std::size_t count, RowsView rows,
                              std::uint32_t* first, const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  const unsigned lane = threadIdx.x % 32;
  const std::size_t rounded = (count + 31) / 32 * 32;
  for (std::size_t i = thread_number(); i < rounded; i += thread_count()) {
    const Run run = i < count ? runs[i] : Run{0, 0};
    const bool is_long = run.end - run.begin >= long_run;
    if (!is_long && i < count) {
      std::uint32_t smallest = miss_row;
      for (std::uint32_t at = run.begin; at < run.end; ++at) smallest = min(smallest, rows[at]);
      first[i] = smallest;
    }
    for (unsigned left = __ballot_sync(~0U, is_long); left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t begin = __shfl_sync(~0U, run.begin, owner);
      const std::uint32_t end = __shfl_sync(~0U, run.end, owner);
      std::uint32_t smallest = miss_row;
      for (std::uint64_t at = std::uint64_t{begin} + lane; at < end; at += 32)
        smallest = min(smallest, rows[at]);
      for (int lanes = 16; lanes > 0; lanes /= 2)
        smallest = min(smallest, __shfl_down_sync(~0U, smallest, lanes));
      if (lane == 0) first[i + static_cast<unsigned>(owner)] = smallest;
    }
  }
}

__global__ void first_by_tree(const Run* runs, std::size_t count, RowsView rows,
                              TreeView<std::uint32_t> tree, std::uint32_t* first,
                              const std::uint32_t* only_if) {
  if (*only_if == 0) return;
  for (std::size_t i = thread_number(); i < count; i += thread_count()) {
    const Run run = runs[i];
    first[i] = run.begin < run.end ? tree_result(tree, RowAt{rows}, run.begin, run.end, Least{})
                                   : miss_row;
  }
}

__global__ void runs_of_rows_kernel(const std::uint32_t* rows, std::size_t count, Run* runs) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const auto begin = static_cast<std::uint32_t>(i);
  runs[i] = {begin, rows[i] == miss_row ? begin : begin + 1};
}

__global__ void count_rows(const Run* runs, std::size_t count, std::uint32_t limit,
                           std::uint64_t* counts) {
  const std::size_t i = thread_number();
  if (i > count) return;
  counts[i] = i == count ? 0 : min(runs[i].end - runs[i].begin, limit);
}

// Every thread writes some neighbouring rowIDs: whose they are is searched for once.
__global__ void collect_kernel(const Run* runs, std::size_t count, RowsView rows,
                               const std::uint64_t* offsets, std::uint64_t begin,
                               std::uint64_t room, std::uint32_t* out) {
  constexpr std::uint64_t each = 8;
  const std::uint64_t total = offsets[count];
  const std::uint64_t end = total - begin < room ? total : begin + room;
  for (std::uint64_t first = begin + thread_number() * each; first < end;
       first += thread_count() * each) {
    std::size_t low = 0;
    std::size_t high = count - 1;
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (offsets[middle] <= first)
        low = middle;
      else
        high = middle - 1;
    }
    const std::uint64_t last = first + each < end ? first + each : end;
    for (std::uint64_t at = first; at < last; ++at) {
      while (offsets[low + 1] <= at) ++low;
      out[at - begin] = rows[runs[low].begin + (at - offsets[low])];
    }
  }
}

[[nodiscard]] ValueClass class_wanted(const DeviceRequest& request) {
  return request.wants_values() ? class_of(request.value_type) : ValueClass::u64;
}

void answer_values(const Run* runs, std::size_t count, RowsView rows, const DeviceRequest& request,
                   const Choice* choice, bool direct, const OrderedValues& ordered,
                   cudaStream_t stream) {
  visit_class(class_wanted(request), [&]<class Class>() {
    const unsigned blocks = loop_blocks(count);
    if (!ordered.null())
      aggregate_ordered<<<blocks, block_threads, 0, stream>>>(
          runs, count, ordered.view<Class>(), request,
          choice == nullptr ? nullptr : &choice->ordered);
    if (direct)
      aggregate_direct<Class><<<blocks, block_threads, 0, stream>>>(
          runs, count, rows, request, choice == nullptr ? nullptr : &choice->direct);
  });
}

}  // namespace

void answer_rows(const std::uint32_t* rows, std::size_t count, const DeviceRequest& request,
                 cudaStream_t stream) {
  if (count == 0) return;
  visit_class(class_wanted(request), [&]<class Class>() {
    rows_kernel<Class><<<blocks_for(count), block_threads, 0, stream>>>(rows, count, request);
  });
  check_launch("answering lookups");
}

void runs_of_rows(const std::uint32_t* rows, std::size_t count, Run* runs, cudaStream_t stream) {
  if (count == 0) return;
  runs_of_rows_kernel<<<blocks_for(count), block_threads, 0, stream>>>(rows, count, runs);
  check_launch("answering lookups");
}

void answer_runs(const Run* runs, std::size_t count, RowsView rows, std::size_t size,
                 bool ascending, const DeviceRequest& request, const OrderedValues* included,
                 Gather gather, const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
  if (count == 0) return;
  if (request.any != nullptr || request.first != nullptr || request.count != nullptr ||
      request.matched != nullptr)
    runs_kernel<<<blocks_for(count), block_threads, 0, stream>>>(runs, count, rows, request,
                                                                 ascending);
  const bool scans_rows = request.first != nullptr && !ascending;
  const bool takes_values = request.wants_values();
  const bool chooses = takes_values && included == nullptr && gather == Gather::automatic;
  DeviceArray<Choice> choices;
  if (scans_rows || chooses) {
    choices = DeviceArray<Choice>(memory, 1, stream);
    check(cudaMemsetAsync(choices.data(), 0, sizeof(Choice), stream), "filling memory");
    measure_runs<<<loop_blocks(count), block_threads, 0, stream>>>(runs, count, choices.data());
  }
  if (takes_values) {
    if (included != nullptr) {
      answer_values(runs, count, rows, request, nullptr, false, *included, stream);
    } else {
      const OrderedWants wants{request.sum != nullptr, request.min != nullptr,
                               request.max != nullptr};
      OrderedValues ordered;
      const Choice* const choice = chooses ? choices.data() : nullptr;
      if (gather != Gather::off)
        ordered = OrderedValues(
            request.values, request.value_type, rows, size, wants, gather == Gather::on,
            chooses ? &choice->ordered : nullptr, memory, stream, [&](bool enough) {
              if (chooses) choose<<<1, 1, 0, stream>>>(choices.data(), size, count, enough);
            });
      answer_values(runs, count, rows, request, chooses && !ordered.null() ? choice : nullptr,
                    gather != Gather::on, ordered, stream);
    }
  }
  if (scans_rows) {
    choose<<<1, 1, 0, stream>>>(choices.data(), size, count, false);
    const RowTree tree(rows, size, &choices.data()->row_tree, memory, stream);
    const unsigned blocks = loop_blocks(count);
    if (!tree.null())
      first_by_tree<<<blocks, block_threads, 0, stream>>>(runs, count, rows, tree.view(),
                                                          request.first, &choices.data()->row_tree);
    first_by_scan<<<blocks, block_threads, 0, stream>>>(
        runs, count, rows, request.first, tree.null() ? nullptr : &choices.data()->row_scan);
  }
  check_launch("answering lookups");
}

void offsets_of(const Run* runs, std::size_t count, std::uint32_t limit, std::uint64_t* offsets,
                const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
  count_rows<<<blocks_for(count + 1), block_threads, 0, stream>>>(runs, count, limit, offsets);
  with_scratch(memory, stream, "counting rows", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, offsets, offsets, count + 1, stream);
  });
}

void collect_rows(const Run* runs, std::size_t count, RowsView rows, const std::uint64_t* offsets,
                  std::uint64_t begin, std::uint64_t room, std::uint32_t* out,
                  cudaStream_t stream) {
  if (count == 0 || room == 0) return;
  collect_kernel<<<4096, block_threads, 0, stream>>>(runs, count, rows, offsets, begin, room, out);
  check_launch("collecting rows");
}

}  // namespace rtindex::cuda
