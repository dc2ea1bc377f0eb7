#include "answers/cuda/fold_rows.hpp"

#include <algorithm>
#include <type_traits>

#include "answers/aggregate.hpp"
#include "answers/counted_aggregate.hpp"
#include "answers/cuda/write_matched.cuh"
#include "answers/values.hpp"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* folding = "folding rows";

// Lookups of this many rows are folded by the lanes of a warp, and by the threads of a block.
constexpr std::uint64_t warp_rows = 32;
constexpr std::uint64_t block_rows = std::uint64_t{1} << 13;
constexpr unsigned warps = block_threads / 32;

using PrefixSum = unsigned long long;

// Below, a reader calls add(value) with the value of a row, unless it is null.

struct NoValues {
  using Class = std::uint64_t;

  template <class Add>
  __device__ void read(std::uint32_t, std::uint32_t, std::uint32_t, const Add&) const {}
};

// Values by rowID.
template <class ValueType>
struct ColumnReader {
  using Class = ValueType;

  Values<Class> values;
  const std::uint8_t* validity;
  std::size_t validity_offset;

  template <class Add>
  __device__ void read(std::uint32_t, std::uint32_t, std::uint32_t row, const Add& add) const {
    const std::size_t bit = row + validity_offset;
    if (validity == nullptr || (validity[bit / 8] >> (bit % 8) & 1) != 0) add(values[row]);
  }
};

// Included values by position, as in an OrderedView, and prefix sums of those that are not null.
template <class ValueType>
struct IncludedReader {
  using Class = ValueType;

  struct Source {
    const Class* values;
    const PrefixSum* prefix_sums;
    const PrefixSum* valid_sums;  // null: no value is null
  };
  Source sources[RowSources::max_segments];

  template <class Add>
  __device__ void read(std::uint32_t number, std::uint32_t position, std::uint32_t,
                       const Add& add) const {
    const Source& source = sources[number];
    if (source.valid_sums != nullptr && difference(source.valid_sums, position) == 0) return;
    if (source.values != nullptr)
      add(source.values[position]);
    else if constexpr (!std::is_same_v<Class, double>)
      add(static_cast<Class>(difference(source.prefix_sums, position)));
  }

 private:
  [[nodiscard]] __device__ static PrefixSum difference(const PrefixSum* sums,
                                                       std::uint32_t position) {
    return sums[std::size_t{position} + 1] - sums[position];
  }
};

// What the rows of a lookup are folded into.
template <class Class>
struct FoldState {
  CountedAggregate<Class> values;
  std::uint32_t last = miss_row;

  __device__ void merge(const FoldState& other) {
    values.merge(other.values);
    last = Last{}(last, other.last);
  }
};

template <class Sum>
[[nodiscard]] __device__ Sum shuffle_down(Sum sum, unsigned lanes) {
  if constexpr (std::is_same_v<Sum, double>) {
    return __shfl_down_sync(~0U, sum, lanes);
  } else {
    const auto bits = static_cast<uint128>(sum);
    const PrefixSum low = __shfl_down_sync(~0U, static_cast<PrefixSum>(bits), lanes);
    const PrefixSum high = __shfl_down_sync(~0U, static_cast<PrefixSum>(bits >> 64), lanes);
    return static_cast<Sum>(static_cast<uint128>(high) << 64 | low);
  }
}

// The first lane gets the state of all lanes of the warp.
template <class Class>
[[nodiscard]] __device__ FoldState<Class> merge_states(FoldState<Class> own) {
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
    FoldState<Class> other;
    ValueAggregate<Class>& values = other.values.values;
    values.sum = __shfl_down_sync(~0U, own.values.values.sum, lanes);
    values.min = __shfl_down_sync(~0U, own.values.values.min, lanes);
    values.max = __shfl_down_sync(~0U, own.values.values.max, lanes);
    other.values.sum = shuffle_down(own.values.sum, lanes);
    other.values.count = __shfl_down_sync(~0U, own.values.count, lanes);
    other.last = __shfl_down_sync(~0U, own.last, lanes);
    own.merge(other);
  }
  return own;
}

// Every `step`th row of a lookup in each segment, from the `first` on.
template <class Reader>
[[nodiscard]] __device__ auto fold_some(const RowSources& from, std::size_t lookup,
                                        const Reader& reader, unsigned first, unsigned step) {
  using Class = typename Reader::Class;
  FoldState<Class> state;
  for (std::uint32_t number = 0; number < from.count; ++number) {
    const RowSource& source = from.sources[number];
    const Run run = source.runs[lookup];
    const bool has_deleted = source.deleted.blocks != nullptr;
    for (std::uint64_t at = std::uint64_t{run.begin} + first; at < run.end; at += step) {
      if (has_deleted && source.deleted.has(at)) continue;
      const std::uint32_t row = source.rows[at];
      state.last = Last{}(state.last, row);
      const auto position = static_cast<std::uint32_t>(at);
      reader.read(number, source.positions == nullptr ? position : source.positions[position], row,
                  [&](Class value) { state.values.add(value); });
    }
  }
  return state;
}

template <class Class>
__device__ void write_state(const RowFolds& out, std::size_t lookup,
                            const FoldState<Class>& state) {
  const std::uint32_t count = state.values.count;
  if (out.last != nullptr) out.last[lookup] = state.last;
  write_values(out, lookup, state.values.values.or_miss(count != 0, miss_as<Class>(out.miss)));
  if (out.mean != nullptr)
    out.mean[lookup] = count == 0 ? out.miss.f64 : mean_of<Class>(state.values.sum, count);
  if (out.value_counts != nullptr) out.value_counts[lookup] = count;
}

// The positions of a lookup in all segments, those of deleted rows included.
[[nodiscard]] __device__ std::uint64_t positions_of(const RowSources& from, std::size_t lookup) {
  std::uint64_t positions = 0;
  for (std::uint32_t number = 0; number < from.count; ++number) {
    const Run run = from.sources[number].runs[lookup];
    if (run.begin < run.end) positions += run.end - run.begin;
  }
  return positions;
}

// A lane folds its own lookup of few rows; the lanes of a warp share those of more, one after the
// other. The largest lookups are appended to a list: long_lookups[0] is its size.
template <class Reader>
__global__ void fold_kernel(RowSources from, std::size_t count, Reader reader, RowFolds out,
                            std::uint32_t* long_lookups) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t rounded = (count + 31) / 32 * 32;
  for (std::size_t i = thread_number(); i < rounded; i += thread_count()) {
    const std::uint64_t positions = i < count ? positions_of(from, i) : 0;
    if (positions >= block_rows)
      long_lookups[1 + atomicAdd(long_lookups, 1U)] = static_cast<std::uint32_t>(i);
    else if (positions < warp_rows && i < count)
      write_state(out, i, fold_some(from, i, reader, 0, 1));
    const bool is_shared = positions >= warp_rows && positions < block_rows;
    for (unsigned left = __ballot_sync(~0U, is_shared); left != 0; left &= left - 1) {
      const std::size_t lookup =
          i - lane + static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
      const auto state = merge_states(fold_some(from, lookup, reader, lane, 32));
      if (lane == 0) write_state(out, lookup, state);
    }
  }
}

// The lookups of the list, a block each.
template <class Reader>
__global__ void fold_long(RowSources from, Reader reader, RowFolds out,
                          const std::uint32_t* long_lookups) {
  using State = FoldState<typename Reader::Class>;
  __shared__ alignas(State) unsigned char storage[warps * sizeof(State)];
  auto* const parts = reinterpret_cast<State*>(storage);
  for (std::uint32_t i = blockIdx.x; i < long_lookups[0]; i += gridDim.x) {
    const std::uint32_t lookup = long_lookups[1 + i];
    const State part = merge_states(fold_some(from, lookup, reader, threadIdx.x, block_threads));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = part;
    __syncthreads();
    if (threadIdx.x == 0) {
      State whole = parts[0];
      for (unsigned warp = 1; warp < warps; ++warp) whole.merge(parts[warp]);
      write_state(out, lookup, whole);
    }
    __syncthreads();
  }
}

__global__ void validity_kernel(const std::uint32_t* counts, std::size_t count,
                                std::uint8_t* validity) {
  const std::size_t i = thread_number();
  write_matched(validity, i, count, i < count && counts[i] != 0);
}

template <class Reader>
void launch_fold(const RowSources& rows, std::size_t count, const Reader& reader,
                 const RowFolds& out, const Queue& queue) {
  constexpr std::size_t max_long_blocks = 1024;
  const DeviceArray<std::uint32_t> long_lookups(queue, count + 1);
  check(cudaMemsetAsync(long_lookups.data(), 0, sizeof(std::uint32_t), queue), "filling memory");
  fold_kernel<<<loop_blocks(count), block_threads, 0, queue>>>(rows, count, reader, out,
                                                               long_lookups.data());
  const auto blocks = static_cast<unsigned>(std::min(count, max_long_blocks));
  fold_long<<<blocks, block_threads, 0, queue>>>(rows, reader, out, long_lookups.data());
  check_launch(folding);
}

template <class Class>
[[nodiscard]] IncludedReader<Class> included_reader(const RowSources& rows,
                                                    const RowValues& values) {
  IncludedReader<Class> reader{};
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    const IncludedSource& source = values.included[i];
    const OrderedView<Class> view = source.values->view<Class>();
    reader.sources[i] = {view.values, view.prefix_sums,
                         source.valid == nullptr ? nullptr : source.valid->sums_before()};
  }
  return reader;
}

}  // namespace

RowFolds RowFolds::from(std::size_t first) const {
  RowFolds rest = *this;
  const auto advance = [&](auto*& output) {
    if (output != nullptr) output += first;
  };
  const auto advance_value = [&](void*& output) {
    if (output != nullptr) output = static_cast<std::uint64_t*>(output) + first;
  };
  advance(rest.last);
  advance(rest.mean);
  advance(rest.value_counts);
  advance_value(rest.sum);
  advance_value(rest.min);
  advance_value(rest.max);
  return rest;
}

void fold_rows(const RowSources& rows, std::size_t count, const RowValues& values,
               const RowFolds& out, const Queue& queue) {
  if (count == 0) return;
  if (!out.wants_values()) return launch_fold(rows, count, NoValues{}, out, queue);
  visit_class(class_of(values.type), [&]<class Class>() {
    if (values.is_included)
      return launch_fold(rows, count, included_reader<Class>(rows, values), out, queue);
    launch_fold(
        rows, count,
        ColumnReader<Class>{{values.data, values.type}, values.validity, values.validity_offset},
        out, queue);
  });
}

void write_validity(const std::uint32_t* counts, std::size_t count, std::uint8_t* validity,
                    cudaStream_t stream) {
  if (count == 0) return;
  validity_kernel<<<blocks_for(count), block_threads, 0, stream>>>(counts, count, validity);
  check_launch(folding);
}

}  // namespace rtindex::cuda
