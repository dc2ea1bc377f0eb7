#pragma once

#include <algorithm>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "answers/request.hpp"

namespace rtindex {

// Buffers for the answers of a chunk of lookups that are not written to the outputs directly.
struct ChunkBuffers {
  ChunkBuffers() = default;
  // outputs() points into it.
  ChunkBuffers(const ChunkBuffers&) = delete;
  ChunkBuffers& operator=(const ChunkBuffers&) = delete;

  // A buffer for each of the `requested` outputs; bitmaps are written as they are.
  [[nodiscard]] Outputs outputs(const Outputs& requested) {
    return {.any = requested.any == nullptr ? nullptr : any,
            .first = requested.first == nullptr ? nullptr : first,
            .count = requested.count == nullptr ? nullptr : count,
            .sum = requested.sum == nullptr ? nullptr : sum,
            .min = requested.min == nullptr ? nullptr : min,
            .max = requested.max == nullptr ? nullptr : max,
            .matched = requested.matched == nullptr ? nullptr : matched,
            .last = requested.last == nullptr ? nullptr : last,
            .bitmap = requested.bitmap,
            .bitmaps = requested.bitmaps,
            .bitmap_rows = requested.bitmap_rows};
  }
  // Redirects the counts of a request to these buffers.
  void receive_counts(Request& request) {
    if (request.value_counts != nullptr) request.value_counts = value_counts;
    if (request.mean_sums != nullptr) request.mean_sums = mean_sums;
  }
  void clear_matched() { std::fill_n(matched, sizeof(matched), std::uint8_t{0}); }

  std::uint32_t any[chunk_lookups], first[chunk_lookups], last[chunk_lookups], count[chunk_lookups];
  std::uint64_t sum[chunk_lookups], min[chunk_lookups], max[chunk_lookups];
  std::uint32_t value_counts[chunk_lookups];
  MeanSum mean_sums[chunk_lookups];
  std::uint8_t matched[chunk_lookups / 8];
};

}  // namespace rtindex
