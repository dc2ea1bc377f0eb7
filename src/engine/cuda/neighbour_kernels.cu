#include "engine/cuda/neighbour_kernels.hpp"

#include <algorithm>
#include <bit>

#include <rtindex/answer.hpp>

#include "answers/cuda/write_matched.cuh"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* joining = "joining the neighbours of segments";

__global__ void to_common_kernel(std::uint64_t* keys, std::size_t count,
                                 const __grid_constant__ PackedMap from,
                                 const __grid_constant__ PackedMap to) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  std::uint64_t key = 0;
  for (std::size_t p = 0; p < from.count; ++p) {
    const std::uint64_t own = field_bits(from, p, keys[i]) - to.fields[p].map.base;
    key = (to.fields[p].bits >= 64 ? 0 : key << to.fields[p].bits) | own;
  }
  keys[i] = key - to.base;
}

__global__ void join_kernel(std::uint32_t* rows, std::uint64_t* keys,
                            const std::uint32_t* other_rows, const std::uint64_t* other_keys,
                            std::size_t count, bool is_last) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint32_t other = other_rows[i];
  if (other == miss_row) return;
  const std::uint32_t row = rows[i];
  const std::uint64_t key = keys[i];
  const std::uint64_t other_key = other_keys[i];
  const bool is_greater = other_key != key ? other_key > key : other > row;
  if (row != miss_row && is_greater != is_last) return;
  rows[i] = other;
  keys[i] = other_key;
}

__device__ void store_element(void* elements, std::size_t i, ElementType type, std::uint64_t bits) {
  if (type.kind == ElementType::Kind::real) {
    if (type.bytes == 2)
      static_cast<Half*>(elements)[i] = Half(from_ordered_bits<float>(bits));
    else if (type.bytes == 4)
      static_cast<float*>(elements)[i] = from_ordered_bits<float>(bits);
    else
      static_cast<double*>(elements)[i] = from_ordered_bits<double>(bits);
    return;
  }
  if (type.kind == ElementType::Kind::signed_int) bits ^= std::uint64_t{1} << (8 * type.bytes - 1);
  switch (type.bytes) {
    case 1: static_cast<std::uint8_t*>(elements)[i] = static_cast<std::uint8_t>(bits); break;
    case 2: static_cast<std::uint16_t*>(elements)[i] = static_cast<std::uint16_t>(bits); break;
    case 4: static_cast<std::uint32_t*>(elements)[i] = static_cast<std::uint32_t>(bits); break;
    default: static_cast<std::uint64_t*>(elements)[i] = bits; break;
  }
}

struct SideView {
  const std::uint32_t* rows;
  const std::uint64_t* keys;
};

__global__ void __launch_bounds__(block_threads)
    finish_kernel(SideView before, SideView behind, std::size_t count,
                  const __grid_constant__ PackedMap map, NeighbourLimits limits,
                  NeighbourOutputs out) {
  const std::size_t i = thread_number();
  std::uint32_t row = miss_row;
  if (i < count) {
    const auto row_in = [&](const SideView& side) {
      return side.rows == nullptr ? miss_row : side.rows[i];
    };
    const auto key_in = [&](const SideView& side) {
      return side.keys == nullptr ? std::uint64_t{0} : side.keys[i];
    };
    row = row_in(before);
    std::uint64_t key = key_in(before);
    const std::uint32_t row_behind = row_in(behind);
    if (limits.is_measured) {
      const auto distance = [&](std::uint64_t to) {
        return distance_to(limits.lookups.data, limits.lookups.type, i,
                           field_bits(map, map.count - 1, to),
                           map.fields[map.count - 1].map.column);
      };
      KeyDistance between = row == miss_row ? any_distance : distance(key);
      if (row_behind != miss_row) {
        const std::uint64_t key_behind = key_in(behind);
        const KeyDistance other = distance(key_behind);
        if (row == miss_row || between.exceeds(other)) {
          row = row_behind;
          key = key_behind;
          between = other;
        }
      }
      if (row != miss_row && between.exceeds(limits.farthest)) row = miss_row;
    } else if (before.rows == nullptr) {
      row = row_behind;
      key = key_in(behind);
    }
    if (out.rows != nullptr) __stcs(out.rows + i, row);
    for (std::size_t p = 0; p < map.count; ++p)
      if (out.key_parts[p] != nullptr && row != miss_row)
        store_element(out.key_parts[p], i, map.fields[p].map.column, field_bits(map, p, key));
  }
  if (out.matched != nullptr) write_matched(out.matched, i, count, row != miss_row);
}

}  // namespace

std::optional<PackedMap> common_map(std::span<const PackedMap> segments) {
  PackedMap map = segments.front();
  if (segments.size() == 1) return map;
  int bits = 0;
  for (std::size_t p = 0; p < map.count; ++p) {
    std::uint64_t smallest = ~std::uint64_t{0};
    std::uint64_t largest = 0;
    for (const PackedMap& segment : segments) {
      if (segment.empty) continue;
      const NativeMap& own = segment.fields[p].map;
      smallest = std::min(smallest, own.base);
      largest = std::max(largest, own.base + own.span);
    }
    PackedMap::Field& part = map.fields[p];
    part.map.base = smallest;
    part.map.span = largest - smallest;
    part.map.empty = false;
    part.bits = static_cast<int>(std::bit_width(part.map.span));
    bits += part.bits;
  }
  if (bits > 64) return std::nullopt;
  map.base = 0;
  map.span = ~std::uint64_t{0};
  map.empty = false;
  return map;
}

void to_common_map(std::uint64_t* keys, std::size_t count, const PackedMap& from,
                   const PackedMap& to, cudaStream_t stream) {
  if (count == 0) return;
  to_common_kernel<<<blocks_for(count), block_threads, 0, stream>>>(keys, count, from, to);
  check_launch(joining);
}

void join_neighbours(const NeighbourSide& best, const NeighbourSide& other, std::size_t count,
                     Edge edge, cudaStream_t stream) {
  if (count == 0) return;
  join_kernel<<<blocks_for(count), block_threads, 0, stream>>>(
      best.rows, best.keys, other.rows, other.keys, count, edge == Edge::last);
  check_launch(joining);
}

void finish_neighbours(const NeighbourSide& before, const NeighbourSide& behind, std::size_t count,
                       const PackedMap& map, const NeighbourLimits& limits,
                       const NeighbourOutputs& outputs, cudaStream_t stream) {
  if (count == 0) return;
  finish_kernel<<<blocks_for(count), block_threads, 0, stream>>>(
      {before.rows, before.keys}, {behind.rows, behind.keys}, count, map, limits, outputs);
  check_launch("choosing neighbours");
}

}  // namespace rtindex::cuda
