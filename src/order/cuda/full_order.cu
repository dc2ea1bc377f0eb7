#include "order/cuda/full_order.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/cuda/launch.cuh"
#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

namespace {

__global__ void number_rows(std::uint32_t* rows, std::size_t size) {
  const std::size_t i = thread_number();
  if (i < size) rows[i] = static_cast<std::uint32_t>(i);
}

// Whether the encoded key at a position is inexact and equal to a neighbour's.
template <class Key>
struct IsShared {
  const Key* keys;
  std::size_t size;
  StringEncoder strings;  // of a column of strings
  std::uint64_t base;
  bool is_string;

  __device__ bool operator()(std::uint32_t i) const {
    const Key key = keys[i];
    if (is_string && strings.is_exact(key + base)) return false;
    return (i != 0 && keys[i - 1] == key) || (i + 1 < size && keys[i + 1] == key);
  }
};

struct KeyRow {
  std::uint64_t key;
  std::uint32_t row;
};

struct IsBefore {
  FullKeys full;

  __device__ bool operator()(const KeyRow& a, const KeyRow& b) const {
    if (a.key != b.key) return a.key < b.key;
    const int order = compare_elements(full, full.rows.element(a.row), full.rows.element(b.row));
    return order != 0 ? order < 0 : a.row < b.row;
  }
};

template <class Key>
__global__ void extract_shared(const Key* keys, const std::uint32_t* rows,
                               const std::uint32_t* positions, std::size_t count,
                               KeyRow* extracted) {
  const std::size_t i = thread_number();
  if (i < count) extracted[i] = {keys[positions[i]], rows[positions[i]]};
}

__global__ void put_rows(const KeyRow* sorted, const std::uint32_t* positions, std::size_t count,
                         std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i < count) rows[positions[i]] = sorted[i].row;
}

// Sorts the rows of equal encoded keys by their full keys.
template <class Key>
void order_shared(const Key* keys, std::uint32_t* rows, std::size_t size, const FullKeys& full,
                  const Queue& queue) {
  const PackedMap::Field& only = full.map.fields[0];
  const bool is_string = full.map.count == 1 && only.map.column.kind == ElementType::Kind::string;
  const IsShared<Key> is_shared{keys, size, only.strings, only.map.base, is_string};
  const DeviceArray<std::uint32_t> positions(queue, size);
  const DeviceArray<std::uint32_t> found(queue, 1);
  with_scratch(queue, "sorting keys", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0),
                                 positions.data(), found.data(), static_cast<std::int64_t>(size),
                                 is_shared, queue);
  });
  std::uint32_t count = 0;
  copy_to_host(&count, found.data(), sizeof(count), queue);
  if (count == 0) return;
  const DeviceArray<KeyRow> shared(queue, count);
  extract_shared<<<blocks_for(count), block_threads, 0, queue>>>(keys, rows, positions.data(),
                                                                 count, shared.data());
  check_launch("sorting keys");
  with_scratch(queue, "sorting full keys", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceMergeSort::SortKeys(scratch, bytes, shared.data(), std::int64_t{count},
                                          IsBefore{full}, queue);
  });
  put_rows<<<blocks_for(count), block_threads, 0, queue>>>(shared.data(), positions.data(), count,
                                                           rows);
  check_launch("sorting keys");
}

template <class Key>
void sort_in_full(DeviceArray<Key>& keys, DeviceColumn& column, const FullKeys& full,
                  const Queue& queue) {
  DeviceArray<Key> other_keys(queue, column.size);
  DeviceArray<std::uint32_t> other_rows(queue, column.size);
  cub::DoubleBuffer<Key> key_buffers(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::uint32_t> row_buffers(column.rows.data(), other_rows.data());
  const int bits = std::max(1, static_cast<int>(std::bit_width(column.span)));
  with_scratch(queue, "sorting keys", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, row_buffers, column.size, 0,
                                           bits, queue);
  });
  if (key_buffers.Current() != keys.data()) std::swap(keys, other_keys);
  if (row_buffers.Current() != column.rows.data()) std::swap(column.rows, other_rows);
  order_shared(keys.data(), column.rows.data(), column.size, full, queue);
}

}  // namespace

DeviceColumn in_full_order(DeviceColumn column, const FullKeys& full, const Queue& queue) {
  if (column.rows.empty()) {
    column.rows = DeviceArray<std::uint32_t>(queue, column.size);
    if (column.size != 0)
      number_rows<<<blocks_for(column.size), block_threads, 0, queue>>>(column.rows.data(),
                                                                        column.size);
    check_launch("numbering rows");
  }
  if (column.size == 0) return column;
  if (column.is_wide())
    sort_in_full(column.wide, column, full, queue);
  else
    sort_in_full(column.narrow, column, full, queue);
  return column;
}

}  // namespace rtindex::cuda
