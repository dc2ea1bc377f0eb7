#include "order/cuda/device_order.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include <rtindex/answer.hpp>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

__global__ void make_pairs(const std::uint32_t* keys, const std::uint32_t* rows, std::size_t size,
                           std::uint64_t* pairs) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  const std::uint32_t row = rows == nullptr ? static_cast<std::uint32_t>(i) : rows[i];
  pairs[i] = std::uint64_t{keys[i]} << 32 | row;
}

__global__ void count_up(std::uint32_t* rows, std::size_t size) {
  const std::size_t i = thread_number();
  if (i < size) rows[i] = static_cast<std::uint32_t>(i);
}

template <class At>
__global__ void compare_neighbours(At at, RowsView rows, std::size_t size, OrderStats* stats) {
  bool equal = false;
  bool descends = false;
  for (std::size_t i = thread_number(); i + 1 < size; i += thread_count()) {
    if (at(i) != at(i + 1)) continue;
    equal = true;
    descends |= rows[i] > rows[i + 1];
  }
  if (__any_sync(~0U, equal) && threadIdx.x % 32 == 0) stats->duplicates = 1;
  if (__any_sync(~0U, descends) && threadIdx.x % 32 == 0) stats->unordered = 1;
  if (thread_number() == 0 && size != 0) stats->last_key = at(size - 1);
}

struct PairKeys {
  const std::uint64_t* pairs;
  __device__ std::uint64_t operator()(std::size_t i) const { return pairs[i] >> 32; }
};

template <class Key>
struct PlainKeys {
  const Key* keys;
  __device__ std::uint64_t operator()(std::size_t i) const { return keys[i]; }
};

struct SequenceKeys {
  std::uint64_t first;
  __device__ std::uint64_t operator()(std::size_t i) const { return first + i; }
};

struct BlockKeys {
  const std::uint64_t* words;
  __device__ std::uint64_t operator()(std::size_t i) const {
    return words[KeyBlocks::key_at(static_cast<std::uint32_t>(i))];
  }
};

// Four threads write a block, 16 bytes each: memory takes whole sectors much faster than parts of
// them. The rest of the last block, and the blocks after it, are padding.
__global__ void make_blocks(const std::uint64_t* keys, const std::uint32_t* rows, std::size_t size,
                            std::size_t blocks, ulonglong2* quarters) {
  static_assert(KeyBlocks::keys == 5 && KeyBlocks::words == 8);
  const std::size_t i = thread_number();
  if (i >= blocks * 4) return;
  const std::size_t first = i / 4 * KeyBlocks::keys;
  const auto key = [&](std::size_t k) -> unsigned long long {
    return first + k < size ? __ldcs(keys + first + k) : ~0ULL;
  };
  const auto row = [&](std::size_t k) -> unsigned long long {
    return k < KeyBlocks::keys && first + k < size ? __ldcs(rows + first + k)
                                                   : std::uint64_t{miss_row};
  };
  ulonglong2 quarter;
  switch (i % 4) {
    case 0: quarter = {key(0), key(1)}; break;
    case 1: quarter = {key(2), key(3)}; break;
    case 2: quarter = {key(4), row(0) | row(1) << 32}; break;
    default: quarter = {row(2) | row(3) << 32, row(4) | row(5) << 32}; break;
  }
  quarters[i] = quarter;
}

// Scatters keys to the positions of their rows, or copies them with their rows.
template <class At>
__global__ void copy_keys(At key_at, RowsView rows, std::size_t size, std::uint32_t* narrow,
                          std::uint64_t* wide, std::uint32_t* row_list) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  const std::uint32_t row = rows[i];
  const std::size_t to = row_list == nullptr ? row : i;
  if (narrow != nullptr)
    narrow[to] = static_cast<std::uint32_t>(key_at(i));
  else
    wide[to] = key_at(i);
  if (row_list != nullptr) row_list[i] = row;
}

// `rows`: see RowsView.
__global__ void renumber_rows(std::uint32_t* rows, std::uint32_t stride, bool in_blocks,
                              std::size_t size, RowIds ids) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  const std::size_t at = in_blocks ? KeyBlocks::row_at(static_cast<std::uint32_t>(i)) : i * stride;
  rows[at] = ids[rows[at]];
}

// Sorts keys by their rows.
template <class Key>
void sort_by_row(DeviceArray<Key>& keys, DeviceArray<std::uint32_t>& rows, std::size_t size,
                 std::size_t row_count, const Queue& queue) {
  DeviceArray<Key> other_keys(queue, size);
  DeviceArray<std::uint32_t> other_rows(queue, size);
  cub::DoubleBuffer<Key> key_buffers(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::uint32_t> row_buffers(rows.data(), other_rows.data());
  const int bits = std::max(1, static_cast<int>(std::bit_width(row_count)));
  with_scratch(queue, "sorting rows", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, row_buffers, key_buffers, size, 0, bits,
                                           queue);
  });
  if (key_buffers.Current() != keys.data()) keys = std::move(other_keys);
  if (row_buffers.Current() != rows.data()) rows = std::move(other_rows);
}

template <class T>
void fill_padding(T* data, std::size_t size, cudaStream_t stream) {
  check(cudaMemsetAsync(data + size, 0xff, DeviceOrder::padding * sizeof(T), stream),
        "filling memory");
}

}  // namespace

DeviceOrder::DeviceOrder(DeviceColumn column, Sorting sorting, Layout layout, const Queue& queue)
    : layout_(layout),
      size_(column.size),
      row_count_(column.row_count),
      span_(column.span),
      by_full_keys_(sorting == Sorting::by_full_keys),
      rows_ascend_(column.rows_ascend) {
  const bool sorted = sorting != Sorting::needed;
  if (sorting == Sorting::rows_follow) {
    layout_ = Layout::keys;
    narrow_ = std::move(column.narrow);
    wide_ = std::move(column.wide);
    if (column.is_wide())
      fill_padding(wide_.data(), size_, queue);
    else
      fill_padding(narrow_.data(), size_, queue);
    return;
  }
  if (layout_ == Layout::extracted && !by_full_keys_) {
    narrow_ = std::move(column.narrow);
    wide_ = std::move(column.wide);
    rows_ = std::move(column.rows);
    return;
  }
  if (layout_ == Layout::pairs) {
    if (column.is_wide())
      sort_blocks(std::move(column), sorted, queue);
    else
      sort_pairs(std::move(column), sorted, queue);
    return;
  }
  if (column.is_wide())
    sort_split(std::move(column.wide), std::move(column.rows), sorted, wide_, queue);
  else
    sort_split(std::move(column.narrow), std::move(column.rows), sorted, narrow_, queue);
}

// A stable sort of the pairs by their upper half keeps equal keys in the order of their rows.
void DeviceOrder::sort_pairs(DeviceColumn column, bool sorted, const Queue& queue) {
  DeviceArray<std::uint64_t> unsorted = std::move(column.pairs);
  if (unsorted.empty()) {
    unsorted = DeviceArray<std::uint64_t>(queue, size_ + padding);
    if (size_ != 0)
      make_pairs<<<blocks_for(size_), block_threads, 0, queue>>>(
          column.narrow.data(), column.rows.empty() ? nullptr : column.rows.data(), size_,
          unsorted.data());
    check_launch("making pairs");
  }
  column = DeviceColumn{};
  if (sorted) {
    pairs_ = std::move(unsorted);
    fill_padding(pairs_.data(), size_, queue);
    return;
  }
  pairs_ = DeviceArray<std::uint64_t>(queue, size_ + padding);
  cub::DoubleBuffer<std::uint64_t> buffers(unsorted.data(), pairs_.data());
  const int bits = std::max(1, static_cast<int>(std::bit_width(span_)));
  with_scratch(queue, "sorting keys", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, buffers, size_, 32, 32 + bits, queue);
  });
  if (buffers.Current() != pairs_.data()) std::swap(pairs_, unsorted);
  fill_padding(pairs_.data(), size_, queue);
}

// Both buffers of the sort have the size of the blocks, keys first and rowIDs after them: the
// blocks are written to the buffer that does not hold the sorted keys.
void DeviceOrder::sort_blocks(DeviceColumn column, bool sorted, const Queue& queue) {
  const std::size_t words = KeyBlocks::words_for(size_ + padding);
  const auto rows_behind = [&](const DeviceArray<std::uint64_t>& side) {
    return reinterpret_cast<std::uint32_t*>(side.data() + size_);
  };
  const bool named = !column.rows.empty();
  if (!named && column.wide.size() < words) column.rows = DeviceArray<std::uint32_t>(queue, size_);
  DeviceArray<std::uint64_t> other(queue, words);
  std::uint32_t* const rows = column.rows.empty() ? rows_behind(column.wide) : column.rows.data();
  cub::DoubleBuffer<std::uint64_t> key_buffers(column.wide.data(), other.data());
  cub::DoubleBuffer<std::uint32_t> row_buffers(rows, rows_behind(other));
  if (!named && size_ != 0) count_up<<<blocks_for(size_), block_threads, 0, queue>>>(rows, size_);
  if (!sorted) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(span_)));
    with_scratch(queue, "sorting keys", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, row_buffers, size_, 0,
                                             bits, queue);
    });
  }
  const bool in_other = key_buffers.Current() == other.data();
  if (!in_other)
    pairs_ = std::move(other);
  else if (column.wide.size() >= words)
    pairs_ = std::move(column.wide);
  else
    pairs_ = DeviceArray<std::uint64_t>(queue, words);
  const std::size_t blocks = words / KeyBlocks::words;
  make_blocks<<<blocks_for(blocks * 4), block_threads, 0, queue>>>(
      key_buffers.Current(), row_buffers.Current(), size_, blocks,
      reinterpret_cast<ulonglong2*>(pairs_.data()));
  check_launch("putting keys beside their rows");
}

template <class Key>
void DeviceOrder::sort_split(DeviceArray<Key> keys, DeviceArray<std::uint32_t> rows, bool sorted,
                             DeviceArray<Key>& into, const Queue& queue) {
  if (sorted && keys.size() >= size_ + padding && rows.size() >= size_ + padding) {
    into = std::move(keys);
    rows_ = std::move(rows);
    fill_padding(into.data(), size_, queue);
    fill_padding(rows_.data(), size_, queue);
    return;
  }
  // The unsorted arrays have no room for the padding: the result must be in the new ones.
  into = DeviceArray<Key>(queue, size_ + padding);
  rows_ = DeviceArray<std::uint32_t>(queue, size_ + padding);
  if (rows.empty()) {
    rows = DeviceArray<std::uint32_t>(queue, size_);
    if (size_ != 0) count_up<<<blocks_for(size_), block_threads, 0, queue>>>(rows.data(), size_);
    check_launch("numbering rows");
  }
  cub::DoubleBuffer<Key> key_buffers(keys.data(), into.data());
  cub::DoubleBuffer<std::uint32_t> row_buffers(rows.data(), rows_.data());
  const int bits = std::max(1, static_cast<int>(std::bit_width(span_)));
  if (!sorted)
    with_scratch(queue, "sorting keys", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, row_buffers, size_, 0,
                                             bits, queue);
    });
  if (size_ != 0 && key_buffers.Current() != into.data()) {
    check(cudaMemcpyAsync(into.data(), keys.data(), size_ * sizeof(Key), cudaMemcpyDeviceToDevice,
                          queue),
          "copying on the GPU");
    check(cudaMemcpyAsync(rows_.data(), rows.data(), size_ * sizeof(std::uint32_t),
                          cudaMemcpyDeviceToDevice, queue),
          "copying on the GPU");
  }
  fill_padding(into.data(), size_, queue);
  fill_padding(rows_.data(), size_, queue);
}

void DeviceOrder::find_stats(const Queue& queue) {
  const DeviceArray<OrderStats> on_device(queue, 1);
  OrderStats stats{};
  check(cudaMemsetAsync(on_device.data(), 0, sizeof(stats), queue), "filling memory");
  const unsigned blocks = loop_blocks(size_);
  if (is_wide())
    compare_neighbours<<<blocks, block_threads, 0, queue>>>(PlainKeys<std::uint64_t>{wide_.data()},
                                                            rows(), size_, on_device.data());
  else
    compare_neighbours<<<blocks, block_threads, 0, queue>>>(
        PlainKeys<std::uint32_t>{narrow_.data()}, rows(), size_, on_device.data());
  check_launch("looking for duplicates");
  check(cudaMemcpyAsync(&stats, on_device.data(), sizeof(stats), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), "sorting keys");
  set_stats(stats);
}

void DeviceOrder::set_stats(const OrderStats& stats) {
  unique_ = stats.duplicates == 0;
  last_key_ = stats.last_key;
  rows_ascend_ = stats.unordered == 0 || by_full_keys_;
}

void DeviceOrder::renumber(RowIds ids, std::size_t row_count, cudaStream_t stream) {
  row_count_ = row_count;
  if (ids.rows != nullptr) rows_ascend_ = false;
  if (ids.is_identity() || size_ == 0) return;
  assert(has_rows());
  const RowsView view = rows();
  renumber_rows<<<blocks_for(size_), block_threads, 0, stream>>>(
      const_cast<std::uint32_t*>(view.rows), view.stride, view.in_blocks, size_, ids);
  check_launch("numbering rows");
}

RowsView DeviceOrder::rows() const {
  if (!has_rows()) return RowsView::from(first_row_);
  if (layout_ != Layout::pairs) return {rows_.data(), 1, false, first_listed_};
  // The rowID is the lower half of a pair, the first in memory.
  return {reinterpret_cast<const std::uint32_t*>(pairs_.data()), 2, is_wide()};
}

KeysView DeviceOrder::keys(std::uint64_t shift) const {
  KeysView view;
  view.shift = shift;
  if (layout_ == Layout::sequence) {
    view.is_sequence = true;
    view.shift += first_key_;
  } else if (layout_ == Layout::pairs) {
    (is_wide() ? view.blocks : view.pairs) = pairs_.data();
  } else if (is_wide()) {
    view.wide = wide_.data();
  } else {
    view.narrow = narrow_.data();
  }
  return view;
}

void DeviceOrder::release_keys() {
  narrow_ = DeviceArray<std::uint32_t>();
  wide_ = DeviceArray<std::uint64_t>();
}

DeviceColumn DeviceOrder::extract_column() {
  DeviceColumn column;
  column.narrow = std::move(narrow_);
  column.wide = std::move(wide_);
  column.rows = std::move(rows_);
  column.size = size_;
  column.row_count = row_count_;
  column.span = span_;
  return column;
}

void DeviceOrder::set_table_rows(DeviceArray<std::uint32_t> rows, std::uint32_t first) {
  rows_ = std::move(rows);
  first_listed_ = first;
}

DeviceColumn DeviceOrder::column(const Queue& queue) const {
  DeviceColumn result;
  result.size = size_;
  result.row_count = row_count_;
  result.span = span_;
  if (is_wide())
    result.wide = DeviceArray<std::uint64_t>(queue, size_);
  else
    result.narrow = DeviceArray<std::uint32_t>(queue, size_);
  if (size_ != row_count_) result.rows = DeviceArray<std::uint32_t>(queue, size_);
  if (size_ == 0) return result;
  const auto copy = [&](auto key_at) {
    copy_keys<<<blocks_for(size_), block_threads, 0, queue>>>(
        key_at, rows(), size_, result.narrow.data(), result.wide.data(), result.rows.data());
  };
  if (layout_ == Layout::pairs && is_wide())
    copy(BlockKeys{pairs_.data()});
  else if (layout_ == Layout::pairs)
    copy(PairKeys{pairs_.data()});
  else if (layout_ == Layout::sequence)
    copy(SequenceKeys{first_key_});
  else if (is_wide())
    copy(PlainKeys<std::uint64_t>{wide_.data()});
  else
    copy(PlainKeys<std::uint32_t>{narrow_.data()});
  check_launch("copying keys");
  result.rows_ascend = result.rows.empty() || !has_rows();
  return in_row_order(std::move(result), queue);
}

DeviceColumn in_row_order(DeviceColumn column, const Queue& queue) {
  if (column.rows_ascend || column.size == 0) return column;
  if (column.is_wide())
    sort_by_row(column.wide, column.rows, column.size, column.row_count, queue);
  else
    sort_by_row(column.narrow, column.rows, column.size, column.row_count, queue);
  column.rows_ascend = true;
  return column;
}

}  // namespace rtindex::cuda
