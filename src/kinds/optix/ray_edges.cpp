// The first and last rows of ranges by closest hits.

#include <algorithm>
#include <utility>

#include "answers/request.hpp"
#include "base/cuda/transfer.hpp"
#include "base/parallel.hpp"
#include "kinds/optix/ray_answerer.hpp"
#include "kinds/scene/edge_order.hpp"

namespace rtindex::optix {

namespace {

using cuda::DeviceArray;

template <class T>
DeviceArray<T> uploaded(const std::vector<T>& from, const cuda::Queue& queue) {
  DeviceArray<T> to(queue, from.size());
  cuda::copy_to_device(to.data(), from.data(), to.bytes(), queue);
  return to;
}

template <class T>
std::vector<T> downloaded(const DeviceArray<T>& from, cudaStream_t stream) {
  std::vector<T> to(from.size());
  if (!to.empty()) cuda::copy_to_host(to.data(), from.data(), from.bytes(), stream);
  return to;
}

// Calls work() with the lookups of the launch replaced by these intervals.
template <class Work>
void with_intervals(LaunchParams params, const std::vector<Interval>& intervals,
                    const cuda::Queue& queue, const Work& work) {
  with_key_type(params.scene.wide, [&]<class Key>(Key) {
    std::vector<KeyInterval<Key>> narrowed(intervals.size());
    std::transform(intervals.begin(), intervals.end(), narrowed.begin(), [](Interval interval) {
      return KeyInterval<Key>{static_cast<Key>(interval.lower), static_cast<Key>(interval.upper)};
    });
    const auto on_device = uploaded(narrowed, queue);
    params.lookups.elements = nullptr;
    params.lookups.intervals = on_device.data();
    work(params);
  });
}

}  // namespace

void RayAnswerer::find_edges(const cuda::SearchedLookups& searched, Edge edge, std::uint32_t* rows,
                             std::uint64_t* keys, cudaStream_t stream) const {
  const auto& [batch, first, lookups] = searched;
  if (lookups.count == 0) return;
  const cuda::Queue queue(from_.memory, stream);
  require_few_row_rays(from_.options, batch.codec().span(), batch);
  LaunchParams edges = params(batch, lookups);
  edges.edge = edge;
  edges.edge_rows = rows;
  edges.edge_keys = keys;
  if (from_.on_host == nullptr) {
    from_.edge_pipeline().launch(edges, edges.lookups.count, queue);
    return;
  }
  const std::vector<EdgeRow> found = find_full_edges(batch, first, edges, queue);
  std::vector<std::uint32_t> found_rows(found.size());
  std::vector<std::uint64_t> found_keys(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    found_rows[i] = found[i].row;
    found_keys[i] = found[i].key;
  }
  cuda::copy_to_device(rows, found_rows.data(), found.size() * sizeof(found_rows[0]), queue);
  if (keys != nullptr)
    cuda::copy_to_device(keys, found_keys.data(), found.size() * sizeof(found_keys[0]), queue);
}

RayAnswerer::Collected RayAnswerer::rows_at_keys(const LaunchParams& edges,
                                                 const std::vector<EdgeRow>& keys,
                                                 const cuda::Queue& queue) const {
  std::vector<Interval> points(keys.size(), empty_interval);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].row != miss_row) points[i] = {keys[i].key, keys[i].key};
  Collected collected;
  with_intervals(edges, points, queue, [&](LaunchParams params) {
    params.points = true;
    collected = collect(params, sizes_of(params, no_limit, queue), no_limit, queue);
  });
  require_room(collected, keys.size(), "compares full keys");
  return collected;
}

std::vector<EdgeRow> RayAnswerer::find_full_edges(const LookupBatch& batch, std::size_t first,
                                                  LaunchParams edges,
                                                  const cuda::Queue& queue) const {
  const std::size_t lookups = edges.lookups.count;
  const EncodedColumn& column = *from_.on_host;
  std::vector<Interval> ranges(lookups);
  std::vector<std::uint8_t> checks(lookups);
  batch.encode(first, lookups, ranges.data(), checks.data());
  std::vector<Interval> left = ranges;
  std::vector<EdgeRow> found(lookups);
  const DeviceArray<std::uint32_t> rows(queue, lookups);
  const DeviceArray<std::uint64_t> keys(queue, lookups);
  edges.edge_rows = rows.data();
  edges.edge_keys = keys.data();
  const auto is_open = [](Interval range) { return !range.empty(); };
  while (std::any_of(left.begin(), left.end(), is_open)) {
    with_intervals(edges, left, queue, [&](const LaunchParams& params) {
      from_.edge_pipeline().launch(params, params.lookups.count, queue);
    });
    const std::vector<std::uint32_t> edge_rows = downloaded(rows, queue);
    const std::vector<std::uint64_t> edge_keys = downloaded(keys, queue);
    std::vector<EdgeRow> at(lookups);
    for (std::size_t i = 0; i < lookups; ++i) at[i] = {edge_rows[i], edge_keys[i]};
    const Collected collected = rows_at_keys(edges, at, queue);
    const std::vector<std::uint64_t> offsets = downloaded(collected.offsets, queue);
    const std::vector<std::uint32_t> primitives = downloaded(collected.primitives, queue);
    parallel_for(lookups, chunk_lookups, [&](std::size_t begin, std::size_t count) {
      for (std::size_t i = begin; i < begin + count; ++i) {
        for (std::uint64_t hit = offsets[i]; hit < offsets[i + 1]; ++hit) {
          const EdgeRow row{column.row(primitives[hit]), at[i].key};
          if (batch.accepts(first + i, ranges[i], checks[i], row.row, row.key) &&
              is_nearer(batch, edges.edge, row, found[i]))
            found[i] = row;
        }
        const bool is_over = at[i].row == miss_row || found[i].row != miss_row;
        left[i] = is_over ? empty_interval : keys_behind(left[i], edges.edge, at[i].key);
      }
    });
  }
  return found;
}

}  // namespace rtindex::optix
