#include "rows/cuda/device_row_bitmap.hpp"

#include <algorithm>
#include <utility>

#include "base/cuda/launch.cuh"
#include "keys/cuda/element_bits.cuh"
#include "rows/bitmap_bits.hpp"
#include "rows/cuda/tally.cuh"

namespace rtindex::cuda {

namespace {

struct RowFacts {
  unsigned long long nulls;
  std::uint32_t wrong;
};

// Sets the bit of a row; false if it was set before.
__device__ bool set_bit(std::uint32_t* words, std::uint32_t row) {
  const std::uint32_t bit = std::uint32_t{1} << (row % RowBits::word_bits);
  return (atomicOr(&words[row / RowBits::word_bits], bit) & bit) == 0;
}

__global__ void name_each(const std::uint32_t* rows, std::size_t count, std::size_t row_count,
                          RowBits erased, RowBits nulls, std::uint32_t* named, RowFacts* facts) {
  const std::size_t i = thread_number();
  bool wrong = false;
  bool is_null = false;
  if (i < count) {
    const std::uint32_t row = rows[i];
    wrong = row >= row_count || erased.has(row) || !set_bit(named, row);
    is_null = !wrong && nulls.has(row);
  }
  const unsigned null_lanes = __ballot_sync(~0U, is_null);
  const bool any_wrong = __any_sync(~0U, wrong);
  if (threadIdx.x % 32 != 0) return;
  if (any_wrong) facts->wrong = 1;
  if (null_lanes != 0)
    atomicAdd(&facts->nulls, static_cast<unsigned long long>(__popc(null_lanes)));
}

__global__ void set_each_null(DeviceElements column, RowIds ids, std::size_t row_count,
                              std::uint32_t* words) {
  const std::size_t i = thread_number();
  if (i >= column.size || is_valid(column, i)) return;
  if (ids[i] < row_count) set_bit(words, ids[i]);
}

__global__ void set_each(const std::uint32_t* rows, std::size_t count, std::size_t row_count,
                         std::uint32_t* words) {
  const std::size_t i = thread_number();
  if (i < count && rows[i] < row_count) set_bit(words, rows[i]);
}

__global__ void set_each_of_lookup(const std::uint32_t* rows, std::size_t count,
                                   const std::uint64_t* offsets, std::size_t lookups,
                                   std::size_t row_count, std::uint32_t* words) {
  const std::size_t i = thread_number();
  if (i >= count || rows[i] >= row_count) return;
  // The last lookup whose rows begin at or before i.
  std::size_t first = 0;
  std::size_t last = lookups;
  while (last - first > 1) {
    const std::size_t middle = first + (last - first) / 2;
    (offsets[middle] <= i ? first : last) = middle;
  }
  set_bit(words + first * RowBits::words_of(row_count), rows[i]);
}

__global__ void set_missing(BitmapView bitmap, std::uint32_t* words, std::size_t count,
                            unsigned long long* total) {
  unsigned long long bits = 0;
  for (std::size_t i = thread_number(); i < count; i += thread_count()) {
    words[i] = missing_rows(bitmap, i);
    bits += static_cast<unsigned>(__popc(words[i]));
  }
  add_count(bits, total);
}

struct Union {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
};
struct Difference {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a & ~b; }
};

// Combines bitmaps word by word and counts the rows of the result. Words beyond the end of a bitmap
// are 0.
template <class Combine>
__global__ void combine_words(const std::uint32_t* a, std::size_t a_words, const std::uint32_t* b,
                              std::size_t b_words, std::uint32_t* out, std::size_t words,
                              Combine combine, unsigned long long* total) {
  unsigned long long bits = 0;
  for (std::size_t i = thread_number(); i < words; i += thread_count()) {
    const std::uint32_t word = combine(i < a_words ? a[i] : 0, i < b_words ? b[i] : 0);
    out[i] = word;
    bits += static_cast<unsigned>(__popc(word));
  }
  add_count(bits, total);
}

__global__ void count_words(const std::uint32_t* words, std::size_t count,
                            unsigned long long* total) {
  unsigned long long bits = 0;
  for (std::size_t i = thread_number(); i < count; i += thread_count())
    bits += static_cast<unsigned>(__popc(words[i]));
  add_count(bits, total);
}

template <class Combine>
RowBitmapPtr combined(const DeviceRowBitmap& own, RowBits a, RowBits b, std::size_t rows,
                      Combine combine) {
  const auto& memory = own.memory();
  PooledStream stream;
  const Queue queue(memory, stream.get());
  RowBitmapWords bitmap(rows, queue, false);
  const Tally<unsigned long long> total(queue);
  const std::size_t words = bitmap.words.size();
  if (words != 0)
    combine_words<<<loop_blocks(words), block_threads, 0, queue>>>(
        a.words, RowBits::words_of(a.rows), b.words, RowBits::words_of(b.rows), bitmap.words.data(),
        words, combine, total.get());
  check_launch("combining row bitmaps");
  const std::size_t count = total.read("combining row bitmaps");
  return std::make_shared<DeviceRowBitmap>(std::move(stream), std::move(bitmap), count, memory);
}

}  // namespace

NamedRows name_rows(const std::uint32_t* rows, std::size_t count, RowBits erased, RowBits nulls,
                    const RowBitmapWords& named, const Queue& queue) {
  const Tally<RowFacts> facts(queue);
  if (count != 0)
    name_each<<<blocks_for(count), block_threads, 0, queue>>>(
        rows, count, named.rows, erased, nulls, named.words.data(), facts.get());
  check_launch("checking the rows of a change");
  const RowFacts found = facts.read("checking the rows of a change");
  return {found.wrong != 0, found.nulls};
}

void set_null_rows(const DeviceElements& column, RowIds ids, const RowBitmapWords& bitmap,
                   cudaStream_t stream) {
  if (column.size != 0 && column.validity != nullptr)
    set_each_null<<<blocks_for(column.size), block_threads, 0, stream>>>(column, ids, bitmap.rows,
                                                                         bitmap.words.data());
  check_launch("marking null rows");
}

void set_rows(const std::uint32_t* rows, std::size_t count, const RowBitmapWords& bitmap,
              cudaStream_t stream) {
  if (count != 0)
    set_each<<<blocks_for(count), block_threads, 0, stream>>>(rows, count, bitmap.rows,
                                                              bitmap.words.data());
  check_launch("marking rows");
}

void set_rows_of_lookups(const std::uint32_t* rows, std::size_t count, const std::uint64_t* offsets,
                         std::size_t lookups, std::size_t row_count, const RowBitmapWords& bitmaps,
                         cudaStream_t stream) {
  if (count != 0)
    set_each_of_lookup<<<blocks_for(count), block_threads, 0, stream>>>(
        rows, count, offsets, lookups, row_count, bitmaps.words.data());
  check_launch("marking rows");
}

RowBitmapPtr missing_rows(const BitmapView& bitmap, const std::shared_ptr<DeviceMemory>& memory) {
  PooledStream stream;
  const Queue queue(memory, stream.get());
  RowBitmapWords words(bitmap.rows, queue, false);
  const Tally<unsigned long long> total(queue);
  const std::size_t count = words.words.size();
  if (count != 0)
    set_missing<<<loop_blocks(count), block_threads, 0, queue>>>(bitmap, words.words.data(), count,
                                                                 total.get());
  check_launch("reading a filter");
  const std::size_t set = total.read("reading a filter");
  return std::make_shared<DeviceRowBitmap>(std::move(stream), std::move(words), set, memory);
}

std::size_t count_rows(const RowBitmapWords& bitmap, const Queue& queue) {
  const Tally<unsigned long long> total(queue);
  const std::size_t words = bitmap.words.size();
  if (words != 0)
    count_words<<<loop_blocks(words), block_threads, 0, queue>>>(bitmap.words.data(), words,
                                                                 total.get());
  check_launch("counting rows");
  return total.read("counting rows");
}

RowBitmapPtr DeviceRowBitmap::union_with(const RowBitmap& other) const {
  const OnDevice current(device_);
  const RowBits more = other.bits();
  return combined(*this, bits(), more, std::max(bits().rows, more.rows), Union{});
}

RowBitmapPtr DeviceRowBitmap::minus(const RowBitmap& other) const {
  const OnDevice current(device_);
  RowBitmapPtr rest = combined(*this, bits(), other.bits(), bits().rows, Difference{});
  return rest->count() == 0 ? nullptr : rest;
}

}  // namespace rtindex::cuda
