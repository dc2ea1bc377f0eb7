#include "answers/cuda/device_answers.hpp"

#include <functional>

#include "answers/cuda/aggregate.cuh"
#include "answers/cuda/spread_runs.hpp"
#include "answers/cuda/tree.cuh"
#include "answers/cuda/write_matched.cuh"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* answering = "answering lookups";

template <class Class>
__global__ void rows_kernel(const std::uint32_t* rows, std::size_t count, DeviceRequest request) {
  const std::size_t i = thread_number();
  const std::uint32_t row = i < count ? rows[i] : miss_row;
  const bool matched = row != miss_row;
  if (request.matched != nullptr) write_matched(request.matched, i, count, matched);
  if (i >= count) return;
  if (request.any != nullptr && request.any != rows) request.any[i] = row;
  if (request.first != nullptr && request.first != rows) request.first[i] = row;
  if (request.last != nullptr && request.last != rows) request.last[i] = row;
  if (request.count != nullptr) request.count[i] = matched ? 1 : 0;
  if (request.sum == nullptr && request.min == nullptr && request.max == nullptr) return;
  const Values<Class> values{request.values, request.value_type};
  const Class value = matched ? values[row] : miss_as<Class>(request.miss);
  if (request.sum != nullptr) __stcs(static_cast<Class*>(request.sum) + i, value);
  if (request.min != nullptr) static_cast<Class*>(request.min)[i] = value;
  if (request.max != nullptr) static_cast<Class*>(request.max)[i] = value;
}

template <class Deleted>
__global__ void runs_kernel(const Run* runs, std::size_t count, RowsView rows, Deleted deleted,
                            DeviceRequest request, bool ascending) {
  const std::size_t i = thread_number();
  const Run run = i < count ? runs[i] : Run{0, 0};
  const bool counts = !Deleted::any || request.count != nullptr || request.matched != nullptr;
  const std::uint32_t valid = counts ? deleted.valid_in(run) : 0;
  if (request.matched != nullptr) write_matched(request.matched, i, count, valid != 0);
  if (i >= count) return;
  if (request.count != nullptr) request.count[i] = valid;
  if (request.last != nullptr && ascending) {
    const std::uint32_t at = deleted.last_valid(run);
    request.last[i] = at < run.end ? rows[at] : miss_row;
  }
  if (request.any == nullptr && (request.first == nullptr || !ascending)) return;
  const std::uint32_t at = deleted.first_valid(run);
  const std::uint32_t row = at < run.end ? rows[at] : miss_row;
  if (request.any != nullptr) request.any[i] = row;
  if (request.first != nullptr && ascending) request.first[i] = row;
}

// Values fetched by rowID, hit by hit. A lane aggregates its own short run; the lanes of a warp
// share the long ones, one after the other, unless SpreadRuns aggregates these.
template <class Class, class Deleted>
__global__ void aggregate_direct(const Run* runs, std::size_t count, RowsView rows, Deleted deleted,
                                 DeviceRequest request, const Choice* choice) {
  if (choice->direct == 0) return;
  const bool spread = choice->spread != 0;
  const Values<Class> values{request.values, request.value_type};
  const auto miss = miss_as<Class>(request.miss);
  const unsigned lane = threadIdx.x % 32;
  const std::size_t rounded = (count + 31) / 32 * 32;
  for (std::size_t i = thread_number(); i < rounded; i += thread_count()) {
    const Run run = i < count ? runs[i] : Run{0, 0};
    const bool is_long = run.end - run.begin >= long_run;
    if (!is_long && i < count) {
      ValueAggregate<Class> own;
      bool matched = false;
      for (std::uint32_t at = run.begin; at < run.end; ++at) {
        if (deleted.has(at)) continue;
        own.add(values[rows[at]]);
        matched = true;
      }
      write_values(request, i, own.or_miss(matched, miss));
    }
    if (spread) continue;
    for (unsigned left = __ballot_sync(~0U, is_long); left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t begin = __shfl_sync(~0U, run.begin, owner);
      const std::uint32_t end = __shfl_sync(~0U, run.end, owner);
      const ValueAggregate<Class> whole = aggregate_by_warp(values, rows, deleted, begin, end);
      if (lane == 0)
        write_values(request, i + static_cast<unsigned>(owner),
                     whole.or_miss(deleted.valid_in({begin, end}) != 0, miss));
    }
  }
}

template <class Class, class Deleted>
__global__ void aggregate_ordered(const Run* runs, std::size_t count, OrderedView<Class> ordered,
                                  Deleted deleted, DeviceRequest request,
                                  const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  const OrderedAt<Class> at{ordered};
  for (std::size_t i = thread_number(); i < count; i += thread_count()) {
    const Run run = runs[i];
    auto result = ValueAggregate<Class>::of(miss_as<Class>(request.miss));
    const std::uint32_t deleted_before = deleted.before(run.begin);
    const std::uint32_t deleted_after = deleted.before(run.end);
    if (run.begin < run.end && run.end - run.begin != deleted_after - deleted_before) {
      if (request.sum != nullptr) {
        if constexpr (std::is_same_v<Class, double>) {
          result.sum = tree_result(ordered.sum_tree, only_valid<Sum>(at, deleted), run.begin,
                                   run.end, Sum{});
        } else {
          unsigned long long sum = ordered.prefix_sums[run.end] - ordered.prefix_sums[run.begin];
          if (Deleted::any && ordered.deleted_sums != nullptr)
            sum -= ordered.deleted_sums[deleted_after] - ordered.deleted_sums[deleted_before];
          result.sum = static_cast<Class>(sum);
        }
      }
      if (request.min != nullptr)
        result.min =
            tree_result(ordered.min_tree, only_valid<Min>(at, deleted), run.begin, run.end, Min{});
      if (request.max != nullptr)
        result.max =
            tree_result(ordered.max_tree, only_valid<Max>(at, deleted), run.begin, run.end, Max{});
    }
    write_values(request, i, result);
  }
}

// The smallest or greatest rowID of each run; Operation is Min or Last.
template <class Operation, class Deleted>
__global__ void row_by_scan(const Run* runs, std::size_t count, RowsView rows, Deleted deleted,
                            std::uint32_t* found, const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  const unsigned lane = threadIdx.x % 32;
  const std::size_t rounded = (count + 31) / 32 * 32;
  for (std::size_t i = thread_number(); i < rounded; i += thread_count()) {
    const Run run = i < count ? runs[i] : Run{0, 0};
    const bool is_long = run.end - run.begin >= long_run;
    if (!is_long && i < count) {
      std::uint32_t row = miss_row;
      for (std::uint32_t at = run.begin; at < run.end; ++at)
        if (!deleted.has(at)) row = Operation{}(row, rows[at]);
      found[i] = row;
    }
    for (unsigned left = __ballot_sync(~0U, is_long); left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t begin = __shfl_sync(~0U, run.begin, owner);
      const std::uint32_t end = __shfl_sync(~0U, run.end, owner);
      std::uint32_t row = miss_row;
      for (std::uint64_t at = std::uint64_t{begin} + lane; at < end; at += 32)
        if (!deleted.has(at)) row = Operation{}(row, rows[at]);
      for (int lanes = 16; lanes > 0; lanes /= 2)
        row = Operation{}(row, __shfl_down_sync(~0U, row, lanes));
      if (lane == 0) found[i + static_cast<unsigned>(owner)] = row;
    }
  }
}

template <class Operation, class Deleted>
__global__ void row_by_tree(const Run* runs, std::size_t count, RowsView rows, Deleted deleted,
                            TreeView<std::uint32_t> tree, std::uint32_t* found,
                            const std::uint32_t* only_if) {
  if (*only_if == 0) return;
  for (std::size_t i = thread_number(); i < count; i += thread_count()) {
    const Run run = runs[i];
    found[i] = run.begin < run.end ? tree_result(tree, only_valid<Operation>(RowAt{rows}, deleted),
                                                 run.begin, run.end, Operation{})
                                   : miss_row;
  }
}

[[nodiscard]] ValueClass class_wanted(const DeviceRequest& request) {
  return request.wants_values() ? class_of(request.value_type) : ValueClass::u64;
}

[[nodiscard]] OrderedWants wants_of(const DeviceRequest& request) {
  return {request.sum != nullptr, request.min != nullptr, request.max != nullptr};
}

// Aggregates values in key order. With a choice the kernel runs only if that was chosen.
void answer_ordered(const Run* runs, std::size_t count, const DeletedPositions& deleted,
                    const DeviceRequest& request, const OrderedValues& ordered,
                    const Choice* choice, cudaStream_t stream) {
  visit_class(class_of(request.value_type), [&]<class Class>() {
    with_deleted(deleted, [&](const auto& skipped) {
      aggregate_ordered<<<loop_blocks(count), block_threads, 0, stream>>>(
          runs, count, ordered.view<Class>(), skipped, request,
          choice == nullptr ? nullptr : &choice->ordered);
    });
  });
}

template <class Operation>
void find_extreme_rows(const Run* runs, std::size_t count, const OrderedRows& from,
                       const Choice* choice, std::uint32_t* found, const Queue& queue) {
  const RowTree<Operation> tree(from.rows, from.size, from.deleted, &choice->row_tree, queue);
  const unsigned blocks = loop_blocks(count);
  with_deleted(from.deleted, [&](const auto& deleted) {
    if (!tree.null())
      row_by_tree<Operation><<<blocks, block_threads, 0, queue>>>(
          runs, count, from.rows, deleted, tree.view(), found, &choice->row_tree);
    row_by_scan<Operation><<<blocks, block_threads, 0, queue>>>(
        runs, count, from.rows, deleted, found, tree.null() ? nullptr : &choice->row_scan);
  });
}

}  // namespace

void answer_rows(const std::uint32_t* rows, std::size_t count, const DeviceRequest& request,
                 cudaStream_t stream) {
  if (count == 0) return;
  visit_class(class_wanted(request), [&]<class Class>() {
    rows_kernel<Class><<<blocks_for(count), block_threads, 0, stream>>>(rows, count, request);
  });
  check_launch(answering);
}

void answer_runs(const Run* runs, std::size_t count, const OrderedRows& from,
                 const DeviceRequest& request, const OrderedValues* included, Gather gather,
                 const Queue& queue) {
  if (count == 0) return;
  const RowsView rows = from.rows;
  const auto ordered_values = [&](bool required, const std::uint32_t* only_if,
                                  const std::function<void(bool)>& reserved) {
    return OrderedValues(request.values, request.value_type, rows, from.size, from.deleted,
                         wants_of(request), required, only_if, queue, reserved);
  };
  if (request.wants_rows() || request.matched != nullptr)
    with_deleted(from.deleted, [&](const auto& deleted) {
      runs_kernel<<<blocks_for(count), block_threads, 0, queue>>>(runs, count, rows, deleted,
                                                                  request, from.ascending);
    });
  const bool needs_values = request.wants_values();
  if (needs_values && included != nullptr)
    answer_ordered(runs, count, from.deleted, request, *included, nullptr, queue);
  else if (needs_values && gather == Gather::on)
    answer_ordered(runs, count, from.deleted, request, ordered_values(true, nullptr, {}), nullptr,
                   queue);
  const bool chooses = needs_values && included == nullptr && gather != Gather::on;
  const bool scans_rows = (request.first != nullptr || request.last != nullptr) && !from.ascending;
  if (!chooses && !scans_rows) return check_launch(answering);

  const SpreadRuns spread(runs, count, from, chooses, queue);
  const Choice* const choice = spread.choice();
  // For one run, sorting the values never pays: they are fetched once.
  if (chooses && gather == Gather::automatic && (count > 1 || !spread.can_spread())) {
    const OrderedValues ordered =
        ordered_values(false, &choice->ordered, [&](bool enough) { spread.choose(enough, queue); });
    if (!ordered.null()) answer_ordered(runs, count, from.deleted, request, ordered, choice, queue);
  } else {
    spread.choose(false, queue);
  }
  if (chooses) {
    visit_class(class_of(request.value_type), [&]<class Class>() {
      with_deleted(from.deleted, [&](const auto& deleted) {
        aggregate_direct<Class><<<loop_blocks(count), block_threads, 0, queue>>>(
            runs, count, rows, deleted, request, choice);
      });
    });
    spread.aggregate(request, queue);
  }
  if (scans_rows && request.first != nullptr)
    find_extreme_rows<Min>(runs, count, from, choice, request.first, queue);
  if (scans_rows && request.last != nullptr)
    find_extreme_rows<Last>(runs, count, from, choice, request.last, queue);
  check_launch(answering);
}

}  // namespace rtindex::cuda
