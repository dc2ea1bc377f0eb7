#include "order/cuda/merge_points.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include "base/cuda/launch.cuh"
#include "base/cuda/transfer.hpp"
#include "keys/interval.hpp"

namespace rtindex::cuda {

namespace {

constexpr const char* merging_points = "merging points";

struct IsValid {
  const std::uint32_t* rows;
  RowBits deleted;

  [[nodiscard]] __device__ bool operator()(std::uint32_t position) const {
    return !deleted.has(rows[position]);
  }
};

__global__ void copy_rows(const std::uint32_t* rows, const std::uint32_t* positions,
                          std::size_t count, std::uint32_t* out) {
  const std::size_t i = thread_number();
  if (i < count) out[i] = rows[positions[i]];
}

template <class Key>
__global__ void copy_keys(const __grid_constant__ PointsView from, std::uint32_t column,
                          const std::uint32_t* positions, std::size_t count, KeyShift shift,
                          Key* out) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint64_t key = from.key(column, positions[i]);
  out[i] = static_cast<Key>(shift.has_nulls && key == shift.null_key ? shift.new_null_key
                                                                     : key + shift.added);
}

// The positions of the valid rows of a part, ascending.
struct KeptPositions {
  DeviceArray<std::uint32_t> positions;
  std::size_t count = 0;
};

[[nodiscard]] KeptPositions kept_positions(const PointsPart& part, const Queue& queue) {
  KeptPositions valid;
  const std::size_t size = part.tree->size();
  if (size == 0) return valid;
  valid.positions = DeviceArray<std::uint32_t>(queue, size);
  const DeviceArray<std::uint64_t> count(queue, 1);
  const thrust::counting_iterator<std::uint32_t> all(0);
  with_scratch(queue, merging_points, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, all, valid.positions.data(), count.data(),
                                 static_cast<std::int64_t>(size), IsValid{part.rows, part.deleted},
                                 queue);
  });
  std::uint64_t counted = 0;
  copy_to_host(&counted, count.data(), sizeof(counted), queue);
  valid.count = counted;
  return valid;
}

}  // namespace

MergedPoints merge_points(const std::vector<PointsPart>& parts,
                          const std::vector<std::uint64_t>& largest, const Queue& queue) {
  std::vector<KeptPositions> valid;
  MergedPoints merged;
  for (const PointsPart& part : parts)
    merged.points.size += valid.emplace_back(kept_positions(part, queue)).count;
  merged.rows = DeviceArray<std::uint32_t>(queue, merged.points.size);
  for (std::size_t c = 0; c < largest.size(); ++c)
    with_key_type(is_wide(largest[c]), [&]<class Key>(Key) {
      DevicePoints::Column& column = merged.points.columns.emplace_back();
      column.is_wide = is_wide(largest[c]);
      column.keys = DeviceBytes(queue, merged.points.size * sizeof(Key));
      auto* out = static_cast<Key*>(column.keys.data());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (valid[i].count == 0) continue;
        copy_keys<<<blocks_for(valid[i].count), block_threads, 0, queue>>>(
            parts[i].tree->view().points, static_cast<std::uint32_t>(c), valid[i].positions.data(),
            valid[i].count, parts[i].shifts[c], out);
        check_launch(merging_points);
        out += valid[i].count;
      }
    });
  std::uint32_t* out = merged.rows.data();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (valid[i].count == 0) continue;
    copy_rows<<<blocks_for(valid[i].count), block_threads, 0, queue>>>(
        parts[i].rows, valid[i].positions.data(), valid[i].count, out);
    check_launch(merging_points);
    out += valid[i].count;
  }
  return merged;
}

}  // namespace rtindex::cuda
