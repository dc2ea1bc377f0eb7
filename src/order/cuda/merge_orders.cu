#include "order/cuda/merge_orders.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_select.cuh>

#include <limits>
#include <utility>

#include "base/cuda/launch.cuh"
#include "order/cuda/order_view.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* merging = "merging keys";

// The valid positions of a part: all, or those that are listed.
struct ValidPositions {
  const std::uint32_t* listed = nullptr;
  [[nodiscard]] __device__ std::uint32_t operator()(std::uint32_t i) const {
    return listed == nullptr ? i : listed[i];
  }
};

template <class Key>
struct KeyOf {
  ValidPositions positions;
  KeysView keys;
  [[nodiscard]] __device__ Key operator()(std::uint32_t i) const {
    return static_cast<Key>(keys(positions(i)));
  }
};

// key << 32 | rowID.
struct PairOf {
  ValidPositions positions;
  const std::uint64_t* pairs;
  std::uint64_t shift;
  [[nodiscard]] __device__ std::uint64_t operator()(std::uint32_t i) const {
    return pairs[positions(i)] + (shift << 32);
  }
};

struct SourceOf {
  ValidPositions positions;
  std::uint32_t offset;
  [[nodiscard]] __device__ std::uint32_t operator()(std::uint32_t i) const {
    return offset + positions(i);
  }
};

template <class Function>
[[nodiscard]] auto counted(Function function) {
  return thrust::transform_iterator<Function, thrust::counting_iterator<std::uint32_t>>(
      thrust::counting_iterator<std::uint32_t>(0), function);
}

struct ShiftPair {
  std::uint64_t shift;
  [[nodiscard]] __device__ std::uint64_t operator()(std::uint64_t pair) const {
    return pair + (shift << 32);
  }
};
using PairIterator = thrust::transform_iterator<ShiftPair, const std::uint64_t*>;

// Pairs by key and row, or by key alone.
struct PairLess {
  int ignored_bits;
  [[nodiscard]] __device__ bool operator()(std::uint64_t a, std::uint64_t b) const {
    return a >> ignored_bits < b >> ignored_bits;
  }
};

struct KeyLess {
  template <class Key>
  [[nodiscard]] __device__ bool operator()(Key a, Key b) const {
    return a < b;
  }
};

struct IsLivePair {
  RowBits deleted;
  [[nodiscard]] __device__ bool operator()(std::uint64_t pair) const {
    return !deleted.has(static_cast<std::uint32_t>(pair));
  }
};

struct IsLivePosition {
  RowsView rows;
  RowBits deleted;
  [[nodiscard]] __device__ bool operator()(std::uint32_t position) const {
    return !deleted.has(rows[position]);
  }
};

[[nodiscard]] KeysView reader_of(const OrderPart& part) {
  return part.order == nullptr ? KeysView() : part.order->keys(part.shift);
}

[[nodiscard]] RowsView rows_of(const OrderPart& part) {
  return part.order == nullptr ? RowsView{} : part.order->rows();
}

// Keeps what is_valid; the number goes to `*kept`.
template <class In, class Out, class IsLive>
void keep_valid(In in, Out out, std::uint32_t* kept, std::size_t size, IsLive is_valid,
                const Queue& queue) {
  with_scratch(queue, "dropping erased rows", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, in, out, kept, static_cast<std::int64_t>(size),
                                 is_valid, queue);
  });
}

// The number of valid keys of two parts. Blocks if some may be deleted.
class ValidCounts {
 public:
  ValidCounts(const OrderPart& first, const OrderPart& second, const Queue& queue)
      : parts_{&first, &second}, counts_(queue, 2), stream_(queue) {}

  [[nodiscard]] std::uint32_t* of(int part) const { return counts_.data() + part; }
  void read() {
    std::uint32_t found[2] = {};
    const int first = parts_[0]->has_deleted() ? 0 : 1;
    const int behind = parts_[1]->has_deleted() ? 2 : 1;
    if (first < behind) {
      const auto bytes = static_cast<std::size_t>(behind - first) * sizeof(*found);
      check(cudaMemcpyAsync(found + first, counts_.data() + first, bytes, cudaMemcpyDeviceToHost,
                            stream_),
            "copying from the GPU");
      check(cudaStreamSynchronize(stream_), "dropping erased rows");
    }
    for (int part = 0; part < 2; ++part)
      sizes_[part] = parts_[part]->has_deleted() ? found[part] : parts_[part]->size();
  }
  [[nodiscard]] std::size_t operator[](int part) const { return sizes_[part]; }
  [[nodiscard]] std::size_t sum() const { return sizes_[0] + sizes_[1]; }

 private:
  const OrderPart* parts_[2];
  DeviceArray<std::uint32_t> counts_;
  cudaStream_t stream_;
  std::size_t sizes_[2] = {};
};

__global__ void write_pairs(KeysView keys, RowsView rows, std::size_t size, std::uint64_t* pairs) {
  const std::size_t i = thread_number();
  if (i < size) pairs[i] = keys(static_cast<std::uint32_t>(i)) << 32 | rows[i];
}

// The pairs of a part with keys of 4 bytes, written to memory if it stores none.
class PartPairs {
 public:
  PartPairs(const OrderPart& part, const Queue& queue) {
    if (part.size() == 0) return;
    data_ = part.order->pairs();
    if (part.order->has_rows()) return;
    written_ = DeviceArray<std::uint64_t>(queue, part.size());
    write_pairs<<<blocks_for(part.size()), block_threads, 0, queue>>>(
        part.order->keys(), part.order->rows(), part.size(), written_.data());
    check_launch(merging);
    data_ = written_.data();
  }
  [[nodiscard]] const std::uint64_t* data() const { return data_; }

 private:
  DeviceArray<std::uint64_t> written_;
  const std::uint64_t* data_ = nullptr;
};

// Merges pairs of both parts, without recording where these came from.
DeviceColumn merge_pairs(const OrderPart& first, const OrderPart& second, int ignored_bits,
                         const Queue& queue) {
  ValidCounts valid(first, second, queue);
  DeviceArray<std::uint64_t> kept[2];
  const OrderPart* const parts[2] = {&first, &second};
  const PartPairs all[2] = {{first, queue}, {second, queue}};
  const std::uint64_t* pairs[2] = {all[0].data(), all[1].data()};
  for (int i = 0; i < 2; ++i) {
    if (!parts[i]->has_deleted()) continue;
    kept[i] = DeviceArray<std::uint64_t>(queue, parts[i]->size());
    keep_valid(pairs[i], kept[i].data(), valid.of(i), parts[i]->size(),
               IsLivePair{parts[i]->deleted}, queue);
    pairs[i] = kept[i].data();
  }
  valid.read();
  DeviceColumn merged;
  merged.size = valid.sum();
  merged.pairs = DeviceArray<std::uint64_t>(queue, merged.size + DeviceOrder::padding);
  if (merged.size != 0)
    with_scratch(queue, merging, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceMerge::MergeKeys(
          scratch, bytes, PairIterator(pairs[0], ShiftPair{first.shift}),
          static_cast<std::int64_t>(valid[0]), PairIterator(pairs[1], ShiftPair{second.shift}),
          static_cast<std::int64_t>(valid[1]), merged.pairs.data(), PairLess{ignored_bits}, queue);
    });
  return merged;
}

__global__ void gather_rows(const std::uint32_t* positions, std::size_t size, RowsView first,
                            std::uint32_t first_size, RowsView second, std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  const std::uint32_t position = positions[i];
  rows[i] = position < first_size ? first[position] : second[position - first_size];
}

// Merges keys with the positions that they came from.
class SourceMerge {
 public:
  SourceMerge(const OrderPart& first, const OrderPart& second, const Queue& queue)
      : parts_{&first, &second}, valid_(first, second, queue), queue_(queue) {
    for (int i = 0; i < 2; ++i) {
      if (!parts_[i]->has_deleted()) continue;
      listed_[i] = DeviceArray<std::uint32_t>(queue, parts_[i]->size());
      keep_valid(thrust::counting_iterator<std::uint32_t>(0), listed_[i].data(), valid_.of(i),
                 parts_[i]->size(), IsLivePosition{rows_of(*parts_[i]), parts_[i]->deleted}, queue);
    }
    valid_.read();
    positions_ = DeviceArray<std::uint32_t>(queue, size());
  }

  [[nodiscard]] std::size_t size() const { return valid_.sum(); }

  // Pairs of both parts to `out`.
  void pairs_to(std::uint64_t* out, int ignored_bits) {
    const PartPairs all[2] = {{*parts_[0], queue_}, {*parts_[1], queue_}};
    const auto pairs = [&](int i) {
      return counted(PairOf{positions(i), all[i].data(), parts_[i]->shift});
    };
    merge(pairs(0), pairs(1), out, PairLess{ignored_bits});
  }
  // Keys of both parts to `out`.
  template <class Key>
  void keys_to(Key* out) {
    const auto keys = [&](int i) {
      return counted(KeyOf<Key>{positions(i), reader_of(*parts_[i])});
    };
    merge(keys(0), keys(1), out, KeyLess{});
  }
  // The rows of the merged keys.
  void rows_to(std::uint32_t* out) const {
    if (size() != 0)
      gather_rows<<<blocks_for(size()), block_threads, 0, queue_>>>(
          positions_.data(), size(), rows_of(*parts_[0]),
          static_cast<std::uint32_t>(parts_[0]->size()), rows_of(*parts_[1]), out);
    check_launch(merging);
  }
  [[nodiscard]] DeviceArray<std::uint32_t> take_positions() { return std::move(positions_); }

 private:
  [[nodiscard]] ValidPositions positions(int i) const { return {listed_[i].data()}; }

  template <class Keys, class Key, class Less>
  void merge(Keys first, Keys second, Key* out, Less less) {
    if (size() == 0) return;
    const auto first_size = static_cast<std::uint32_t>(parts_[0]->size());
    with_scratch(queue_, merging, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceMerge::MergePairs(
          scratch, bytes, first, counted(SourceOf{positions(0), 0}),
          static_cast<std::int64_t>(valid_[0]), second, counted(SourceOf{positions(1), first_size}),
          static_cast<std::int64_t>(valid_[1]), out, positions_.data(), less, queue_);
    });
  }

  const OrderPart* parts_[2];
  ValidCounts valid_;
  Queue queue_;
  DeviceArray<std::uint32_t> listed_[2];
  DeviceArray<std::uint32_t> positions_;
};

struct IsLiveEntry {
  const std::uint32_t* rows;
  RowBits deleted;
  [[nodiscard]] __device__ bool operator()(std::uint32_t i) const {
    return !deleted.has(rows == nullptr ? i : rows[i]);
  }
};

template <class Key>
__global__ void append_keys(KeysView from, const std::uint32_t* from_rows,
                            const std::uint32_t* listed, std::size_t size, Key* keys,
                            std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  const auto at = listed == nullptr ? static_cast<std::uint32_t>(i) : listed[i];
  keys[i] = static_cast<Key>(from(at));
  rows[i] = from_rows == nullptr ? at : from_rows[at];
}

}  // namespace

bool can_merge(std::size_t first_size, std::size_t second_size) {
  return first_size + second_size <= std::numeric_limits<std::uint32_t>::max();
}

MergedOrder merge_orders(const OrderPart& first, const OrderPart& second, const MergeTarget& target,
                         const Queue& queue) {
  const bool as_pairs = target.layout == Layout::pairs && !is_wide(target.span);
  const bool both_ascend = (first.order == nullptr || first.order->rows_ascend()) &&
                           (second.order == nullptr || second.order->rows_ascend());
  const int ignored_bits = both_ascend ? 0 : 32;
  MergedOrder result;
  result.sources.first_size = first.size();
  DeviceColumn merged;
  if (as_pairs && !target.wants_sources) {
    merged = merge_pairs(first, second, ignored_bits, queue);
  } else {
    SourceMerge merge(first, second, queue);
    merged.size = merge.size();
    const std::size_t padded = merged.size + DeviceOrder::padding;
    if (as_pairs) {
      merged.pairs = DeviceArray<std::uint64_t>(queue, padded);
      merge.pairs_to(merged.pairs.data(), ignored_bits);
    } else {
      if (is_wide(target.span)) {
        merged.wide = DeviceArray<std::uint64_t>(queue, padded);
        merge.keys_to(merged.wide.data());
      } else {
        merged.narrow = DeviceArray<std::uint32_t>(queue, padded);
        merge.keys_to(merged.narrow.data());
      }
      merged.rows = DeviceArray<std::uint32_t>(queue, padded);
      merge.rows_to(merged.rows.data());
    }
    if (target.wants_sources) result.sources.positions = merge.take_positions();
  }
  merged.row_count = target.row_count;
  merged.span = target.span;
  merged.rows_ascend = as_pairs && both_ascend;
  result.order = DeviceOrder(std::move(merged), Sorting::done, target.layout, queue);
  return result;
}

void append_valid(const DeviceColumn& from, std::uint64_t shift, RowBits deleted, DeviceColumn& to,
                  const Queue& queue) {
  if (from.size == 0) return;
  std::size_t size = from.size;
  DeviceArray<std::uint32_t> listed;
  if (!deleted.empty()) {
    listed = DeviceArray<std::uint32_t>(queue, from.size);
    const DeviceArray<std::uint32_t> kept(queue, 1);
    keep_valid(thrust::counting_iterator<std::uint32_t>(0), listed.data(), kept.data(), from.size,
               IsLiveEntry{from.rows.data(), deleted}, queue);
    std::uint32_t found = 0;
    check(cudaMemcpyAsync(&found, kept.data(), sizeof(found), cudaMemcpyDeviceToHost, queue),
          "copying from the GPU");
    check(cudaStreamSynchronize(queue), "dropping erased rows");
    size = found;
  }
  KeysView reader;
  reader.narrow = from.is_wide() ? nullptr : from.narrow.data();
  reader.wide = from.wide.data();
  reader.shift = shift;
  std::uint32_t* const rows = to.rows.data() + to.size;
  if (size != 0 && to.is_wide())
    append_keys<<<blocks_for(size), block_threads, 0, queue>>>(
        reader, from.rows.data(), listed.data(), size, to.wide.data() + to.size, rows);
  else if (size != 0)
    append_keys<<<blocks_for(size), block_threads, 0, queue>>>(
        reader, from.rows.data(), listed.data(), size, to.narrow.data() + to.size, rows);
  check_launch(merging);
  to.size += size;
  to.rows_ascend = false;
}

}  // namespace rtindex::cuda
