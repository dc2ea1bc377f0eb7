#pragma once

#include <algorithm>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "answers/request.hpp"

namespace rtindex {

// Room for the answers of a chunk of lookups that do not go to the outputs of a request straight
// away.
struct ChunkBuffers {
  ChunkBuffers() = default;
  // outputs() points into it.
  ChunkBuffers(const ChunkBuffers&) = delete;
  ChunkBuffers& operator=(const ChunkBuffers&) = delete;

  // These buffers for the answers that go to `wanted`.
  [[nodiscard]] Outputs outputs(const Outputs& wanted) {
    return {.any = wanted.any == nullptr ? nullptr : any,
            .first = wanted.first == nullptr ? nullptr : first,
            .count = wanted.count == nullptr ? nullptr : count,
            .sum = wanted.sum == nullptr ? nullptr : sum,
            .min = wanted.min == nullptr ? nullptr : min,
            .max = wanted.max == nullptr ? nullptr : max,
            .matched = wanted.matched == nullptr ? nullptr : matched};
  }
  void clear_matched() { std::fill_n(matched, sizeof(matched), std::uint8_t{0}); }

  std::uint32_t any[chunk_lookups], first[chunk_lookups], count[chunk_lookups];
  std::uint64_t sum[chunk_lookups], min[chunk_lookups], max[chunk_lookups];
  std::uint8_t matched[chunk_lookups / 8];
};

}  // namespace rtindex
