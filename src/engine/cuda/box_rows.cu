#include "engine/cuda/box_launch.cuh"

// Box queries whose rows are listed, or set in bitmaps.
namespace rtindex::cuda {

namespace {

// Passes the rows of matches to target.add(positions, hits) by all lanes, four positions of a lane
// at once, whose reads are on their way together.
template <class Target>
struct RowSink {
  static constexpr std::uint32_t rows_at_once = 4;

  DeletedPositions deleted;
  Target target;

  [[nodiscard]] __device__ bool is_full() const { return target.is_full(); }
  __device__ void add_runs(bool has_run, std::uint32_t begin, std::uint32_t end) {
    for (unsigned left = __ballot_sync(~0U, has_run); left != 0 && !is_full(); left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t first = __shfl_sync(~0U, begin, from);
      const std::uint32_t size = __shfl_sync(~0U, end, from) - first;
      for (std::uint64_t i = 0; i < size && !is_full(); i += 32 * rows_at_once) {
        std::uint32_t positions[rows_at_once];
        std::uint32_t hits = 0;
#pragma unroll
        for (std::uint32_t k = 0; k < rows_at_once; ++k) {
          const std::uint64_t at = i + k * 32 + lane_number();
          positions[k] = static_cast<std::uint32_t>(first + at);
          hits |= (at < size ? 1U : 0U) << k;
        }
        add(positions, hits);
      }
    }
  }
  __device__ void add_hits(std::uint32_t first, std::uint32_t hits) {
    if (!__any_sync(~0U, hits != 0)) return;
    std::uint32_t positions[rows_at_once];
#pragma unroll
    for (std::uint32_t k = 0; k < rows_at_once; ++k) positions[k] = first + k;
    add(positions, hits);
  }

 private:
  __device__ void add(const std::uint32_t (&positions)[rows_at_once], std::uint32_t hits) {
    if (deleted.blocks != nullptr) {
#pragma unroll
      for (std::uint32_t k = 0; k < rows_at_once; ++k)
        if ((hits >> k & 1) != 0 && deleted.has(positions[k])) hits &= ~(1U << k);
    }
    target.add(positions, hits);
  }
};

// Lists matches from `at` on, or from `*cursor` on, which the warps of a part share, up to `end`.
struct MatchWriter {
  RowsView rows;
  std::uint32_t* out_rows;
  std::uint32_t* out_positions;  // null: not requested
  unsigned long long* cursor;    // null: `at` is the warp's own
  std::uint64_t at, end;         // the same in all lanes

  [[nodiscard]] __device__ bool is_full() const { return cursor == nullptr && at >= end; }
  __device__ void add(const std::uint32_t (&positions)[4], std::uint32_t hits) {
    unsigned matches[4];
    std::uint32_t found[4];
    unsigned count = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k) {
      const bool is_match = (hits >> k & 1) != 0;
      found[k] = is_match ? rows[positions[k]] : 0;
      matches[k] = __ballot_sync(~0U, is_match);
      count += static_cast<unsigned>(__popc(matches[k]));
    }
    std::uint64_t next = reserve(count);
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint64_t own =
          next + static_cast<unsigned>(__popc(matches[k] & ((1U << lane_number()) - 1)));
      next += static_cast<unsigned>(__popc(matches[k]));
      if ((hits >> k & 1) == 0 || own >= end) continue;
      out_rows[own] = found[k];
      if (out_positions != nullptr) out_positions[own] = positions[k];
    }
  }

 private:
  [[nodiscard]] __device__ std::uint64_t reserve(unsigned count) {
    if (cursor == nullptr) {
      at += count;
      return at - count;
    }
    unsigned long long first = 0;
    if (lane_number() == 0) first = atomicAdd(cursor, static_cast<unsigned long long>(count));
    return __shfl_sync(~0U, first, 0);
  }
};

// Sets the rows of matches in bitmaps.
struct BitSetter {
  RowsView rows;
  std::uint32_t row_count;  // of the bitmaps
  std::uint32_t* bitmap;    // of all queries; null: not requested
  std::uint32_t* own;       // of the query; null: not requested

  [[nodiscard]] __device__ static constexpr bool is_full() { return false; }
  __device__ void add(const std::uint32_t (&positions)[4], std::uint32_t hits) const {
    std::uint32_t found[4];
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k)
      found[k] = (hits >> k & 1) != 0 ? rows[positions[k]] : miss_row;
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k) {
      if (found[k] >= row_count) continue;
      if (bitmap != nullptr) atomicOr(bitmap + found[k] / 32, 1U << (found[k] % 32));
      if (own != nullptr) atomicOr(own + found[k] / 32, 1U << (found[k] % 32));
    }
  }
};

struct CollectJob {
  using Sink = RowSink<MatchWriter>;

  DeletedPositions deleted;
  RowsView rows;
  BoxTarget target;

  [[nodiscard]] __device__ std::uint64_t end_of(std::size_t part) const {
    const std::uint64_t end = target.offsets[part + 1];
    return end < target.capacity ? end : target.capacity;
  }
  [[nodiscard]] __device__ Sink start(std::size_t query) const {
    return {deleted,
            {rows, target.rows, target.positions, nullptr, target.offsets[query], end_of(query)}};
  }
  __device__ void finish(std::size_t, const Sink&) const {}
  [[nodiscard]] __device__ Sink start_part(std::size_t, std::size_t part,
                                           unsigned long long* cursor) const {
    if (threadIdx.x == 0) *cursor = target.offsets[part];
    __syncthreads();
    return {deleted, {rows, target.rows, target.positions, cursor, 0, end_of(part)}};
  }
  __device__ void finish_part(std::size_t, std::size_t, const Sink&) const {}
};

struct BitmapJob {
  using Sink = RowSink<BitSetter>;

  DeletedPositions deleted;
  RowsView rows;
  BoxBitmaps out;

  [[nodiscard]] __device__ Sink start(std::size_t query) const {
    return {deleted,
            {rows, out.rows, out.bitmap,
             out.bitmaps == nullptr ? nullptr : out.bitmaps + query * out.stride}};
  }
  __device__ void finish(std::size_t, const Sink&) const {}
  [[nodiscard]] __device__ Sink start_part(std::size_t query, std::size_t,
                                           unsigned long long*) const {
    return start(query);
  }
  __device__ void finish_part(std::size_t, std::size_t, const Sink&) const {}
};

__global__ void runs_kernel(const std::uint64_t* offsets, std::size_t queries, std::uint32_t parts,
                            bool sizes_only, Run* runs) {
  const std::size_t i = thread_number();
  if (i >= queries) return;
  const std::uint64_t begin = offsets[i * parts];
  const std::uint64_t end = offsets[(i + 1) * parts];
  runs[i] = {static_cast<std::uint32_t>(sizes_only ? 0 : begin),
             static_cast<std::uint32_t>(sizes_only ? end - begin : end)};
}

__global__ void offsets_kernel(const std::uint64_t* of_parts, std::size_t queries,
                               std::uint32_t parts, std::uint64_t* offsets) {
  const std::size_t i = thread_number();
  if (i <= queries) offsets[i] = of_parts[i * parts];
}

}  // namespace

void collect_boxes(const BoxSearch& search, std::uint32_t parts, const BoxTarget& target,
                   cudaStream_t stream) {
  if (search.count == 0) return;
  search_in_parts(search, parts, CollectJob{search.deleted, search.rows, target}, stream);
}

void set_bits_of_boxes(const BoxSearch& search, const BoxBitmaps& out, cudaStream_t stream) {
  if (search.count == 0) return;
  search_in_parts(search, parts_of_boxes(search, no_limit),
                  BitmapJob{search.deleted, search.rows, out}, stream);
}

void runs_of_parts(const std::uint64_t* offsets, std::size_t queries, std::uint32_t parts,
                   bool sizes_only, Run* runs, cudaStream_t stream) {
  if (queries == 0) return;
  runs_kernel<<<blocks_for(queries), block_threads, 0, stream>>>(offsets, queries, parts,
                                                                 sizes_only, runs);
  check_launch("searching points");
}

void offsets_of_parts(const std::uint64_t* of_parts, std::size_t queries, std::uint32_t parts,
                      std::uint64_t* offsets, cudaStream_t stream) {
  offsets_kernel<<<blocks_for(queries + 1), block_threads, 0, stream>>>(of_parts, queries, parts,
                                                                        offsets);
  check_launch("searching points");
}

}  // namespace rtindex::cuda
