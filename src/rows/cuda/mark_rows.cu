#include "rows/cuda/mark_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cuda/launch.cuh"
#include "base/cuda/pinned_results.hpp"

namespace rtindex::cuda {

namespace {

constexpr const char* marking = "marking the rows of a change";

// Words that a block of threads copies.
constexpr std::uint32_t chunk_words = 4096;

// As many as a block can have: one block checks all rows, whose states it reads at random places.
constexpr int mark_threads = 1024;

// A bitmap and its copy, in which rows are set. Words beyond the end of the old one are 0.
struct MarkedBitmap {
  const std::uint32_t* old_words;
  std::uint32_t old_count;
  std::uint32_t* words;
  std::uint32_t count;

  [[nodiscard]] __device__ bool had(std::uint32_t row) const {
    const std::uint32_t word = row / RowBits::word_bits;
    return word < old_count && (old_words[word] >> (row % RowBits::word_bits) & 1) != 0;
  }
};

struct MarkedBitmaps {
  MarkedBitmap bitmaps[max_marked_bitmaps];
  std::uint32_t count;
};

struct MarkFacts {
  std::uint32_t wrong;
  std::uint32_t nulls;
  std::uint32_t already[max_marked_bitmaps];  // rows that a bitmap had before
};

// Rows in shared memory, hashed; at most half full.
struct SeenRows {
  static constexpr std::uint32_t log2_slots = 13;
  static constexpr std::uint32_t slots = std::uint32_t{1} << log2_slots;
  static constexpr std::uint32_t empty = ~std::uint32_t{0};  // no row: an index has fewer
  static_assert(slots >= 2 * max_few_rows);

  std::uint32_t rows[slots];

  // False if the row was added before.
  __device__ bool add(std::uint32_t row) {
    for (std::uint32_t slot = row * 0x9e3779b9U >> (32 - log2_slots);; slot = (slot + 1) % slots) {
      const std::uint32_t found = atomicCAS(rows + slot, empty, row);
      if (found == empty) return true;
      if (found == row) return false;
    }
  }
};

// By one block of threads.
__device__ void check_each(const std::uint32_t* rows, std::uint32_t count, const RowChecks& checks,
                           const MarkedBitmaps& marked, MarkFacts* facts) {
  __shared__ SeenRows seen;
  __shared__ MarkFacts found;
  for (std::uint32_t i = threadIdx.x; i < SeenRows::slots; i += blockDim.x)
    seen.rows[i] = SeenRows::empty;
  if (threadIdx.x == 0) found = MarkFacts{};
  __syncthreads();
  bool wrong = false;
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
    const std::uint32_t row = rows[i];
    if (row >= checks.row_count || checks.erased.has(row) || !seen.add(row)) {
      wrong = true;
      continue;
    }
    if (checks.nulls.has(row)) atomicAdd(&found.nulls, 1U);
    for (std::uint32_t k = 0; k < marked.count; ++k)
      if (marked.bitmaps[k].had(row)) atomicAdd(&found.already[k], 1U);
  }
  const int any_wrong = __syncthreads_or(wrong ? 1 : 0);
  if (threadIdx.x != 0) return;
  found.wrong = any_wrong != 0 ? 1 : 0;
  *facts = found;
}

// Copies a chunk and sets the rows in it: each word is written by one block of threads only, which
// reads all rows.
__device__ void mark_chunk(const std::uint32_t* rows, std::uint32_t count,
                           const MarkedBitmap& bitmap, std::uint32_t begin) {
  const std::uint32_t end = min(begin + chunk_words, bitmap.count);
#pragma unroll 4
  for (std::uint32_t i = begin + threadIdx.x; i < end; i += blockDim.x)
    bitmap.words[i] = i < bitmap.old_count ? bitmap.old_words[i] : 0;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
    const std::uint32_t row = rows[i];
    const std::uint32_t word = row / RowBits::word_bits;
    if (word >= begin && word < end)
      atomicOr(bitmap.words + word, std::uint32_t{1} << (row % RowBits::word_bits));
  }
}

// Block (0, 0) checks the rows, block (i + 1, k) marks chunk i of bitmap k.
__global__ void __launch_bounds__(mark_threads)
    mark_each(const std::uint32_t* rows, std::uint32_t count, RowChecks checks,
              MarkedBitmaps marked, MarkFacts* facts) {
  if (blockIdx.x != 0)
    mark_chunk(rows, count, marked.bitmaps[blockIdx.y], (blockIdx.x - 1) * chunk_words);
  else if (blockIdx.y == 0)
    check_each(rows, count, checks, marked, facts);
}

}  // namespace

std::optional<MarkedRows> mark_few_rows(std::span<const std::uint32_t> rows,
                                        const RowChecks& checks,
                                        std::span<const RowBitmapPtr> bitmaps,
                                        const std::shared_ptr<const PooledStream>& stream,
                                        const std::shared_ptr<DeviceMemory>& memory) {
  const Queue queue(memory, stream->get());
  const auto count = static_cast<std::uint32_t>(rows.size());
  std::vector<RowBitmapWords> made;
  made.reserve(bitmaps.size());
  MarkedBitmaps marked{};
  std::uint32_t max_words = 0;
  for (const RowBitmapPtr& bitmap : bitmaps) {
    const RowBits old = bits_of(bitmap);
    RowBitmapWords& words =
        made.emplace_back(std::max(old.rows, checks.row_count), queue, /*clear=*/false);
    const auto word_count = static_cast<std::uint32_t>(words.words.size());
    marked.bitmaps[marked.count++] = {old.words,
                                      static_cast<std::uint32_t>(RowBits::words_of(old.rows)),
                                      words.words.data(), word_count};
    max_words = std::max(max_words, word_count);
  }
  PinnedResults<MarkFacts> facts(queue);
  const std::uint32_t chunks = max_words / chunk_words + (max_words % chunk_words != 0 ? 1 : 0);
  const dim3 blocks(chunks + 1, std::max<std::uint32_t>(1, marked.count));
  mark_each<<<blocks, mark_threads, 0, queue>>>(rows.data(), count, checks, marked, facts.data());
  check_launch(marking);
  const MarkFacts& found = facts.read(marking).front();
  if (found.wrong != 0) return std::nullopt;
  MarkedRows result{{}, found.nulls};
  for (std::size_t i = 0; i < made.size(); ++i)
    result.bitmaps.push_back(std::make_shared<DeviceRowBitmap>(
        stream, std::move(made[i]), count_of(bitmaps[i]) + rows.size() - found.already[i], memory));
  return result;
}

}  // namespace rtindex::cuda
